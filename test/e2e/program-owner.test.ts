import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";
import { answerPingsAs, keepPublishing, ownerNamed, topics } from "../support/publisher.ts";
import { copyState, serveBleuDays, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { createCleanup, runHere, runVigie, startVigie, writeConfig } from "../support/vigie.ts";

const ENDED = {
  code: 3,
  stderr: expect.stringMatching(/^vigie run: The base topic \w+ has another owner: .+ --take-over .+\n$/),
};
const ENDED_SILENTLY = { code: 3, stdout: "", stderr: "" };

describe.skipIf(withoutMosquitto)(`who owns a base topic ${withoutMosquitto}`, { concurrent: true }, () => {
  const cleanup = createCleanup();
  let broker: Mosquitto;
  let service: string;
  beforeAll(async () => {
    broker = await startMosquitto();
    cleanup.add(broker.remove);
    service = await serveBleuDays(cleanup);
  });
  afterAll(cleanup.run);
  /** The tests share a broker: each has a base topic of its own. */
  const startOn = (instance: string, more: Record<string, unknown> = {}) =>
    startVigieAndBroker(cleanup, { service, broker, config: { instance, ...more }, here: true });

  describe("a second vigie", () => {
    let beside: Awaited<ReturnType<typeof startBeside>>;
    beforeAll(async () => {
      beside = await startBeside();
    });
    /** One that runs; and what a second one has, which ran before, and ended in order. */
    const startBeside = async () => {
      const first = await startVigieAndBroker(cleanup, { service, broker, config: { instance: "both" } });
      const device = await startPlainService(() => ({ body: "ok" }));
      cleanup.add(device.stop);
      // A start waits up to 15 s for the first answer before it sends anything to a device.
      const asked = await startPlainService((path) => answerDays(path, Date.now(), { colors: {} }));
      cleanup.add(asked.stop);
      const folder = await cleanup.createFolder();
      const config = (url: string) =>
        vigieConfig(asked.url, url, {
          instance: "both",
          rules: [{ id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } }],
          outputs: [{ id: "heater", url: `${device.url}/off`, choose: [{ when: "always", payload: "off" }] }],
        });
      // A broker that is away holds no device over HTTP back.
      const away = await startVigie({
        folder,
        config: config(`mqtt://${NOBODY}`),
        args: ["run"],
        here: true,
      });
      await vi.waitFor(() => expect(device.asked).toEqual(["/off"]), PATIENCE);
      expect((await away.end()).code).toBe(0);
      device.asked.length = 0;
      asked.asked.length = 0;
      await first.until({ availability: "online", "service/status": "ok" });
      const state = async () => JSON.parse(await readFile(join(folder, "state/state.json"), "utf8"));
      return { first, device, asked, folder, config: config(broker.url), state };
    };
    const run = (folder: string) => runVigie({ folder, args: ["run"], here: true });
    const installation = () => JSON.parse(beside.first.payloadOf("owner") ?? "{}").installation;

    test.sequential("what-if: Two vigies run · with the same state folder is refused, and a once, too", async () => {
      const { folder, vigie } = beside.first;
      // One after the other: of two at once, one may be refused because of the other before that one is refused.
      const twin = await run(folder);
      const once = await runHere({ folder, args: ["once"] });
      for (const { code, stderr } of [twin, once]) {
        expect(code).toBe(3);
        expect(stderr).toMatch(new RegExp(`state folder .* is in use by vigie .* process ${vigie.pid}\\. `));
      }
    });

    test.sequential("what-if: Two vigies run · with the same base topic ends, has done nothing but to remember to whom it yielded, and says so once a day; the first one is not disturbed", async () => {
      const { first, device, asked, folder, config, state } = beside;
      const heard = first.observer.received.length;
      const { yielded_to, ...before } = await state();
      expect({ yielded_to, incarnation: before.incarnation }).toEqual({ incarnation: null });
      expect(before.ended_in_order).toBe(true);

      await writeConfig(folder, config);
      expect(await run(folder)).toEqual({ ...ENDED, stdout: "" });
      const { yielded_to: yieldedTo, ...after } = await state();
      expect(yieldedTo).toEqual({
        installation: installation(),
        said_at: expect.any(Number),
        said_on: hostname(),
      });
      expect(after).toEqual(before);

      // Whatever starts it again does so all day: nothing is written.
      const path = join(folder, "state/state.json");
      const text = await readFile(path, "utf8");
      expect(await run(folder)).toEqual(ENDED_SILENTLY);
      expect(await readFile(path, "utf8")).toBe(text);
      const hours = (count: number) => ({ said_at: yieldedTo.said_at - count * 3_600_000 });
      const remembered: [object, object][] = [
        [hours(23), ENDED_SILENTLY],
        [hours(25), ENDED],
        // A clock that was set back hides nothing.
        [hours(-2), ENDED],
        [{ installation: "stranger0000" }, ENDED],
        // A container that is made anew has nothing in its log.
        [{ said_on: "another" }, ENDED],
      ];
      for (const [one, expected] of remembered) {
        await writeFile(path, JSON.stringify({ ...before, yielded_to: { ...yieldedTo, ...one } }));
        expect(await run(folder)).toMatchObject(expected);
      }

      expect([device.asked, asked.asked]).toEqual([[], []]);
      const written = first.observer.received.slice(heard).map(({ topic }) => topic);
      expect(written.filter((topic) => /^both\/(owner|availability)$/.test(topic))).toEqual([]);
      const warned = first.vigie.lines.filter(
        ({ level, msg }) => level === "warn" && !msg.includes("container"),
      );
      expect(warned).toEqual([]);
    });

    test.sequential("lets a once --dry-run look; a once is refused", async () => {
      const { first, folder } = beside;
      const besideIt =
        /^vigie: a vigie runs and publishes below both: vigie \S+ on .+ differs from this poll also in .+\n$/;
      for (const one of [first.folder, folder]) {
        const dry = await runHere({ folder: one, args: ["once", "--dry-run"] });
        expect(dry).toMatchObject({ code: 0, stderr: expect.stringMatching(besideIt) });
      }
      const once = await runHere({ folder, args: ["once"] });
      expect(once).toMatchObject({ code: 3, stdout: "" });
      expect(once.stderr).toMatch(/Another vigie publishes below both: /);
    });

    test.sequential("what-if: Two vigies run · replaces the first one with --take-over; that one waits while the other does not answer, and does nothing; with --take-over it waits for nobody", async () => {
      const { first, device, asked, folder, config } = beside;
      const { observer } = first;
      const [before, former] = [observer.received.length, installation()];
      const successor = await cleanup.startVigie({ folder, args: ["run", "--take-over"], here: true });
      expect(await first.vigie.ended).toMatchObject(ENDED);
      await successor.says(/^Connected to the broker/);
      await first.until({ availability: "online", "service/status": "ok" });
      expect(installation()).not.toBe(former);
      expect(observer.received.slice(before).some(({ payload }) => payload === "offline")).toBe(false);
      expect((await run(first.folder)).code).toBe(3);

      // The other one is dead, which it may be for a moment only.
      await successor.end("SIGKILL");
      for (const { asked: requests } of [device, asked]) requests.length = 0;
      const text = await readFile(join(first.folder, "state/state.json"), "utf8");
      const heard = observer.received.length;
      const standby = await cleanup.startVigie({ folder: first.folder, config, args: ["run"], here: true });
      await standby.says(
        /^The base topic both has another owner, which does not answer: .+ silent for 10 min/,
      );
      expect((await standby.end()).code).toBe(0);
      expect([device.asked, asked.asked]).toEqual([[], []]);
      expect(await readFile(join(first.folder, "state/state.json"), "utf8")).toBe(text);
      const written = observer.received.slice(heard).map(({ topic }) => topic);
      expect(written.filter((topic) => !/^both\/owner\/p[io]ng$/.test(topic))).toEqual([]);

      const again = await cleanup.startVigie({
        folder: first.folder,
        args: ["run", "--take-over"],
        here: true,
      });
      await again.says(/^Connected to the broker/);
      await observer.until(() => installation() === former, "it owns the base topic again");
      await vi.waitFor(() => expect(device.asked).toEqual(["/off"]), PATIENCE);
      expect(again.lines.filter(({ msg }) => msg.includes("does not answer"))).toEqual([]);
      expect(await run(folder)).toMatchObject(ENDED);
    });
  });

  test("what-if: Two vigies run · a vigie that starts from a copy of the state folder replaces the one that runs, for good", async () => {
    const running = await startOn("copied");
    await running.until({ availability: "online", "service/status": "ok" });
    const copy = await cleanup.createFolder();
    await copyState(running.folder, copy);
    const { config, observer, payloadOf } = running;
    const former = payloadOf("owner");
    const successor = await cleanup.startVigie({ folder: copy, config, args: ["run"], here: true });
    expect(await running.vigie.ended).toMatchObject(ENDED);
    await observer.until(() => payloadOf("owner") !== former, "the copy owns the base topic");
    await successor.says(/^Connected to the broker/);
    const owner = payloadOf("owner");
    for (let round = 0; round < 3; round += 1)
      expect((await runVigie({ folder: running.folder, args: ["run"], here: true })).code).toBe(3);
    expect(running.payloadsOf("owner", "availability")).toEqual({ owner, availability: "online" });
    expect((await successor.end()).code).toBe(0);
  });

  test("a vigie that was started with --take-over does not take another base topic over by a reload", async () => {
    const other = keepPublishing(broker.url, { broker: { base_topic: "cabin" } });
    cleanup.add(other.publisher.stop);
    other.publisher.setTopics(topics({ "now/color": "bleu" }));
    await other.publisher.allAcknowledged();

    const folder = await cleanup.createFolder();
    const configBelow = (base_topic: string) =>
      vigieConfig(service, broker.url, { mqtt: { url: broker.url, base_topic } });
    const config = configBelow("moved");
    const vigie = await cleanup.startVigie({ folder, config, args: ["run", "--take-over"], here: true });
    await vigie.says(/^Connected to the broker/);
    await writeConfig(folder, configBelow("cabin"));
    const ended = await Promise.race([vigie.ended, other.yielded.then(() => vigie.end())]);
    expect(ended).toMatchObject(ENDED);
    expect(other.hasYielded()).toBe(false);
  });

  test("a run that finds a once starts when that is over, and reads its configuration again if SIGHUP came meanwhile", async () => {
    const silent = await startPlainService(() => null);
    cleanup.add(silent.stop);
    const folder = await cleanup.createFolder();
    await writeConfig(folder, vigieConfig(silent.url, broker.url, { instance: "waiting" }));
    const once = await cleanup.startVigie({ folder, args: ["once"], here: true });
    await vi.waitFor(() => expect(silent.asked.length).toBeGreaterThan(0), PATIENCE);
    // A process of its own, which the system sends SIGHUP.
    const run = await cleanup.startVigie({ folder, args: ["run"] });
    await run.says(/in use by vigie once, process \d+: vigie waits until that has ended/);
    run.hangUp();
    await once.end();
    await run.says(/^Connected to the broker/);
    await run.says(/^The configuration was read again: nothing has changed/);
  });

  test("a once publishes if no vigie runs", async () => {
    const folder = await cleanup.createFolder();
    await writeConfig(folder, vigieConfig(service, broker.url, { instance: "alone" }));
    const dry = await runHere({ folder, args: ["once", "--dry-run"] });
    expect(dry).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^\+ now\/color (bleu|blanc|rouge)$/m),
    });
    expect((await readRetained(broker.url, ["alone/#"])).size).toBe(0);
    const wet = await runHere({ folder, args: ["once"] });
    expect(wet.code).toBe(0);
    const color = (await readRetained(broker.url, ["alone/#"])).get("alone/now/color");
    expect(wet.stdout).toContain(`+ now/color ${color}\n`);
  });

  test("what-if: Another program writes to `owner` · a start goes on though strangers write there again and again, and answer for others", async () => {
    const observer = await observe(broker.url, "begun/#");
    cleanup.add(observer.disconnect);
    cleanup.add(await answerPingsAs(ownerNamed("y"), broker.url, "begun"));
    let count = 0;
    const write = () => {
      count += 1;
      return observer.publish("begun/owner", JSON.stringify(ownerNamed(`z${count}`)));
    };
    await write();
    const writing = setInterval(write, 500);
    cleanup.add(async () => clearInterval(writing));
    const { vigie, until } = await startOn("begun");
    await vigie.says(
      /^Other programs wrote to owner again and again, and no vigie answers for them: vigie claims the base topic/,
    );
    await until({ availability: "online", "service/status": "ok" });
    clearInterval(writing);
    expect((await vigie.end()).code).toBe(0);
  });

  describe("a stranger at the broker", () => {
    let running: Awaited<ReturnType<typeof startOn>>;
    beforeAll(async () => {
      running = await startOn("house", { rules: [{ id: "week", when: { day: "next", color: "rouge" } }] });
      const { observer, until } = running;
      await until({ availability: "online", "service/status": "ok" });
      // With this ping vigie ends its first reading of what the broker holds.
      await observer.until(({ received }) => {
        const online = received.findIndex(({ payload }) => payload === "online");
        return received.slice(online).some(({ topic }) => topic === "house/owner/ping");
      }, "vigie has read what the broker holds");
      cleanup.add(await answerPingsAs(ownerNamed("y"), broker.url, "house"));
    });
    const claim = (name: number | string) => JSON.stringify(ownerNamed(`${name}`));
    /** `since`: what it has logged since then. */
    const online = () => {
      const { length } = running.vigie.lines;
      const publish = (topic: string, payload: string, retain = true) =>
        running.observer.publish(`house/${topic}`, payload, retain);
      return { ...running, publish, since: () => running.vigie.lines.slice(length) };
    };

    test.sequential("what-if: Another program writes to `owner` · who writes there and answers no ping does not end vigie, which publishes meanwhile and says it once; what is not retained counts for nothing, whoever answers", async () => {
      const { observer, publish, until, since, payloadOf } = online();
      const own = payloadOf("owner");
      const last = () => observer.received.findLast(({ topic }) => topic === "house/owner")?.payload;
      const isOwn = () => last() === own;
      await publish("owner", claim("y"), false);
      await observer.until(isOwn, "vigie owns the base topic again");

      const from = observer.received.length;
      await publish("owner", claim(0));
      await publish("simulation/set", "blanc", false);
      for (let n = 1; n < 20; n += 1) await publish("owner", n === 10 ? "me!" : claim(n));
      await until({ "simulation/color": "blanc" });
      await observer.until(isOwn, "vigie owns the base topic again");
      // It asks again.
      await publish("owner", claim("z"));
      await observer.until(() => last() === claim("z"), "another program has written last");
      await observer.until(isOwn, "vigie owns the base topic again");
      const came = observer.received.map(({ topic, payload }) => `${topic} ${payload}`);
      expect(came.lastIndexOf("house/simulation/color blanc")).toBeLessThan(
        came.lastIndexOf(`house/owner ${own}`),
      );
      const pings = observer.received.slice(from).filter(({ topic }) => topic.endsWith("/owner/ping"));
      expect(pings.length).toBeLessThan(60);
      expect(payloadOf("availability")).toBe("online");
      expect(since().filter(({ msg }) => msg.includes("owner"))).toEqual([
        {
          level: "warn",
          msg: "Another program wrote to owner: vigie publishes its own values again",
        },
      ]);
    });

    test.sequential("what-if: Another program writes to `owner` · on a deeper level it takes no command away; a base topic that is another vigie's is said once", async () => {
      const { observer, vigie, publish, until, since, payloadOf } = online();
      const own = ["simulation", "refresh", "rules", "rules/week", "rules/week/enabled", "now"];
      const owners = own.map((base) => `${base}/owner`);
      const nobodys = [...owners, "junk/owner", "annexes/now/color", "after"];
      const theirs = ["annexe/now/color", "garden/shed/now/color"];
      for (const topic of ["annexe/owner", "garden/shed/owner"]) await publish(topic, claim(0));
      await publish("annexe/owner", "junk");
      for (const topic of [...theirs, ...nobodys])
        await publish(topic, owners.includes(topic) ? claim(0) : "{}");
      await publish("simulation/set", "rouge", false);
      await publish("rules/week/enabled/set", "OFF", false);
      await publish("refresh/set", "push", false);
      await until({ "simulation/color": "rouge", "rules/week/enabled": "OFF" });
      await vigie.says(/^refresh\/set: expected PRESS/);
      await publish("annexe/owner", claim(1));
      const held = () => [...nobodys, ...theirs].filter((topic) => payloadOf(topic) !== undefined);
      await observer.until(() => held().length === theirs.length, "what nobody owns is cleared");
      expect(held()).toEqual(theirs);
      const said = since().filter(({ msg }) => msg.includes("Another vigie"));
      expect(said.map(({ msg }) => msg)).toEqual([
        expect.stringMatching(/^Another vigie publishes below "annexe":/),
        expect.stringMatching(/^Another vigie publishes below "garden\/shed":/),
      ]);
      await publish("annexe/owner", "");
      await publish("annexe/now/color", "bleu");
      await observer.until(() => payloadOf("annexe/now/color") === undefined, "nobody owns it any more");
      expect(held()).toEqual(theirs.slice(1));
    });

    test.sequential("what-if: Another program writes to `owner` · of more owners below the base topic than vigie keeps, the log says once what to do, and the own levels stay right", async () => {
      const { observer, vigie, publish, until, since, payloadOf } = online();
      // With the one of the test before these are 32.
      for (let n = 0; n < 31; n += 1) await publish(`annexe${n}/owner`, claim(n));
      await vigie.says(/name other vigies/);
      for (let n = 31; n < 40; n += 1) await publish(`annexe${n}/owner`, claim(n));
      await publish("annexe0/owner", "");
      await publish("annexe39/now/color", "rouge");
      await publish("now/colour", "rouge");
      await publish("now/color", "pink");
      await publish("simulation/set", '{"color":"rouge","from":"next"}', false);
      await until({ "next/source": "simulation", "now/color": /^(bleu|blanc|rouge)$/ });
      await observer.until(({ retained }) => !retained.has("house/now/colour"), "it is cleared");
      expect(payloadOf("annexe39/now/color")).toBe("rouge");
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
});
