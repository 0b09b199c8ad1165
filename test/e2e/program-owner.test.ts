import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import { type ClockWithTimers, systemClock } from "../../src/runtime/clock.ts";
import { fastClock } from "../../src/runtime/fast-clock.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { LONG } from "../support/long.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";
import { answerPingsAs, identity, keepPublishing, ownerNamed, topics } from "../support/publisher.ts";
import { serveBleuDays, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { startBesideAnother } from "../support/second-vigie.ts";
import { watchTopicValues } from "../support/topic-values.ts";
import { type Cleanup, createCleanup, runHere, runVigie, startVigie, writeConfig } from "../support/vigie.ts";

const BROKERS = {
  "MQTT 5": async () => startMosquitto(),
  "MQTT 3.1.1": async () => startEmbeddedBroker({ port: 0, log: SILENT_LOG }),
};
type Stranger = Awaited<ReturnType<typeof startWithStranger>>;
type Protocol = keyof typeof BROKERS;
/** Both show the same. */
const PROTOCOLS: Protocol[] = LONG ? ["MQTT 5", "MQTT 3.1.1"] : ["MQTT 5"];

/** What is left over ends with `cleanup`. */
async function startWithStranger(cleanup: Cleanup, protocol: Protocol) {
  const broker = await BROKERS[protocol]();
  cleanup.add("remove" in broker ? broker.remove : broker.stop);
  const observer = await observe(broker.url, "vigie/#", protocol === "MQTT 5" ? 5 : 4);
  cleanup.add(observer.disconnect);
  const service = await serveBleuDays(cleanup);
  const config = vigieConfig(service, broker.url, {
    rules: [{ id: "week", when: { day: "next", color: "rouge" } }],
  });
  const startProgram = async () =>
    cleanup.startVigie({ folder: await cleanup.createFolder(), config, args: ["run"], here: true });
  const startOnline = async () => {
    const vigie = await startProgram();
    const { until } = watchTopicValues(observer, "vigie", vigie.output);
    await until({ availability: "online", "service/status": "ok" });
    // With this ping vigie ends its first reading of what the broker holds. On MQTT 3.1.1 the broker's own value of `owner`
    // may arrive in that reading after a claim that is not retained: then vigie has nothing to publish again.
    await observer.until(({ received }) => {
      const online = received.findIndex(({ payload }) => payload === "online");
      return received.slice(online).some(({ topic }) => topic === "vigie/owner/ping");
    }, "vigie has read what the broker holds");
    return { observer, claim, vigie, until };
  };
  const claim = (n = 0) => JSON.stringify(ownerNamed(`z${n}`));
  return { observer, startProgram, startOnline, claim };
}

describe.skipIf(withoutMosquitto)(
  `a second vigie, a once and a purge ${withoutMosquitto}`,
  { concurrent: true },
  () => {
    const cleanup = createCleanup();
    afterAll(cleanup.run);

    test("what-if: Two vigies run · are refused while the first one runs, which stays connected; --take-over replaces it", async () => {
      const service = await serveBleuDays(cleanup);
      const first = await startVigieAndBroker(cleanup, { service });
      await first.until({ availability: "online", "service/status": "ok" });

      const again = { folder: first.folder, args: ["run"] };
      // One after the other: of two at once, one may be refused because of the other before that one is refused.
      const twin = await runVigie({ ...again, here: true });
      const onceAgain = await runHere({ ...again, args: ["once"] });
      for (const { code, stderr } of [twin, onceAgain]) {
        expect(code).toBe(3);
        expect(stderr).toMatch(
          new RegExp(`state folder .* is in use by vigie .* process ${first.vigie.pid}\\. `),
        );
      }

      const elsewhere = await cleanup.createFolder();
      await writeConfig(elsewhere, vigieConfig(service, first.broker.url));
      const besideIt =
        /^vigie: a vigie runs and publishes below vigie: vigie \S+ on .+ differs from this poll also in .+\n$/;
      for (const folder of [first.folder, elsewhere]) {
        const dry = await runHere({ folder, args: ["once", "--dry-run"] });
        expect(dry).toMatchObject({ code: 0, stderr: expect.stringMatching(besideIt) });
      }
      expect(existsSync(join(elsewhere, "state"))).toBe(false);
      // In one temporary folder, as two vigies of one machine.
      const TMPDIR = join(first.folder, "tmp");
      const other = await runVigie({ folder: elsewhere, args: ["run"], env: { TMPDIR } });
      expect(other.code).toBe(3);
      const health = await runVigie({ ...again, args: ["health"] });
      expect(health).toMatchObject({ code: 0, stdout: expect.stringMatching(/^vigie runs; broker reached/) });
      expect(other.stderr).toMatch(
        /^vigie run: The base topic vigie has another owner: .+ --take-over .+\n$/,
      );
      const [once, purge] = await Promise.all([
        runHere({ folder: elsewhere, args: ["once"] }),
        runHere({ folder: elsewhere, args: ["purge"] }),
      ]);
      expect(once).toMatchObject({ code: 3, stdout: "" });
      expect(once.stderr).toMatch(/Another vigie publishes below vigie: /);
      expect(purge.code).toBe(3);
      expect(purge.stderr).toMatch(/publishes below vigie: stop it first, then purge/);
      expect(
        first.vigie.lines.filter(({ level, msg }) => level === "warn" && !msg.includes("container")),
      ).toEqual([]);

      const successor = await startVigie({ folder: elsewhere, args: ["run", "--take-over"] });
      cleanup.add(() => successor.end("SIGKILL"));
      const yielded = await first.vigie.ended;
      expect(yielded.code).toBe(3);
      expect(yielded.stderr).toMatch(/vigie has another owner: /);
      await successor.says(/^Connected to the broker/);
      const owner = () => first.observer.retained.get("vigie/owner") ?? "";
      const before = first.observer.received.length;
      await first.until({ availability: "online", "service/status": "ok" });
      expect((await successor.end()).code).toBe(0);
      expect(first.observer.received.slice(before).some(({ payload }) => payload === "offline")).toBe(false);
      expect(JSON.parse(owner())).toHaveProperty("incarnation");

      const cleared = await runHere({ folder: elsewhere, args: ["purge"] });
      expect(cleared).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^Cleared \d+ topics below vigie and homeassistant\n$/),
      });
      expect(
        [...(await readRetained(first.broker.url)).keys()].filter((topic) => topic.startsWith("vigie/")),
      ).toEqual([]);
      const nothing = await runHere({ folder: elsewhere, args: ["purge"] });
      expect(nothing).toMatchObject({
        code: 0,
        stderr: "There is nothing of vigie below vigie and homeassistant\n",
      });
    });

    test("keep their base topic when a vigie that was started with --take-over is moved there by a reload", async () => {
      const service = await serveBleuDays(cleanup);
      const broker = await startMosquitto();
      cleanup.add(broker.remove);
      const other = keepPublishing(broker.url, { broker: { base_topic: "cabin" } });
      cleanup.add(other.publisher.stop);
      other.publisher.setTopics(topics({ "now/color": "bleu" }));
      await other.publisher.allAcknowledged();

      const folder = await cleanup.createFolder();
      await writeConfig(folder, vigieConfig(service, broker.url));
      const vigie = await startVigie({ folder, args: ["run", "--take-over"], here: true });
      cleanup.add(() => vigie.end("SIGKILL"));
      await vigie.says(/^Connected to the broker/);
      const mqtt = { url: broker.url, base_topic: "cabin" };
      await writeConfig(folder, vigieConfig(service, broker.url, { mqtt }));
      const { code, stderr } = await Promise.race([vigie.ended, other.yielded.then(() => vigie.end())]);
      expect({ code, hasYielded: other.hasYielded() }).toEqual({ code: 3, hasYielded: false });
      expect(stderr).toMatch(/cabin has another owner: /);
    });

    test("wait for no more than their end: a run that finds a once starts when that is over, and reads its configuration again if SIGHUP came meanwhile", async () => {
      const silent = await startPlainService(() => null);
      cleanup.add(silent.stop);
      const folder = await cleanup.createFolder();
      const broker = await startMosquitto();
      cleanup.add(broker.remove);
      await writeConfig(folder, vigieConfig(silent.url, broker.url));
      const once = await startVigie({ folder, args: ["once"] });
      cleanup.add(() => once.end("SIGKILL"));
      await vi.waitFor(() => expect(silent.asked.length).toBeGreaterThan(0), PATIENCE);
      // A process of its own, which the system sends SIGHUP.
      const run = await startVigie({ folder, args: ["run"] });
      cleanup.add(() => run.end("SIGKILL"));
      await run.says(/in use by vigie once, process \d+: vigie waits until that has ended/);
      run.hangUp();
      await once.end("SIGKILL");
      await run.says(/^Connected to the broker/);
      await run.says(/^The configuration was read again: nothing has changed/);
    });

    test("publish once and for all where nobody lives", async () => {
      const broker = await startMosquitto();
      cleanup.add(broker.remove);
      const folder = await cleanup.createFolder();
      await writeConfig(folder, vigieConfig(await serveBleuDays(cleanup), broker.url));
      const dry = await runHere({ folder, args: ["once", "--dry-run"] });
      expect(dry).toMatchObject({
        code: 0,
        stderr: "",
        stdout: expect.stringMatching(/^\+ now\/color (bleu|blanc|rouge)$/m),
      });
      expect((await readRetained(broker.url)).size).toBe(0);
      const wet = await runHere({ folder, args: ["once"] });
      expect(wet.code).toBe(0);
      const color = (await readRetained(broker.url)).get("vigie/now/color");
      expect(wet.stdout).toContain(`+ now/color ${color}\n`);
    });
  },
);

describe.skipIf(withoutMosquitto)(
  `a vigie that finds another one ${withoutMosquitto}`,
  { concurrent: true },
  () => {
    const cleanup = createCleanup();
    afterAll(cleanup.run);
    const start = () => startBesideAnother(cleanup);

    test("has done nothing when it ends, also while it waits for one that does not answer: no request to a source or a device, no line in the log; the state file only says to whom it yielded", async () => {
      const { first, device, asked, folder, config, state } = await start();
      // It ran before, and ended in order.
      const away = await startVigie({
        folder,
        config: config(`mqtt://${NOBODY}`),
        args: ["run"],
        here: true,
      });
      await vi.waitFor(() => expect(device.asked).toEqual(["/off"]), PATIENCE);
      await vi.waitFor(() => expect(asked.asked.length).toBeGreaterThan(0), PATIENCE);
      expect((await away.end()).code).toBe(0);
      const { yielded_to, ...before } = await state();
      expect({ yielded_to, incarnation: before.incarnation }).toEqual({ incarnation: null });
      expect(before.ended_in_order).toBe(true);
      device.asked.length = 0;
      asked.asked.length = 0;
      const heard = first.observer.received.length;

      const refused = await runVigie({ folder, config: config(first.broker.url), args: ["run"] });
      expect(refused).toMatchObject({
        code: 3,
        stdout: "",
        stderr: expect.stringMatching(/^vigie run: The base topic vigie has another owner: .+\n$/),
      });
      const installation = JSON.parse(first.observer.retained.get("vigie/owner") ?? "").installation;
      const { yielded_to: yieldedTo, ...after } = await state();
      expect(yieldedTo).toEqual({ installation, said_at: expect.any(Number), said_on: hostname() });
      expect(after).toEqual(before);
      const text = await readFile(join(folder, "state/state.json"), "utf8");

      // Whatever starts it again does so all day: it is said once, and nothing is written.
      expect(await runVigie({ folder, args: ["run"] })).toMatchObject({ code: 3, stdout: "", stderr: "" });
      expect(await readFile(join(folder, "state/state.json"), "utf8")).toBe(text);
      expect([device.asked, asked.asked]).toEqual([[], []]);
      const written = first.observer.received.slice(heard).map(({ topic }) => topic);
      expect(written.filter((topic) => topic === "vigie/owner" || topic === "vigie/availability")).toEqual(
        [],
      );

      // The other one is dead, which it may be for a moment only.
      await first.vigie.end("SIGKILL");
      const standby = await cleanup.startVigie({ folder, args: ["run"], here: true });
      await standby.says(
        /^The base topic vigie has another owner, which does not answer: .+ silent for 10 min/,
      );
      expect((await standby.end()).code).toBe(0);
      expect([device.asked, asked.asked]).toEqual([[], []]);
      expect(await readFile(join(folder, "state/state.json"), "utf8")).toBe(text);
    });

    test.each(PROTOCOLS)(
      "starts although a stranger writes to owner again and again, %s",
      async (protocol) => {
        const { observer, startProgram, claim } = await startWithStranger(cleanup, protocol);
        let count = 0;
        const write = () => {
          count += 1;
          return observer.publish("vigie/owner", claim(count));
        };
        await write();
        const writing = setInterval(write, 500);
        cleanup.add(async () => clearInterval(writing));
        const vigie = await startProgram();
        await vigie.says(/^Other programs wrote to owner again and again/);
        await vigie.says(/^Connected to the broker|supports only MQTT 3\.1\.1/);
        await watchTopicValues(observer, "vigie", vigie.output).until({
          availability: "online",
          "service/status": "ok",
        });
        clearInterval(writing);
        expect((await vigie.end()).code).toBe(0);
      },
    );

    test("what-if: Two vigies run · that had to leave waits for mqtt.grace of silence before it takes the house, and leaves it to one that only restarts; --take-over does not wait", async () => {
      const { url, remove } = await startMosquitto();
      cleanup.add(remove);
      const observer = await observe(url, "vigie/#");
      cleanup.add(observer.disconnect);
      const [other, installation] = [ownerNamed("b"), ownerNamed("a").installation];
      const named = () => JSON.parse(observer.retained.get("vigie/owner") ?? "{}").installation;
      const standBy = (clock: ClockWithTimers, takeOver = false) => {
        const left = { ...identity("a"), yieldedTo: other.installation };
        const kept = keepPublishing(url, { identity: left, clock, takeOver });
        cleanup.add(kept.publisher.stop);
        kept.publisher.setTopics(topics({ "now/color": "bleu" }));
        return kept;
      };

      await observer.publish("vigie/owner", JSON.stringify(other));
      // A question takes two seconds, which are five minutes of this clock.
      const fast = fastClock(Date.now(), 150, systemClock);
      const began = fast.steady();
      const patient = standBy(fast);
      await observer.until(() => named() === installation, "it owns the base topic");
      expect(fast.steady() - began).toBeGreaterThan(600_000);
      await patient.publisher.stop();

      await observer.publish("vigie/owner", JSON.stringify(other));
      const replacing = standBy(systemClock, true);
      await observer.until(() => named() === installation, "it owns the base topic at once");
      await replacing.publisher.stop();

      await observer.publish("vigie/owner", JSON.stringify(other));
      const waiting = standBy(fastClock(Date.now(), 50, systemClock));
      await vi.waitFor(() => expect(waiting.publisher.silentOwner()).toEqual(other), PATIENCE);
      cleanup.add(await answerPingsAs(other, url, "vigie"));
      expect(await waiting.yielded).toBe(other.incarnation);
      expect(named()).toBe(other.installation);
    });
  },
);

describe.skipIf(withoutMosquitto)(`a stranger at the broker ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  for (const protocol of PROTOCOLS) {
    describe(`on ${protocol}`, () => {
      let running: Awaited<ReturnType<Stranger["startOnline"]>>;
      beforeAll(async () => {
        running = await (await startWithStranger(cleanup, protocol)).startOnline();
      });
      /** `since`: what it has logged since then. */
      const online = () => {
        const { length } = running.vigie.lines;
        return { ...running, since: () => running.vigie.lines.slice(length) };
      };

      test("what-if: Another program writes to `owner` · who writes to owner, retained or not, and answers no ping does not end vigie, which says it once", async () => {
        const { observer, claim, until, since } = online();
        const own = observer.retained.get("vigie/owner");
        const isOwn = () =>
          observer.received.findLast(({ topic }) => topic === "vigie/owner")?.payload === own;
        for (const [retain, color] of [
          [false, "rouge"],
          [true, "blanc"],
        ] as const) {
          for (let n = 0; n < 20; n += 1) await observer.publish("vigie/owner", claim(n), retain);
          await observer.publish("vigie/simulation/set", color, false);
          await until({ "simulation/color": color });
          await observer.until(isOwn, "vigie owns the base topic again");
        }
        expect(observer.retained.get("vigie/availability")).toBe("online");
        expect(since().filter(({ msg }) => msg.includes("owner"))).toEqual([
          {
            level: "warn",
            msg: "Another program wrote to owner: vigie publishes its own values again",
          },
        ]);
      });

      test("who names an owner below vigie's own topics takes no command away; a base topic that is another vigie's is said", async () => {
        const { observer, claim, vigie, until, since } = online();
        for (const base of ["simulation", "refresh", "rules", "rules/week", "rules/week/enabled", "now"])
          await observer.publish(`vigie/${base}/owner`, claim());
        await observer.publish("vigie/annexe/owner", claim());
        await observer.publish("vigie/annexe/now/color", "rouge");
        await observer.publish("vigie/simulation/set", "rouge", false);
        await observer.publish("vigie/rules/week/enabled/set", "OFF", false);
        await observer.publish("vigie/refresh/set", "push", false);
        await until({ "simulation/color": "rouge", "rules/week/enabled": "OFF" });
        await vigie.says(/^refresh\/set: expected PRESS/);
        await observer.publish("vigie/annexe/owner", claim(1));
        await observer.publish("vigie/after", "x");
        if (protocol === "MQTT 5") {
          await observer.until(
            ({ retained }) => !(retained.has("vigie/after") || retained.has("vigie/simulation/owner")),
            "what nobody owns is cleared",
          );
        }
        expect(observer.retained.get("vigie/annexe/now/color")).toBe("rouge");
        const said = since().filter(({ msg }) => msg.includes("Another vigie"));
        expect(said.map(({ msg }) => msg)).toEqual([
          expect.stringMatching(/^Another vigie publishes below "annexe":/),
        ]);
      });

      test("who names more owners below the base topic than vigie keeps: the log says once what to do, and the own levels stay right", async () => {
        const { observer, claim, vigie, until, since } = online();
        for (let n = 0; n < 40; n += 1) await observer.publish(`vigie/annexe${n}/owner`, claim(n));
        await observer.publish("vigie/annexe0/owner", "");
        await observer.publish("vigie/now/colour", "rouge");
        await observer.publish("vigie/now/color", "pink");
        await observer.publish("vigie/simulation/set", '{"color":"rouge","from":"next"}', false);
        await until({ "next/source": "simulation", "now/color": /^(bleu|blanc|rouge)$/ });
        if (protocol === "MQTT 5")
          await observer.until(({ retained }) => !retained.has("vigie/now/colour"), "it is cleared");
        expect(observer.retained.has("vigie/annexe39/owner")).toBe(true);
        expect((await vigie.end()).code).toBe(0);
        const said = since().filter(({ msg }) => msg.includes("name other vigies"));
        expect(said).toEqual([
          {
            level: "warn",
            msg: "32 owner topics below the base topic name other vigies, and vigie knows no more than that: it clears what other programs write only on the levels of its own topics. Clear each such owner that no vigie of yours wrote, then restart vigie",
          },
        ]);
      });
    });
  }
});
