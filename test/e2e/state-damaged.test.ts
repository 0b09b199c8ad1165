import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseState } from "../../src/state/state-format.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const RELAY = "relay/command";
const CONFIG = {
  // Each day is rouge, on a Sunday and in summer, too.
  tariff: { laws: "off" },
  rules: [{ id: "rouge", when: { day: "now", color: "rouge" } }],
  outputs: [{ topic: RELAY, choose: [{ when: "rouge", payload: "off" }], else: "on" }],
};
const ALL_ROUGE = new Proxy<Record<string, string>>({}, { get: () => "rouge" });

describe.skipIf(withoutMosquitto)(
  `what-if: The state file is damaged or lost · a damaged one while the service is away ${withoutMosquitto}`,
  () => {
    const cleanup = createCleanup();
    afterAll(cleanup.run);

    // test/state/store.test.ts opens a file with each damage.
    test("the days are known from the state before it, and a rouge day stays rouge", async () => {
      const service = await startPlainService((path) =>
        answerDays(path, Date.now(), { colors: ALL_ROUGE, officialAt: "00:00" }),
      );
      cleanup.add(service.stop);
      // RTE knows no day. But it answers: without an answer a start waits 15 s before it sends anything to a device.
      const rte = await startPlainService(() => ({ body: { values: {} } }));
      cleanup.add(rte.stop);
      const config = { ...CONFIG, official: { source: rte.url } };
      const running = await startVigieAndBroker(cleanup, { service: service.url, config, here: true });
      const relay = await observe(running.broker.url, RELAY);
      cleanup.add(relay.disconnect);
      await running.until({ availability: "online", "service/status": "ok", "next/color": "rouge" });
      await running.until({ "now/color": "rouge", "now/official": "ON" });
      await relay.until(({ received }) => received.length === 1, "the relay is switched off");
      const file = join(running.folder, "state", "state.json");
      const { installation } = parseState(await readFile(file, "utf8"));
      // A second start saves once more: so the previous state file holds the days, too.
      await running.vigie.end();
      const second = await cleanup.startVigie({ folder: running.folder, config: running.config });
      await second.says(/^Connected/);
      await second.end("SIGKILL");
      await service.stop();
      // As after a power cut.
      await writeFile(file, Buffer.alloc(500));

      const color = await observe(running.broker.url, "vigie/now/color");
      cleanup.add(color.disconnect);
      const again = await cleanup.startVigie({
        folder: running.folder,
        config: running.config,
        here: true,
      });
      // The first message is the retained one.
      await color.until(({ received }) => received.length === 2, "all topics are published again");
      expect(color.received.map(({ payload }) => payload)).toEqual(["rouge", "rouge"]);
      // What was sent last is not known for sure: the payload in force is sent once more.
      await relay.until(({ received }) => received.length === 2, "the relay is switched off once more");
      expect(relay.received.map(({ payload }) => payload)).toEqual(["off", "off"]);
      expect(running.payloadsOf("next/color", "rules/rouge/state")).toEqual({
        "next/color": "rouge",
        "rules/rouge/state": "ON",
      });
      const troubles = again.lines.filter(({ msg }) => msg.includes("state file"));
      expect(troubles).toEqual([
        {
          level: "warn",
          msg: expect.stringMatching(
            /^The state file was damaged and is now .*state\.damaged-1\.json; vigie starts with the state saved before it, .*state\.previous\.json$/,
          ),
        },
      ]);
      expect((await again.end()).code).toBe(0);
      expect(parseState(await readFile(file, "utf8")).installation).toBe(installation);
    });
  },
);
