import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { addDays, civilDate } from "../../src/core/calendar/dates.ts";
import { emptyState } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import { startFastTime } from "../support/fake-time.ts";
import { knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { LONG } from "../support/long.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe, readRetained } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { NOBODY } from "../support/ports.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup, runHere, runVigie } from "../support/vigie.ts";

const today = civilDate(Date.now(), "Europe/Paris");
const named = Object.fromEntries([-1, 0, 1, 2].map((days) => [addDays(today, days), "blanc" as const]));
const KNOWN_DAYS = knownDaysOf({
  ...officialDays(addDays(today, -30), addDays(today, 2), named),
  [addDays(today, 3)]: official("bleu", { confirmed: false }),
});
/** As versions 1 and 2 of the state file held them. */
const OLDER_DAYS = Object.fromEntries(
  Object.entries(KNOWN_DAYS.days).flatMap(([date, { service_word }]) => {
    if (!service_word) return [];
    const { color, rates, first_said, confirmed } = service_word;
    return [[date, { official: { color, rates, seen_at: first_said, final: confirmed } }]];
  }),
);
const OWNER = {
  installation: "abcdefghijkl",
  incarnation: "before",
  host: "attic",
  version: "0.0.1",
  since: "2026-01-01T00:00:00Z",
  client_id: "vigie-attic-abcdefghijkl",
};

describe.skipIf(withoutMosquitto)(`a vigie that takes over from another version ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  /** A folder whose state file holds this. */
  const stateOf = async (text: string) => {
    const folder = await cleanup.createFolder();
    await mkdir(join(folder, "state"));
    await writeFile(join(folder, "state", "state.json"), text);
    return folder;
  };
  const filesOf = (folder: string) => readdir(join(folder, "state"));
  /** A service that is away: what is known is known from the state file. */
  const away = `http://${NOBODY}`;

  const places = [
    ["with one place and none of what rules remember", { base_topic: "attic", instance: "attic" }],
    ["with several places", [{ base_topic: "attic", instance: "attic", prefix: "homeassistant" }]],
  ] as const;
  test.concurrent.each(LONG ? places : places.slice(0, 1))(
    "reads a state file of version 1, %s: its days are known, and its former place is left",
    async (_, published) => {
      const {
        version,
        official_words: _words,
        official_clients: _clients,
        ...state
      } = emptyState(OWNER.installation);
      const books = { [away]: { ...KNOWN_DAYS, days: OLDER_DAYS } };
      const older = {
        ...state,
        incarnation: "before",
        version: 1,
        published,
        books,
        clients: { [away]: {} },
      };
      const folder = await stateOf(`${JSON.stringify(older)}\n`);
      const attic: Observer[] = [];
      const beforeStart = async (url: string) => {
        const observer = await observe(url, "attic/#");
        attic.push(observer);
        cleanup.add(observer.disconnect);
        await observer.publish("attic/owner", JSON.stringify(OWNER));
        await observer.publish("attic/now/color", "rouge");
      };
      const running = await startVigieAndBroker(cleanup, {
        service: away,
        state: folder,
        beforeStart,
        here: true,
      });
      await running.until({ availability: "online", "now/color": "blanc", "tomorrow/color": "blanc" });
      await attic[0]?.until(({ retained }) => retained.size === 0, "the former place is empty");
      const readState = async () =>
        parseState(await readFile(join(running.folder, "state", "state.json"), "utf8"));
      // It is forgotten once the broker has acknowledged that nothing is left there.
      await vi.waitFor(async () => expect((await readState()).published).toHaveLength(1), PATIENCE);
      await running.vigie.end();
      const written = await readState();
      expect(written).toMatchObject({ version, installation: OWNER.installation });
      const words = Object.entries(written.books[away]?.days ?? {}).map(([date, { service_word }]) => [
        date,
        service_word?.color,
      ]);
      expect(words).toEqual(Object.entries(OLDER_DAYS).map(([date, { official }]) => [date, official.color]));
      expect(written.published).toEqual([
        { base_topic: "vigie", instance: "vigie", prefix: "homeassistant" },
      ]);
      expect(running.vigie.output()).not.toMatch(/damaged|empty state/);
    },
  );

  test.concurrent("refuses one of a newer version without harm: said, with an exit code, nothing written or published", async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const newer = `{"version":99,"books":"in a way\\nof its own"}`;
    const folder = await stateOf(newer);
    const config = { service: { base_url: away }, mqtt: { url: broker.url }, state: "./state" };
    const started = await runVigie({ folder, config, args: ["run"], here: true });
    const once = await runHere({ folder, args: ["once"] });
    for (const { code, stderr, stdout } of [started, once]) {
      expect(stderr).toMatch(
        /state file has version 99, and this vigie knows versions up to \d+: a newer vigie wrote it/,
      );
      expect(`${stdout}${stderr}`).not.toMatch(/^\s+at /m);
      expect(code).toBe(1);
    }
    expect(await readFile(join(folder, "state", "state.json"), "utf8")).toBe(newer);
    expect(await filesOf(folder)).toEqual(["state.json"]);
    expect(await readRetained(broker.url)).toEqual(new Map());
  });

  const damaged = [
    ["half of itself", serialiseState({ ...emptyState("a"), books: { x: KNOWN_DAYS } }).slice(0, 700)],
    ["garbage", "days: [rouge"],
    ["nothing, as after a power cut", "\0".repeat(500)],
  ] as const;
  // test/state/store.test.ts opens any bytes.
  test.concurrent.each(LONG ? damaged : damaged.slice(0, 1))(
    "sets a state file of %s aside, says so, and goes on",
    async (_, text) => {
      const folder = await stateOf(text);
      const running = await startVigieAndBroker(cleanup, { service: away, state: folder, here: true });
      const { level, msg } = await running.vigie.says(/^The state file was damaged/);
      expect(level).toBe("warn");
      expect(msg).toContain("state.damaged-1.json");
      await running.until({ availability: "online", "now/color": "None" });
      expect(await readFile(join(running.folder, "state", "state.damaged-1.json"), "utf8")).toBe(text);
      expect((await running.vigie.end()).code).toBe(0);
      const kept = await readFile(join(running.folder, "state", "state.json"), "utf8");
      expect(parseState(kept).installation).toMatch(/^[a-z0-9]{12}$/);
    },
  );

  const ORIGIN = { origin: { name: "vigie", sw_version: "0.0.1" } };
  const component = (topic: string) => ({ platform: "sensor", unique_id: topic, state_topic: topic });
  const FORMER = {
    "vigie/now/mood": "gloomy",
    "vigie/d9/color": "rouge",
    "vigie/d9": '{"color":"rouge"}',
    "vigie/rules/gone/state": "ON",
    "homeassistant/sensor/vigie/mood/config": JSON.stringify({ ...component("vigie/now/mood"), ...ORIGIN }),
  };
  const OTHERS = {
    "vigie2/now/color": "rouge",
    vigie: "nobody's",
    "vigie/annex/owner": JSON.stringify(OWNER),
    "vigie/annex/now/color": "rouge",
    "homeassistant/sensor/vigie/lamp/config": JSON.stringify(component("lamp")),
    "homeassistant/sensor/other/mood/config": JSON.stringify({ ...component("other"), ...ORIGIN }),
  };
  const DEVICE = "homeassistant/device/vigie/config";

  test.concurrent("leaves no orphan of what it publishes no more, and touches nobody else's", async () => {
    const device = {
      ...ORIGIN,
      device: { identifiers: ["vigie_vigie"] },
      components: { mood_of_the_day: component("vigie/now/mood") },
    };
    const all: Observer[] = [];
    const beforeStart = async (url: string) => {
      const observer = await observe(url);
      all.push(observer);
      cleanup.add(observer.disconnect);
      const planted = { ...FORMER, ...OTHERS, [DEVICE]: JSON.stringify(device) };
      for (const [topic, payload] of Object.entries(planted)) await observer.publish(topic, payload);
    };
    // What Home Assistant holds of it waits for up to ten seconds: two of them here.
    const time = startFastTime(5);
    const running = await startVigieAndBroker(cleanup, { service: away, beforeStart, time });
    const entities = (retained: ReadonlyMap<string, string>) =>
      Object.keys(JSON.parse(retained.get(DEVICE) ?? "{}").components ?? {});
    const isTidy = ({ retained }: Observer) =>
      !Object.keys(FORMER).some((topic) => retained.has(topic)) &&
      !entities(retained).includes("mood_of_the_day");
    await all[0]?.until(isTidy, "nothing former is left");
    await running.until({ availability: "online" });
    const payloadsOf = await readRetained(running.broker.url);
    expect(entities(payloadsOf)).toContain("now_color");
    expect(Object.fromEntries(payloadsOf)).toMatchObject(OTHERS);
  });
});
