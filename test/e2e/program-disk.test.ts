import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { disk, readOnly, withoutMounts } from "../support/disk.ts";
import { LONG } from "../support/long.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { serveBleuDays, vigieConfig } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutMounts;

describe.skipIf(reason)(`a state folder that cannot be written ${reason}`, () => {
  const cleanup = createCleanup();
  let service: string;
  beforeAll(async () => {
    service = await serveBleuDays(cleanup);
  });
  afterAll(cleanup.run);

  const troubles = [
    {
      trouble: "full",
      options: "size=16k",
      words: /^The state cannot be saved in .*: the disk is full\. vigie goes on/,
    },
    {
      trouble: "read-only",
      options: "ro",
      words: /^The state cannot be saved in .*: it is read-only\. vigie goes on/,
    },
  ];
  // test/state/store.test.ts tries both in the process of the test.
  test.concurrent.each(LONG ? troubles : troubles.slice(0, 1))(
    "what-if: The disk is full · $trouble is logged once, and vigie goes on",
    async ({ options, words }) => {
      const folder = await cleanup.createFolder();
      const state = join(folder, "state");
      await mkdir(state);
      const broker = await startMosquitto();
      cleanup.add(broker.remove);
      const observer = await observe(broker.url, "vigie/#");
      cleanup.add(observer.disconnect);
      const config = vigieConfig(service, broker.url);
      const vigie = await cleanup.startVigie({ folder, config, through: disk(state, options) });
      const right = () =>
        /^(bleu|blanc|rouge)$/.test(observer.retained.get("vigie/now/color") ?? "") &&
        /^\d+$/.test(observer.retained.get("vigie/season/left/rouge") ?? "") &&
        observer.retained.get("vigie/availability") === "online";
      const said = await vigie.says(words);
      expect(said.level).toBe("warn");
      await observer.until(right, "the topics are right all the same");
      // Later polls go on as if nothing were; the same trouble is not said again.
      const asked = () => vigie.lines.filter(({ msg }) => msg.startsWith("refresh/set")).length;
      const asking = setInterval(() => void observer.publish("vigie/refresh/set", "PRESS", false), 500);
      cleanup.add(async () => clearInterval(asking));
      await observer
        .until(() => asked() >= 2, `it asked; it said ${vigie.output()}`)
        .finally(() => clearInterval(asking));
      expect((await vigie.end()).code).toBe(0);
      expect(vigie.lines.filter(({ msg }) => words.test(msg))).toHaveLength(1);
    },
  );

  test("at a start may be old: the payload in force is sent once more, as the device may have been told something else since", async () => {
    const folder = await cleanup.createFolder();
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const observer = await observe(broker.url, "boiler/set");
    cleanup.add(observer.disconnect);
    const config = vigieConfig(service, broker.url, {
      state: "./state",
      rules: [{ id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } }],
      outputs: [{ topic: "boiler/set", choose: [{ when: "always", payload: "off" }], else: "on" }],
    });
    const sent = () => observer.received.map(({ payload }) => payload);
    const first = await cleanup.startVigie({ folder, config, here: true });
    await observer.until(() => sent().length === 1, "it is sent");
    await first.end();
    const second = await cleanup.startVigie({ folder, config, here: true });
    await second.says(/^Connected to the broker/);
    await second.end();
    // A restart alone sends nothing.
    expect(sent()).toEqual(["off"]);
    const third = await cleanup.startVigie({ folder, config, through: readOnly(join(folder, "state")) });
    await third.says(/^The state may be old, as it cannot be saved/);
    await observer.until(() => sent().length === 2, "it is sent once more");
    await third.end();
    expect(sent()).toEqual(["off", "off"]);
  });
});
