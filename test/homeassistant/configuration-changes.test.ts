import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRetained } from "../support/observer.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";
import { expectNoComplaints } from "./complaints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { RULES, startInHomeAssistant, type VigieInHomeAssistant } from "./vigie-in-home-assistant.ts";

describe.skipIf(withoutHomeAssistant)(`changes of the configuration ${withoutHomeAssistant}`, () => {
  const cleanup = createCleanup();
  let connected: VigieInHomeAssistant;
  let mark: number;
  let first: Map<string, string>;

  beforeAll(async () => {
    connected = await startInHomeAssistant(cleanup, "life");
    mark = await connected.home.mark();
    first = await identities();
  });
  afterAll(cleanup.run);

  /** Which entity each id is: the same one as before, history and all, or another of that id. */
  const identities = async (instance?: string) =>
    new Map([...(await connected.entries(instance))].map(([id, entry]) => [id, entry.id]));
  const without = (...parts: string[]) =>
    new Map([...first].filter(([id]) => !parts.some((part) => id.includes(part))));
  const expectSame = async (wanted: Map<string, string>) => {
    await expect.poll(identities, { interval: 100 }).toEqual(wanted);
    const unavailable = async () =>
      [...(await connected.entities())].filter(
        ([id, { state }]) => wanted.has(id) && state === "unavailable",
      );
    await expect.poll(unavailable).toEqual([]);
    await expectNoComplaints(connected.home, mark);
  };

  // Asked of the broker: what expires goes without a word.
  const kept = async (topics: RegExp) =>
    [...(await readRetained(connected.broker.url)).keys()].filter((topic) => topics.test(topic));
  const expectKept = (topics: RegExp, wanted: string[]) => expect.poll(() => kept(topics)).toEqual(wanted);

  test("its names follow the language, and nothing else does", async () => {
    await connected.configure({ homeassistant: { language: "fr" } });
    const name = async () => (await connected.entries()).get("sensor.life_now_color")?.original_name;
    await expect.poll(name).toBe("Couleur en cours");
    await expectSame(first);
    await connected.configure({ homeassistant: { language: "en" } });
    await expect.poll(name).toBe("Colour now");
    await expectSame(first);
  });

  test("a rule that is named anew keeps its entities", async () => {
    const [ahead, week] = RULES;
    await connected.configure({ rules: [ahead, { ...week, name: { fr: "Semaine", en: "Coming days" } }] });
    const name = async () =>
      (await connected.entries()).get("binary_sensor.life_rules_week_state")?.original_name;
    await expect.poll(name).toBe("Coming days");
    await expectSame(first);
  });

  test("a rule with another id has other entities, and the first entities return with the first id", async () => {
    const [ahead, week] = RULES;
    const ids = async () => [...(await identities()).keys()].toSorted();
    const renamed = [...first.keys()].map((id) => id.replace("_rules_week_", "_rules_month_")).toSorted();
    await connected.configure({ rules: [ahead, { ...week, id: "month" }] });
    await expect.poll(ids).toEqual(renamed);
    const others = new Map([...(await identities())].filter(([id]) => !id.includes("_rules_month_")));
    expect(others).toEqual(without("_rules_week_"));
    await expectNoComplaints(connected.home, mark);
    await connected.configure({ rules: RULES });
    await expectSame(first);
  });

  test("an excluded entity is removed, and no other one", async () => {
    await connected.configure({ homeassistant: { language: "en", exclude: ["now_slot"] } });
    await expectSame(without("now_slot"));
    await connected.configure({ homeassistant: { language: "en" } });
    await expectSame(first);
  });

  test("a change to single components and back keeps every entity", async () => {
    await connected.configure({ homeassistant: { language: "en", discovery: "components" } });
    const device = "homeassistant/device/life/config";
    const anyOf = /^homeassistant\/.*\blife\b/;
    const singles = [...first].map(([id]) => {
      const [platform, key] = id.split(".life_");
      return `homeassistant/${platform}/life/${key}/config`;
    });
    await expect.poll(async () => (await kept(anyOf)).toSorted()).toEqual(singles.toSorted());
    await expectSame(first);
    await connected.configure({ homeassistant: { language: "en", discovery: "device" } });
    await expectKept(anyOf, [device]);
    await expectSame(first);
  });

  test("with a prefix that Home Assistant does not know, the device is removed", async () => {
    await connected.configure({ homeassistant: { language: "en", prefix: "elsewhere" } });
    await expectSame(new Map());
    await expectKept(/^elsewhere\//, ["elsewhere/device/life/config"]);
    await connected.configure({ homeassistant: { language: "en" } });
    await expectSame(first);
    await expectKept(/^elsewhere\//, []);
  });

  test("another instance is another device, and the old one is removed", async () => {
    await connected.configure({ instance: "after" });
    await expect.poll(async () => (await identities("after")).size).toBe(first.size);
    await expectSame(new Map());
    expect((await connected.entities("after")).has("sensor.after_now_color")).toBe(true);
    await expectKept(/^life\//, []);
  });

  test("a purge leaves neither entity, device nor topic", async () => {
    await connected.vigie().end();
    const { code } = await runVigie({ folder: connected.running.folder, args: ["purge"] });
    expect(code).toBe(0);
    await expect.poll(async () => (await identities("after")).size).toBe(0);
    expect(
      (await connected.home.devices()).filter(({ name }) => ["Life", "After"].includes(String(name))),
    ).toEqual([]);
    await expectKept(/(^|\/)(life|after)\//, []);
    await expectNoComplaints(connected.home, mark);
  });
});
