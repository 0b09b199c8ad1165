import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRetained } from "../support/observer.ts";
import { createCleanup } from "../support/vigie.ts";
import { BROKER_LOST, expectNoComplaints } from "./complaints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { startInHomeAssistant, type VigieInHomeAssistant } from "./vigie-in-home-assistant.ts";

describe.skipIf(withoutHomeAssistant)(`restarts in every order ${withoutHomeAssistant}`, () => {
  const cleanup = createCleanup();
  let connected: VigieInHomeAssistant;
  let mark: number;
  let ids: string[];
  let topics: string[];

  beforeAll(async () => {
    connected = await startInHomeAssistant(cleanup, "again");
    mark = await connected.home.mark();
    ids = [...(await connected.entries()).keys()].toSorted();
    topics = await kept();
  });
  afterAll(cleanup.run);

  const kept = async () =>
    [...(await readRetained(connected.broker.url)).keys()]
      .filter((topic) => topic.split("/").includes("again"))
      .toSorted();
  const homeAssistant = () => connected.home.restart();
  const vigie = async (signal?: NodeJS.Signals) => {
    await connected.restart(signal);
    await connected.vigie().says(/^Connected to the broker/);
  };
  const replaceBroker = async (meanwhile?: () => Promise<void>, signal?: NodeJS.Signals) => {
    await connected.broker.end(signal);
    await meanwhile?.();
    await connected.broker.start();
  };
  /** Its loss is noticed by both: who looks afterwards does not see what was before. */
  const broker = async (forget?: () => Promise<void>, signal?: NodeJS.Signals) => {
    const from = connected.vigie().lines.length;
    const meanwhile = async () => {
      await connected.home.until({ "sensor.again_now_color": "unavailable" });
      await forget?.();
    };
    await replaceBroker(meanwhile, signal);
    await connected.vigie().says(/ accepts the connection again, /, from);
  };
  const emptyBroker = () => broker(connected.broker.forget, "SIGKILL");
  /** All are there with a state, under the same ids, the broker holds what it held, and nobody complained. */
  const expectWhole = async () => {
    const missing = async () => {
      const entities = await connected.entities();
      const entries = [...(await connected.entries()).values()].filter(
        ({ disabled_by }) => disabled_by === null,
      );
      return entries
        .map(({ entity_id }) => entity_id)
        .filter((id) => ["unavailable", undefined].includes(entities.get(id)?.state));
    };
    await expect.poll(missing, { interval: 200 }).toEqual([]);
    expect([...(await connected.entries()).keys()].toSorted()).toEqual(ids);
    await expect.poll(kept).toEqual(topics);
    await expectNoComplaints(connected.home, mark, [BROKER_LOST]);
  };

  test("those of vigie are not visible", async () => {
    const seen = connected.observer.received.length;
    await vigie();
    await connected.observer.until(
      ({ received: all }) => all.slice(seen).some(({ topic }) => topic === "again/owner"),
      "vigie is back",
    );
    await expectWhole();
    await vigie("SIGKILL");
    await connected.observer.until(
      ({ received: all }) => all.slice(seen).filter(({ topic }) => topic === "again/owner").length > 1,
      "vigie is back",
    );
    await expectWhole();
    const offline = connected.observer.received
      .slice(seen)
      .filter(({ topic, payload }) => topic === "again/availability" && payload === "offline");
    expect(offline).toEqual([]);
  });

  test("what-if: Home Assistant restarts · those of Home Assistant change nothing, and vigie then publishes everything once more", async () => {
    const seen = connected.observer.received.length;
    await homeAssistant();
    await expectWhole();
    const isSentAgain = (topic: string) => () =>
      connected.observer.received.slice(seen).some((message) => message.topic === topic);
    for (const topic of ["again/now/color", "again/availability", "homeassistant/device/again/config"]) {
      await connected.observer.until(isSentAgain(topic), `${topic} is sent again`);
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
  ])("those of %s change nothing", async (_, steps) => {
    for (const step of steps) await step();
    await expectWhole();
  });
});
