import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { startSimulator } from "../../src/simulator/server.ts";
import { emptyState } from "../../src/state/state.ts";
import { serialiseState } from "../../src/state/state-format.ts";
import { bleuDays } from "../support/bleu-days.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { type RunningVigie, startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup, runHere, writeConfig } from "../support/vigie.ts";

const RULES = {
  tariff: { off_peak: [] },
  rules: [
    { id: "rouge_now", when: { day: "now", color: "rouge" } },
    { id: "always", when: { period: "hp" } },
  ],
};
const BOILER = {
  id: "boiler",
  name: { fr: "Chauffe-eau", en: "Boiler" },
  topic: "boiler/set",
  choose: [{ when: "rouge_now", payload: "off" }],
  else: "on",
};
/** It is not sent again, however slow the machine is. */
const CONFIRMED = { ...BOILER, confirm: { topic: "boiler", every: "1h" } };

describe.skipIf(withoutMosquitto)(`the topics of outputs ${withoutMosquitto}`, { concurrent: true }, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  /**
   * A vigie in a world of bleu days, and all messages of its broker. Its second source may be asked at a third start within a
   * minute, when the first one has had enough requests: nothing new is sent before an answer, or for 15 s.
   */
  async function start(outputs: unknown, state?: string): Promise<RunningVigie & { all: Observer }> {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const all = await observe(broker.url);
    cleanup.add(all.disconnect);
    const service = await startPlainService((path) => answerDays(path, Date.now(), { colors: {} }));
    cleanup.add(service.stop);
    const clock = systemClock;
    const official = await startSimulator({ port: 0, seed: 1, clock, sendDate: true, moved: bleuDays() });
    cleanup.add(official.stop);
    const running = await startVigieAndBroker(cleanup, {
      service: service.url,
      broker,
      here: true,
      config: { ...RULES, official: { source: official.url }, outputs },
      ...(state !== undefined && { state }),
    });
    await running.until({ availability: "online", "service/status": "ok" });
    return { ...running, all };
  }
  const pretend = ({ observer }: RunningVigie, color: string) =>
    observer.publish("vigie/simulation/set", color, false);
  const jsonOf = (running: RunningVigie) => JSON.parse(running.payloadOf("outputs/boiler") ?? "{}");
  const untilTold = (running: { all: Observer }, payloads: string[]) =>
    running.all.until(() => told(running).length >= payloads.length, `the boiler is told ${payloads}`);
  const told = ({ all }: { all: Observer }, to = "boiler/set") =>
    all.received.filter(({ topic }) => topic === to).map(({ payload }) => payload);

  test("follow a payload from nothing to confirmed, and are kept by once and by a restart", async () => {
    const running = await start([CONFIRMED]);
    const states = () =>
      running.observer.received
        .filter(({ topic }) => topic === "vigie/outputs/boiler/state")
        .map(({ payload }) => payload);
    const names = ["outputs/boiler/state", "outputs/boiler/payload", "outputs/boiler/since"];
    expect(Object.values(running.payloadsOf(...names))).toEqual(["nothing", "None", "None"]);
    await pretend(running, "rouge");
    await running.until({ "outputs/boiler/state": "waiting", "outputs/boiler/payload": "off" });
    await untilTold(running, ["off"]);
    await running.observer.publish("boiler", "on", false);
    await running.observer.until(
      () => jsonOf(running).last_answer === "on",
      "the device said something else",
    );
    expect(running.payloadOf("outputs/boiler/state")).toBe("waiting");
    await running.observer.publish("boiler", "off", false);
    await running.until({ "outputs/boiler/state": "confirmed", "outputs/boiler": /"state":"confirmed"/ });
    expect(jsonOf(running)).toEqual({
      state: "confirmed",
      payload: "off",
      since: running.payloadOf("outputs/boiler/since"),
      topic: "boiler/set",
      choice: "rouge_now",
      because: "rouge_now is ON",
      tries: 1,
      last_answer: "off",
      answered_at: expect.stringMatching(/^20/),
      away_since: null,
      next_try: null,
      address: null,
      would_send: null,
    });
    await running.vigie.says(/has confirmed/);
    const { lines } = running.vigie;
    const logged = lines.map(({ msg }) => msg).filter((msg) => msg.includes("Boiler"));
    expect(logged).toEqual([
      'Sent "off" to Boiler (boiler/set): rouge_now is ON',
      'Boiler (boiler/set) has confirmed "off": boiler reported "off"',
    ]);
    expect((await running.vigie.end()).code).toBe(0);
    const { code, stdout } = await runHere({ folder: running.folder, args: ["once"] });
    expect([code, stdout.match(/ outputs\/.*/g)]).toEqual([0, null]);
    const again = await cleanup.startVigie({ folder: running.folder, here: true });
    await again.says(/^Connected/);
    // The restart publishes it again.
    await running.observer.until(() => states().length > 3, "the state is published again");
    await pretend(running, "auto");
    await running.until({ "outputs/boiler/payload": "on" });
    await untilTold(running, ["off", "on"]);
    expect(told(running)).toEqual(["off", "on"]);
    expect(states()).toEqual(["nothing", "waiting", "confirmed", "confirmed", "waiting"]);
  });

  test("keep no start from its end after an edit by which a rule is OFF or another report is expected", async () => {
    const { else: _else, ...withoutElse } = CONFIRMED;
    const boiler = { ...withoutElse, choose: [{ when: "always", payload: "off" }] };
    const confirm = { topic: "heater", every: "1h" };
    const heater = { ...boiler, id: "heater", topic: "heater/set", confirm };
    const running = await start([boiler, heater]);
    const areTold = () => told(running).length > 0 && told(running, "heater/set").length > 0;
    await running.all.until(areTold, "both are told");
    await running.until({
      "outputs/boiler/state": "waiting",
      "outputs/boiler": /"payload":"off"/,
      "outputs/heater/state": "waiting",
      "outputs/heater": /"payload":"off"/,
    });
    await running.vigie.end();
    const edited = [
      { ...boiler, choose: [{ when: "rouge_now", payload: "off" }] },
      { ...heater, confirm: { ...confirm, expect: "OFF" } },
    ];
    await writeConfig(running.folder, { ...running.config, outputs: edited });
    running.observer.received.length = 0;
    const again = await cleanup.startVigie({ folder: running.folder, here: true });
    await again.says(/^Connected/);
    await running.observer.until(
      ({ received }) =>
        received.some(({ topic, payload }) => topic === "vigie/availability" && payload === "online"),
      "it is online",
    );
    await running.until({ "outputs/boiler/state": "sent", "outputs/heater/state": "waiting" });
    expect([told(running), told(running, "heater/set")]).toEqual([["off"], ["off"]]);
    expect((await again.end()).code).toBe(0);
  });

  test("say what a simulation would send, and the device gets nothing of it", async () => {
    const running = await start({ dry_when_simulated: true, list: [BOILER] });
    await pretend(running, "rouge");
    await running.until({ "outputs/boiler/state": "dry", "outputs/boiler": /"state":"dry"/ });
    expect(jsonOf(running)).toMatchObject({ state: "dry", payload: null, would_send: "off" });
    await pretend(running, "auto");
    await running.until({ "outputs/boiler/state": "nothing", "outputs/boiler": /"would_send":null/ });
    expect(told(running)).toEqual([]);
  });

  test("an update from the first release sends nothing again: its state file says what was sent", async () => {
    const folder = await cleanup.createFolder();
    await mkdir(join(folder, "state"));
    const sent = {
      payload: "off",
      expect: "off",
      at: Date.UTC(2026, 0, 5, 5),
      acknowledged: true,
      stands: true,
    };
    const outputs = { "boiler/set": { ...sent, answer: "heard" } };
    const state = { ...emptyState("abcdefghijkl"), outputs };
    await writeFile(join(folder, "state", "state.json"), serialiseState(state));
    const output = { ...CONFIRMED, choose: [{ when: "always", payload: "off" }] };
    const running = await start([output], folder);
    await running.until({
      "rules/always/state": "ON",
      "outputs/boiler/state": "confirmed",
      "outputs/boiler/payload": "off",
      "outputs/boiler/since": "2026-01-05T05:00:00Z",
    });
    await running.observer.publish("vigie/rules/always/enabled/set", "OFF", false);
    await running.until({ "outputs/boiler/payload": "on" });
    await untilTold(running, ["on"]);
    expect(told(running)).toEqual(["on"]);
  });
});
