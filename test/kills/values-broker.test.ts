import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import { emptyState } from "../../src/state/state.ts";
import { serialiseState } from "../../src/state/state-format.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { serveBleuDays, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { createCleanup, runVigie, type Vigie, writeConfig } from "../support/vigie.ts";

const LOW = { id: "low", when: { mqtt: { topic: "car/status", path: "battery", below: 40, max_age: "2h" } } };
/** A device that is told as soon as the rule is anything else. */
const HEATER = {
  topic: "heater/set",
  choose: [{ when: "low", payload: "off" }],
  else: "on",
  unknown: "unknown",
};
const RULES = { rules: [LOW], outputs: [HEATER] };
const battery = (percent: number) => JSON.stringify({ battery: percent });

const BROKERS = {
  "MQTT 5": async () => {
    const broker = await startMosquitto({ persistence: "each change" });
    return { url: broker.url, stop: broker.remove };
  },
  "MQTT 3.1.1": async () => startEmbeddedBroker({ port: 0, log: SILENT_LOG }),
};

describe.skipIf(withoutMosquitto)(`values of the house on a real broker ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  /** What the device and the event topic have received. */
  const told = ({ received }: Observer) =>
    received.filter(({ topic }) => topic === "heater/set").map(({ payload }) => payload);
  const turns = ({ received }: Observer) =>
    received
      .filter(({ topic, payload }) => topic === "vigie/event" && payload.includes("rule_"))
      .map(({ payload }) => JSON.parse(payload).event_type);
  const state =
    (wanted: string) =>
    ({ retained }: Observer) =>
      retained.get("vigie/rules/low/state") === wanted;
  const polled = (vigie: Vigie, house: Observer) =>
    house.until(
      ({ retained }) => /ok/.test(retained.get("vigie/service/status") ?? ""),
      `vigie has polled:\n${vigie.output()}`,
    );

  describe.each(Object.entries(BROKERS))("%s", (version, startBroker) => {
    const startHouse = async (config: object = RULES) => {
      const broker = await startBroker();
      cleanup.add(broker.stop);
      const house = await observe(broker.url, "#", version === "MQTT 5" ? 5 : 4);
      cleanup.add(house.disconnect);
      const folder = await cleanup.createFolder();
      // A service of its own: one takes 60 requests a minute from all vigies of this machine.
      const service = await serveBleuDays(cleanup);
      await writeConfig(folder, vigieConfig(service, broker.url, { ...config }));
      const start = () => cleanup.startVigie({ folder });
      return { broker, service, house, folder, start };
    };

    test("a live value turns a rule and a device, is not published, and explain asks for the reason", async () => {
      const { house, folder, start } = await startHouse();
      const vigie = await start();
      await polled(vigie, house);
      await house.publish("car/status", battery(80.125), false);
      await house.until(state("OFF"), "the rule is OFF");
      await house.publish("car/status", battery(12.125), false);
      await house.until(state("ON"), "the rule is ON");
      await house.until(() => told(house).includes("off"), "the device was told");
      const published = house.received.filter(({ topic }) => topic.startsWith("vigie/"));
      expect(published.map(({ payload }) => payload).join()).not.toMatch(/80\.125|12\.125/);
      await house.until(() => turns(house).at(-1) === "rule_on", "there was an event");
      const { stdout } = await runVigie({ folder, args: ["explain"] });
      expect(stdout).toContain(
        "! the running vigie has ON: car/status battery is below 40, at most 2 h old (by its value)\n",
      );
    });

    test.each(["SIGTERM", "SIGKILL"] as const)(
      "a restart by %s makes no turn, no event and no payload, for the broker holds the value",
      async (signal) => {
        const { house, start } = await startHouse();
        await house.publish("car/status", battery(12), true);
        const vigie = await start();
        await polled(vigie, house);
        await house.until(state("ON"), "the rule is ON");
        await house.until(() => told(house).includes("off"), "the device was told");
        // Any other write brings the verdict to the disk.
        await house.publish("vigie/rules/low/enabled/set", "ON", false);
        await vigie.end(signal);
        const before = house.received.length;
        const since = house.retained.get("vigie/rules/low/since");
        const second = await start();
        await second.says(/Connected|MQTT 3\.1\.1/);
        await house.until(
          ({ received }) => received.slice(before).some(({ topic }) => topic === "vigie/availability"),
          "vigie is back",
        );
        // The value changes nothing: what follows it is after the values have come back.
        await house.publish("car/status", battery(11), true);
        await house.publish("car/status", battery(90), true);
        await house.until(state("OFF"), "the rule follows again");
        const after = house.received.slice(before);
        const states = after
          .filter(({ topic }) => topic === "vigie/rules/low/state")
          .map(({ payload }) => payload);
        expect([...new Set(states)]).toEqual(["ON", "OFF"]);
        await house.until(() => told(house).includes("on"), "the device was told");
        expect(told(house).slice(-2)).toEqual(["off", "on"]);
        expect(told(house)).not.toContain("unknown");
        const sinces = after.filter(({ topic }) => topic === "vigie/rules/low/since");
        expect(sinces[0]?.payload).toBe(since);
      },
    );

    test("a value that the broker sends again for a week after its device died is too old, until it lives again", async () => {
      const { house, folder, start } = await startHouse();
      await house.publish("car/status", battery(12), true);
      const vigie = await start();
      await house.until(state("ON"), "the rule is ON");
      await vigie.end();
      const path = join(folder, "state", "state.json");
      const saved = JSON.parse(await readFile(path, "utf8"));
      expect(saved.values["car/status"].hash).toMatch(/./);
      saved.values["car/status"].at -= 7 * 24 * 3_600_000;
      await writeFile(path, JSON.stringify(saved));
      await start();
      await house.until(state("None"), "the rule is unknown");
      await house.until(
        ({ retained }) => retained.get("vigie/rules/low")?.includes("too old") === true,
        "the reasons say so",
      );
      // The same payload, retained as before, but live.
      await house.publish("car/status", battery(12), true);
      await house.until(state("ON"), "the rule is ON again");
    });

    test("odd payloads make the rule unknown, and vigie goes on", async () => {
      const { house, start } = await startHouse();
      const vigie = await start();
      await polled(vigie, house);
      const because = (words: string) =>
        house.until(
          ({ retained }) => retained.get("vigie/rules/low")?.includes(words) === true,
          `the reasons say ${words}:\n${vigie.output()}`,
        );
      await house.publish("car/status", battery(12), false);
      await because("by its value");
      await house.publish("car/status", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, false);
      await because("no battery in its JSON");
      await house.publish("car/status", "\u0000\u0001 not JSON", false);
      await because("not JSON");
      await house.publish("car/status", '{"__proto__":{"battery":12}}', false);
      await because("no battery in its JSON");
      await house.publish("car/status", battery(12), false);
      await because("by its value");
      await house.publish("car/status", "x".repeat(200_000), false);
      await vigie.says(/Ignored a message of more than 64 KB on car\/status/);
      await house.publish("car/status", "", false);
      await because("never heard");
    });

    test("a reload adds a topic and removes one, and keeps values that are not retained", async () => {
      const home = { id: "home", when: { mqtt: { topic: "home/presence", equals: "yes" } } };
      const garden = { id: "garden", when: { mqtt: { topic: "garden/cold", equals: true } } };
      const { broker, service, house, folder, start } = await startHouse({ rules: [LOW, home] });
      const vigie = await start();
      await polled(vigie, house);
      await house.publish("car/status", battery(12), false);
      await house.publish("home/presence", "yes", false);
      await house.until(state("ON"), "the rule is ON");
      await house.publish("garden/cold", "true", true);
      await writeConfig(folder, vigieConfig(service, broker.url, { rules: [LOW, garden] }));
      await vigie.says(/new configuration is in force/);
      await house.until(
        ({ retained }) => retained.get("vigie/rules/garden/state") === "ON",
        "the new topic is heard",
      );
      expect(state("ON")(house)).toBe(true);
      const low = house.received.filter(({ topic }) => topic === "vigie/rules/low/state");
      expect(
        low.slice(low.findIndex(({ payload }) => payload === "ON")).map(({ payload }) => payload),
      ).not.toContain("None");
      await house.publish("car/status", battery(90), false);
      await house.until(state("OFF"), "the topic that stayed is heard");
    });
  });

  test("values are subscribed to with QoS 0, reports of devices with QoS 1", async () => {
    const log = join(await cleanup.createFolder(), "mosquitto.log");
    const lines = ["allow_anonymous true", `log_dest file ${log}`, "log_type subscribe"];
    const broker = await startMosquitto({ lines });
    cleanup.add(broker.remove);
    const service = await serveBleuDays(cleanup);
    const outputs = [{ ...HEATER, confirm: { topic: "heater" } }];
    const { until } = await startVigieAndBroker(cleanup, { service, broker, config: { ...RULES, outputs } });
    await until({ availability: "online" });
    const subscribed = async () => [
      ...(await readFile(log, "utf8")).matchAll(/ (\d) (car\/status|heater)$/gm),
    ];
    await expect.poll(async () => (await subscribed()).length).toBe(2);
    expect((await subscribed()).map(([, qos, topic]) => `${topic} ${qos}`).sort()).toEqual([
      "car/status 0",
      "heater 1",
    ]);
  });

  test("a broker that restarts changes no verdict, and values are heard again after it", async () => {
    const broker = await startMosquitto({ persistence: "each change" });
    cleanup.add(broker.remove);
    const service = await serveBleuDays(cleanup);
    const running = await startVigieAndBroker(cleanup, { service, broker, config: RULES });
    const before = await observe(broker.url, "#");
    await running.until({ "service/status": "ok" });
    await before.publish("car/status", battery(12), false);
    await running.until({ "rules/low/state": "ON" });
    await running.vigie.says(/^Sent "off" to/);
    // The first value that was ever heard is no change.
    expect(turns(before)).toEqual([]);
    await broker.end("SIGKILL");
    await broker.start();
    const after = await observe(broker.url, "#");
    cleanup.add(after.disconnect);
    await running.vigie.says(/accepts the connection again/);
    // Retained, as vigie may not have subscribed yet.
    await after.publish("car/status", battery(90), true);
    await after.until(state("OFF"), "the value is heard");
    const states = after.received.filter(({ topic }) => topic === "vigie/rules/low/state");
    expect(states.map(({ payload }) => payload)).not.toContain("None");
    await after.until((observer) => told(observer).length > 0, "the device was told");
    await after.until((observer) => turns(observer).includes("rule_off"), "there was an event");
    expect(told(after)).toEqual(["on"]);
  });

  test("explain shows value and age, check --live what the broker does not hold, once evaluates", async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const house = await observe(broker.url, "#");
    cleanup.add(house.disconnect);
    const service = await serveBleuDays(cleanup);
    const live = { id: "live", when: { mqtt: { topic: "garden/cold", equals: true } } };
    const folder = await cleanup.createFolder();
    await writeConfig(folder, vigieConfig(service, broker.url, { rules: [LOW, live] }));
    await house.publish("car/status", battery(12.5), true);
    const explained = await runVigie({ folder, args: ["explain"] });
    expect(explained.stdout).toMatch(/low {2}ON {2}\(a value of the house decides\)/);
    expect(explained.stdout).toMatch(
      /car\/status battery is below 40, at most 2 h old; found: "12\.5", heard \d+ s ago/,
    );
    expect(explained.stdout).toContain(
      "garden/cold is true; found: not retained, so only the running vigie may know it",
    );
    const unheard =
      "vigie: the broker holds no value on garden/cold: a value that is not retained this command cannot know.";
    expect(explained.stderr).toContain(unheard);
    const pretended = await runVigie({ folder, args: ["explain", "--pretend", "rouge"] });
    expect(pretended.stderr).toContain(unheard);
    const dry = await runVigie({ folder, args: ["once", "--dry-run"] });
    expect(dry.stdout).toContain("+ rules/low/state ON\n");
    expect(dry.stderr).toContain(unheard);
    let isChecked = false;
    const checking = runVigie({ folder, args: ["check", "--live"] }).finally(() => {
      isChecked = true;
    });
    // A live message while it looks is none that the broker holds.
    while (!isChecked) await house.publish("garden/cold", "true", false);
    const checked = await checking;
    expect(checked.stdout).toContain("car/status, garden/cold (vigie must be allowed to read these topics)");
    expect(checked.stdout).toContain("the broker holds no value on garden/cold");
    expect(checked.stdout).not.toContain("the broker holds no value on car/status");
    const published = await runVigie({ folder, args: ["once"] });
    expect(published.stdout).toContain("+ rules/low/state ON\n");
  });

  test("explain says of a value that is too old that the running vigie may have heard it since", async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const house = await observe(broker.url, "#");
    cleanup.add(house.disconnect);
    const folder = await cleanup.createFolder();
    await writeConfig(folder, vigieConfig("http://127.0.0.1:1", broker.url, { rules: [LOW] }));
    await house.publish("car/status", battery(12.5), true);
    const hash = createHash("sha256").update(battery(12.5)).digest("base64url");
    const values = { "car/status": { hash, at: Date.now() - 3 * 3_600_000 } };
    await mkdir(join(folder, "state"));
    await writeFile(
      join(folder, "state", "state.json"),
      serialiseState({ ...emptyState("abcdefghijkl"), values }),
    );
    const { stdout } = await runVigie({ folder, args: ["explain"] });
    expect(stdout).toMatch(/too old, if the running vigie has not heard it since: "12\.5", heard 3 h ago/);
  });

  test("once --dry-run goes on without the broker, and says so", async () => {
    const service = await serveBleuDays(cleanup);
    const folder = await cleanup.createFolder();
    await writeConfig(folder, vigieConfig(service, "mqtt://127.0.0.1:1", { rules: [LOW] }));
    const { stdout, stderr, code } = await runVigie({ folder, args: ["once", "--dry-run"] });
    expect(stderr).toMatch(/127\.0\.0\.1:1.*\. So every topic is shown as a new one/);
    expect(stdout).toMatch(/^\+ now\/color (bleu|blanc|rouge)$/m);
    expect(code).toBe(0);
  });

  test("explain goes on without the broker, and says that no value is known", async () => {
    const folder = await cleanup.createFolder();
    await writeConfig(folder, vigieConfig("http://127.0.0.1:1", "mqtt://127.0.0.1:1", { rules: [LOW] }));
    const { stdout, stderr, code } = await runVigie({ folder, args: ["explain"] });
    expect(stderr).toMatch(/no value of the house is known: .*127\.0\.0\.1:1/);
    expect(stdout).toMatch(/low {2}unknown/);
    expect(code).toBe(0);
  });
});
