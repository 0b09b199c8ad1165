import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openYard, runVigie } from "../support/vigie.ts";
import { type Guest, openGuest } from "./guest.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { BROKER_LOST, judge } from "./judge.ts";

describe.skipIf(withoutHomeAssistant)(`restarts in every order ${withoutHomeAssistant}`, () => {
  const yard = openYard();
  let guest: Guest;
  let mark: number;
  let ids: string[];

  beforeAll(async () => {
    guest = await openGuest(yard, "again");
    mark = await guest.home.mark();
    ids = [...(await guest.entries()).keys()].toSorted();
  });
  afterAll(async () => {
    await guest?.vigie().end();
    if (guest) await runVigie({ folder: guest.house.folder, args: ["purge"] });
    await yard.clear();
  });

  const homeAssistant = () => guest.home.restart();
  const vigie = () => guest.restart();
  const death = () => guest.restart("SIGKILL");
  const broker = async () => {
    await guest.broker.end();
    await guest.broker.start();
  };
  const emptyBroker = async () => {
    await guest.broker.end("SIGKILL");
    await guest.broker.forget();
    await guest.broker.start();
  };
  /** All are there with a state, under the same ids, and nobody complained. */
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
    await death();
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

  test.each([
    ["Home Assistant", [homeAssistant]],
    ["the broker", [broker]],
    ["the broker, without what it held", [emptyBroker]],
    ["vigie, then Home Assistant", [vigie, homeAssistant]],
    ["Home Assistant, then the broker", [homeAssistant, broker]],
    [
      "the broker, vigie and Home Assistant at once",
      [() => Promise.all([broker(), death(), homeAssistant()])],
    ],
  ])("of %s leave everything as it was", async (_, steps) => {
    for (const step of steps) await step();
    await expectWhole();
  });

  test("of Home Assistant are answered with everything once more", async () => {
    const seen = guest.observer.seen.length;
    await homeAssistant();
    const isSentAgain = (topic: string) => () =>
      guest.observer.seen.slice(seen).some((message) => message.topic === topic);
    for (const topic of ["again/now/color", "again/availability", "homeassistant/device/again/config"]) {
      await guest.observer.until(isSentAgain(topic), `${topic} is sent again`, 30_000);
    }
    await expectWhole();
  });
});
