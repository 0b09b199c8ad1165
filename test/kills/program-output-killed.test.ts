import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { startProxy } from "../support/proxy.ts";
import { vigieConfig } from "../support/running-vigie.ts";
import { createCleanup, MAIN } from "../support/vigie.ts";

const HOOK = join(import.meta.dirname, "pause-at-save.mjs");
const MORE = {
  tariff: { off_peak: [] },
  rules: [{ id: "rouge_now", when: { day: "now", color: "rouge" } }],
  outputs: [
    { id: "boiler", topic: "boiler/set", choose: [{ when: "rouge_now", payload: "off" }], else: "on" },
  ],
};

describe.skipIf(withoutMosquitto)(
  `vigie, killed while it sends "off" to a boiler ${withoutMosquitto}`,
  () => {
    const cleanup = createCleanup();
    afterEach(cleanup.run);

    /** A vigie that waits for a rouge day; the broker's answers to it can be held back. */
    async function prepare(pauseAt: string) {
      const broker = await startMosquitto();
      cleanup.add(broker.remove);
      const way = { isHeldBack: false };
      const proxy = await startProxy(
        broker.port,
        () => (bytes) => (way.isHeldBack ? Buffer.alloc(0) : bytes),
      );
      cleanup.add(proxy.stop);
      const observer = await observe(broker.url);
      cleanup.add(observer.disconnect);
      const service = await startPlainService((path) => answerDays(path, Date.now(), { colors: {} }));
      cleanup.add(service.stop);
      const folder = await cleanup.createFolder();
      const goOn = join(folder, "go-on");
      const vigie = await cleanup.startVigie({
        folder,
        config: vigieConfig(service.url, proxy.url, MORE),
        env: { PAUSE_AT: pauseAt, GO_ON: goOn },
        program: [process.execPath, "--import", HOOK, MAIN],
      });
      const told = () =>
        observer.received.filter(({ topic }) => topic === "boiler/set").map(({ payload }) => payload);
      const pretend = (color: string) => observer.publish("vigie/simulation/set", color, false);
      await observer.until(
        ({ retained }) =>
          retained.get("vigie/service/status") === "ok" && retained.get("vigie/availability") === "online",
        "vigie is there",
      );
      await pretend("rouge");
      return { folder, goOn, observer, pretend, told, vigie, way };
    }
    type Prepared = Awaited<ReturnType<typeof prepare>>;
    const paused = ({ vigie }: Prepared) => vigie.prints(/^paused$/m);
    /**
     * All topics that change with the rule: else there may be no room for one more message to the broker. Those of the
     * output are the last ones. What vigie publishes after the second ping, it publishes after the acknowledgements of all
     * before the first one.
     */
    const untilAllAcknowledged = async ({ observer }: Prepared) => {
      const isWaiting = () => observer.retained.get("vigie/outputs/boiler")?.includes('"waiting"') === true;
      await observer.until(isWaiting, "the output waits for the broker");
      const pongs = () => observer.received.filter(({ topic }) => topic === "vigie/owner/pong").length;
      for (const id of ["first", "second"]) {
        const before = pongs();
        await observer.publish("vigie/owner/ping", JSON.stringify({ id }), false);
        await observer.until(() => pongs() > before, `vigie answers the ${id} ping`);
      }
    };
    const saved = async ({ folder }: Prepared) =>
      JSON.parse(await readFile(join(folder, "state", "state.json"), "utf8")).outputs?.["boiler/set"];

    test.each<[string, string, (prepared: Prepared) => Promise<unknown>, object | undefined, string[]]>([
      ["before the save", "before sending", paused, undefined, ["off"]],
      ["between the save and the sending", "after sending", paused, { acknowledged: false }, ["off"]],
      [
        "between the sending and the acknowledgement",
        "after sending",
        async (prepared) => {
          await paused(prepared);
          await untilAllAcknowledged(prepared);
          prepared.way.isHeldBack = true;
          await writeFile(prepared.goOn, "");
          await prepared.observer.until(() => prepared.told().length === 1, "the boiler was told");
        },
        { acknowledged: false },
        ["off", "off"],
      ],
      [
        "between the acknowledgement and the save",
        "before acknowledged",
        paused,
        { acknowledged: false },
        ["off", "off"],
      ],
      ["after both saves", "after acknowledged", paused, { acknowledged: true }, ["off"]],
    ])("%s: the payload arrives, a second time only where nobody knows of the first", async (...row) => {
      const [, pauseAt, reached, onDisk, payloads] = row;
      const prepared = await prepare(pauseAt);
      const { folder, observer, pretend, told, vigie, way } = prepared;
      await reached(prepared);
      await vigie.end("SIGKILL");
      const sentOnDisk = await saved(prepared);
      if (onDisk) expect(sentOnDisk).toMatchObject({ payload: "off", ...onDisk });
      else expect(sentOnDisk).toBeUndefined();

      way.isHeldBack = false;
      const next = await cleanup.startVigie({ folder });
      await next.says(/^Connected/);
      // The command was in the same write.
      if (!onDisk) await pretend("rouge");
      await observer.until(
        () => told().length === payloads.length,
        "the boiler is told what it has to be told",
      );
      await vi.waitFor(
        async () => expect(await saved(prepared)).toMatchObject({ acknowledged: true }),
        PATIENCE,
      );
      // What was sent once more would have come before the next payload.
      await pretend("auto");
      await observer.until(() => told().includes("on"), "the next payload");
      expect(told()).toEqual([...payloads, "on"]);
      expect(vigie.lines.some(({ msg }) => /damaged|unreadable/.test(msg))).toBe(false);
    });
  },
);
