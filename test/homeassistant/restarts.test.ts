import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRetained } from "../support/observer.ts";
import { createCleanup } from "../support/vigie.ts";
import { type Guest, openGuest } from "./guest.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { BROKER_LOST, judge } from "./judge.ts";

describe.skipIf(withoutHomeAssistant)(`restarts in every order ${withoutHomeAssistant}`, () => {
  const cleanup = createCleanup();
  let guest: Guest;
  let mark: number;
  let ids: string[];
  let topics: string[];

  beforeAll(async () => {
    guest = await openGuest(cleanup, "again");
    mark = await guest.home.mark();
    ids = [...(await guest.entries()).keys()].toSorted();
    topics = await kept();
  });
  afterAll(cleanup.run);

  const kept = async () =>
    [...(await readRetained(guest.broker.url)).keys()]
      .filter((topic) => topic.split("/").includes("again"))
      .toSorted();
  const homeAssistant = () => guest.home.restart();
  const vigie = async (signal?: NodeJS.Signals) => {
    await guest.restart(signal);
    await guest.vigie().says(/^Connected to the broker/);
  };
  const replaceBroker = async (meanwhile?: () => Promise<void>, signal?: NodeJS.Signals) => {
    await guest.broker.end(signal);
    await meanwhile?.();
    await guest.broker.start();
  };
  /** Its loss is noticed by both: who looks afterwards does not see what was before. */
  const broker = async (forget?: () => Promise<void>, signal?: NodeJS.Signals) => {
    const from = guest.vigie().lines.length;
    const meanwhile = async () => {
      await guest.home.until({ "sensor.again_now_color": "unavailable" });
      await forget?.();
    };
    await replaceBroker(meanwhile, signal);
    await guest.vigie().says(/ accepts the connection again, /, from);
  };
  const emptyBroker = () => broker(guest.broker.forget, "SIGKILL");
  /** All are there with a state, under the same ids, the broker holds what it held, and nobody complained. */
  const expectWhole = async () => {
    const missing = async () => {
      const entities = await guest.entities();
      const entries = [...(await guest.entries()).values()].filter(({ disabled_by }) => disabled_by === null);
      return entries
        .map(({ entity_id }) => entity_id)
        .filter((id) => ["unavailable", undefined].includes(entities.get(id)?.state));
    };
    await expect.poll(missing, { timeout: 30_000, interval: 200 }).toEqual([]);
    expect([...(await guest.entries()).keys()].toSorted()).toEqual(ids);
    await expect.poll(kept, { timeout: 10_000 }).toEqual(topics);
    await judge(guest.home, mark, [BROKER_LOST]);
  };

  test("vigie's own are seen by nobody", async () => {
    const seen = guest.observer.seen.length;
    await vigie();
    await guest.observer.until(
      ({ seen: all }) => all.slice(seen).some(({ topic }) => topic === "again/owner"),
      "vigie is back",
    );
    await expectWhole();
    await vigie("SIGKILL");
    await guest.observer.until(
      ({ seen: all }) => all.slice(seen).filter(({ topic }) => topic === "again/owner").length > 1,
      "vigie is back",
    );
    await expectWhole();
    const offline = guest.observer.seen
      .slice(seen)
      .filter(({ topic, payload }) => topic === "again/availability" && payload === "offline");
    expect(offline).toEqual([]);
  });

  test("of Home Assistant leave everything as it was, and are answered with everything once more", async () => {
    const seen = guest.observer.seen.length;
    await homeAssistant();
    await expectWhole();
    const isSentAgain = (topic: string) => () =>
      guest.observer.seen.slice(seen).some((message) => message.topic === topic);
    for (const topic of ["again/now/color", "again/availability", "homeassistant/device/again/config"]) {
      await guest.observer.until(isSentAgain(topic), `${topic} is sent again`, 30_000);
    }
    await expectWhole();
  });

  test.each([
    ["Home Assistant, then the broker", [homeAssistant, () => broker()]],
    ["the broker, without what it held", [emptyBroker]],
    ["vigie, then Home Assistant", [() => vigie(), homeAssistant]],
    [
      "the broker, vigie and Home Assistant at once",
      [() => Promise.all([replaceBroker(), vigie("SIGKILL"), homeAssistant()])],
    ],
  ])("of %s leave everything as it was", async (_, steps) => {
    for (const step of steps) await step();
    await expectWhole();
  });
});
