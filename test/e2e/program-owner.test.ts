import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { startPlainService } from "../support/plain-service.ts";
import { keepPublishing, ownerNamed, topics } from "../support/publisher.ts";
import { serveInventedDays, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { watchTopicValues } from "../support/topic-values.ts";
import { createCleanup, runVigie, startVigie, writeConfig } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`a second vigie, a once and a purge ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent("are refused while the first one runs, which stays connected; --take-over replaces it", async () => {
    const service = await serveInventedDays(cleanup);
    const first = await startVigieAndBroker(cleanup, { service });
    await first.until({ availability: "online", "service/status": "ok" });

    const here = { folder: first.folder, args: ["run"] };
    // One after the other: of two at once, one may be refused because of the other before that one is refused.
    const twin = await runVigie(here);
    const onceHere = await runVigie({ ...here, args: ["once"] });
    for (const { code, stderr } of [twin, onceHere]) {
      expect(code).toBe(3);
      expect(stderr).toMatch(
        new RegExp(`state folder .* is in use by vigie .* process ${first.vigie.pid}\\. `),
      );
    }

    const elsewhere = await cleanup.createFolder();
    await writeConfig(elsewhere, vigieConfig(service, first.broker.url));
    const dryHere = await runVigie({ ...here, args: ["once", "--dry-run"] });
    const besideIt =
      /^vigie: a vigie runs and publishes below vigie: vigie \S+ on .+ differs from this poll also in .+\n$/;
    expect(dryHere).toMatchObject({ code: 0, stderr: expect.stringMatching(besideIt) });
    const dryElsewhere = await runVigie({ folder: elsewhere, args: ["once", "--dry-run"] });
    expect(dryElsewhere).toMatchObject({ code: 0, stderr: expect.stringMatching(besideIt) });
    expect(existsSync(join(elsewhere, "state"))).toBe(false);
    // In one temporary folder, as two vigies of one machine.
    const TMPDIR = join(first.folder, "tmp");
    const other = await runVigie({ folder: elsewhere, args: ["run"], env: { TMPDIR } });
    expect(other.code).toBe(3);
    const health = await runVigie({ ...here, args: ["health"] });
    expect(health).toMatchObject({ code: 0, stdout: expect.stringMatching(/^loop alive; broker reached/) });
    expect(other.stderr).toMatch(/^vigie run: The base topic vigie has another owner: .+ --take-over .+\n$/);
    const [once, purge] = await Promise.all([
      runVigie({ folder: elsewhere, args: ["once"] }),
      runVigie({ folder: elsewhere, args: ["purge"] }),
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

    const cleared = await runVigie({ folder: elsewhere, args: ["purge"] });
    expect(cleared).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Cleared \d+ topics below vigie and homeassistant\n$/),
    });
    expect(
      [...(await readRetained(first.broker.url)).keys()].filter((topic) => topic.startsWith("vigie/")),
    ).toEqual([]);
    const nothing = await runVigie({ folder: elsewhere, args: ["purge"] });
    expect(nothing).toMatchObject({
      code: 0,
      stderr: "There is nothing of vigie below vigie and homeassistant\n",
    });
  });

  test.concurrent("keep their base topic when a vigie that was started with --take-over is moved there by a reload", async () => {
    const service = await serveInventedDays(cleanup);
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const other = keepPublishing(broker.url, { broker: { base_topic: "cabin" } });
    cleanup.add(other.publisher.stop);
    other.publisher.setTopics(topics({ "now/color": "bleu" }));
    await other.publisher.allAcknowledged();

    const folder = await cleanup.createFolder();
    await writeConfig(folder, vigieConfig(service, broker.url));
    const vigie = await startVigie({ folder, args: ["run", "--take-over"] });
    cleanup.add(() => vigie.end("SIGKILL"));
    await vigie.says(/^Connected to the broker/);
    const mqtt = { url: broker.url, base_topic: "cabin" };
    await writeConfig(folder, vigieConfig(service, broker.url, { mqtt }));
    const { code, stderr } = await Promise.race([vigie.ended, other.yielded.then(() => vigie.end())]);
    expect({ code, hasYielded: other.hasYielded() }).toEqual({ code: 3, hasYielded: false });
    expect(stderr).toMatch(/cabin has another owner: /);
  });

  test.concurrent("wait for no more than their end: a run that finds a once starts when that is over", async () => {
    const silent = await startPlainService(() => null);
    cleanup.add(silent.stop);
    const folder = await cleanup.createFolder();
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    await writeConfig(folder, vigieConfig(silent.url, broker.url));
    const once = await startVigie({ folder, args: ["once"] });
    cleanup.add(() => once.end("SIGKILL"));
    await vi.waitFor(() => expect(silent.asked.length).toBeGreaterThan(0), PATIENCE);
    const run = await startVigie({ folder, args: ["run"] });
    cleanup.add(() => run.end("SIGKILL"));
    await run.says(/in use by vigie once, process \d+: vigie waits until that has ended/);
    await once.end("SIGKILL");
    await run.says(/^Connected to the broker/);
  });

  test.concurrent("publish once and for all where nobody lives", async () => {
    const service = await serveInventedDays(cleanup);
    const running = await startVigieAndBroker(cleanup, { service });
    await running.until({ availability: "online" });
    await running.vigie.end();
    const purged = await runVigie({ folder: running.folder, args: ["purge"] });
    expect(purged).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Cleared \d+ topics/) });
    const dry = await runVigie({ folder: running.folder, args: ["once", "--dry-run"] });
    expect(dry).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^\+ now\/color (bleu|blanc|rouge)$/m),
    });
    expect((await readRetained(running.broker.url)).size).toBe(0);
    const wet = await runVigie({ folder: running.folder, args: ["once"] });
    expect(wet.code).toBe(0);
    const color = (await readRetained(running.broker.url)).get("vigie/now/color");
    expect(wet.stdout).toContain(`+ now/color ${color}\n`);
  });
});

describe.skipIf(withoutMosquitto)(`a stranger at the broker ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const brokers = {
    "MQTT 5": async () => startMosquitto(),
    "MQTT 3.1.1": async () => startEmbeddedBroker({ port: 0, log: SILENT_LOG }),
  };
  const start = async (protocol: keyof typeof brokers) => {
    const broker = await brokers[protocol]();
    cleanup.add("remove" in broker ? broker.remove : broker.stop);
    const observer = await observe(broker.url, "vigie/#", protocol === "MQTT 5" ? 5 : 4);
    cleanup.add(observer.disconnect);
    const service = await serveInventedDays(cleanup);
    const config = vigieConfig(service, broker.url, {
      rules: [{ id: "week", when: { day: "next", color: "rouge" } }],
    });
    const startProgram = async () =>
      cleanup.startVigie({ folder: await cleanup.createFolder(), config, args: ["run"] });
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
      return { vigie, until };
    };
    const claim = (n = 0) => JSON.stringify(ownerNamed(`z${n}`));
    return { observer, startProgram, startOnline, claim };
  };

  for (const protocol of ["MQTT 5", "MQTT 3.1.1"] as const) {
    describe.concurrent(`on ${protocol}`, () => {
      test.concurrent.each([false, true])(
        "who writes to owner (retained: %s) and answers no ping does not end vigie, which says it once",
        async (retain) => {
          const { observer, startOnline, claim } = await start(protocol);
          const { vigie, until } = await startOnline();
          const own = observer.retained.get("vigie/owner");
          for (let n = 0; n < 20; n += 1) await observer.publish("vigie/owner", claim(n), retain);
          await observer.publish("vigie/simulation/set", "rouge", false);
          await until({ "simulation/color": "rouge", "now/color": "rouge" });
          await observer.until(
            ({ received }) => received.findLast(({ topic }) => topic === "vigie/owner")?.payload === own,
            "vigie owns the base topic again",
          );
          expect(observer.retained.get("vigie/availability")).toBe("online");
          expect((await vigie.end()).code).toBe(0);
          expect(vigie.lines.filter(({ msg }) => msg.includes("owner"))).toEqual([
            {
              level: "warn",
              msg: "Another program wrote to owner: vigie publishes its own values again",
            },
          ]);
        },
      );

      test.concurrent("who names an owner below vigie's own topics takes no command away; a base topic that is another vigie's is said", async () => {
        const { observer, startOnline, claim } = await start(protocol);
        const { vigie, until } = await startOnline();
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
        await vigie.end();
        const said = vigie.lines.filter(({ msg }) => msg.includes("Another vigie"));
        expect(said.map(({ msg }) => msg)).toEqual([
          expect.stringMatching(/^Another vigie publishes below "annexe":/),
        ]);
      });

      test.concurrent("who names more owners below the base topic than vigie keeps: the log says once what to do, and the own levels stay right", async () => {
        const { observer, startOnline, claim } = await start(protocol);
        const { vigie, until } = await startOnline();
        for (let n = 0; n < 40; n += 1) await observer.publish(`vigie/annexe${n}/owner`, claim(n));
        await observer.publish("vigie/annexe0/owner", "");
        await observer.publish("vigie/now/colour", "rouge");
        await observer.publish("vigie/now/color", "pink");
        await observer.publish("vigie/simulation/set", "rouge", false);
        await until({ "simulation/color": "rouge", "now/color": "rouge" });
        if (protocol === "MQTT 5")
          await observer.until(({ retained }) => !retained.has("vigie/now/colour"), "it is cleared");
        expect(observer.retained.has("vigie/annexe39/owner")).toBe(true);
        await vigie.end();
        const said = vigie.lines.filter(({ msg }) => msg.includes("name other vigies"));
        expect(said).toEqual([
          {
            level: "warn",
            msg: "32 owner topics below the base topic name other vigies, and vigie knows no more than that: it clears what other programs write only on the levels of its own topics. Clear each such owner that no vigie of yours wrote, then restart vigie",
          },
        ]);
      });

      test.concurrent("who writes to owner again and again holds up no start", async () => {
        const { observer, startProgram, claim } = await start(protocol);
        let count = 0;
        const write = () => {
          count += 1;
          return observer.publish("vigie/owner", claim(count));
        };
        await write();
        const writing = setInterval(write, 1_500);
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
      });
    });
  }
});
