import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { HTTP_DEVICES, type HttpRelay, startHttpRelay } from "../support/devices/http-devices.ts";
import { MQTT_DEVICES, type MqttRelay, startMqttRelay } from "../support/devices/mqtt-devices.ts";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { readPage, sectionOf, sectionsOf } from "../support/guide.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { type RunningVigie, startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";
import { type Example, examplesBelow, withServer } from "./page-blocks.ts";

const PAGE = readPage("docs/devices.md");
const OTHER_PARTS = ["When a device changes its mind", "Passwords over HTTP", "Another device"];
const ANYTIME = "2026-01-05T10:00:00Z";
const missing = withoutMosquitto || withoutFakeTime;

test("docs/devices.md has no device without a program that behaves like it", () => {
  const titles = sectionsOf(PAGE).map(({ title }) => title);
  expect(titles.filter((title) => !OTHER_PARTS.includes(title))).toEqual(Object.keys(MQTT_DEVICES));
});

test.each(Object.keys(MQTT_DEVICES))("docs/devices.md has one block for each interface of %s", (title) => {
  const [overMqtt, overHttp] = examplesBelow(PAGE, title).map(({ outputs }) => outputs[0]);
  expect(overMqtt).toHaveProperty("topic");
  expect(overMqtt).toHaveProperty("confirm.online");
  if (title in HTTP_DEVICES) expect(overHttp).toHaveProperty("url");
  else expect(overHttp).toBeUndefined();
});

test.each(Object.keys(MQTT_DEVICES))(
  "docs/devices.md has an address of the documentation, and its version or date: %s",
  (title) => {
    const text = sectionOf(PAGE, title).replaceAll("\n", " ");
    expect(text).toMatch(/Follows .*\(https:\/\//);
    expect(text).toMatch(/version|since \d|as of \d{4}-\d\d-\d\d/);
  },
);

describe.skipIf(missing)(`the lines of docs/devices.md ${missing}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.each(Object.entries(MQTT_DEVICES))(
    "%s: is switched off and on, confirms, and is not believed when it disobeys",
    async (title, documented) => {
      const { running, relay } = await startMqttHouse(title, 1, withQuickConfirmation);
      await running.until({ "outputs/boiler/state": "nothing" });

      await pretend(running, "rouge");
      await running.until({ "outputs/boiler/state": "confirmed", "outputs/boiler": /"state":"confirmed"/ });
      const off = running.payloadOf("outputs/boiler/payload");
      expect(relay.isOn()).toBe(false);

      await pretend(running, "auto");
      await running.observer.until(
        () => running.payloadOf("outputs/boiler/payload") !== off,
        "it is told to be on",
      );
      await expect.poll(() => relay.isOn()).toBe(true);
      const confirmations = () => running.vigie.lines.filter(({ msg }) => msg.includes("has confirmed"));
      await expect.poll(confirmations).toHaveLength(2);

      relay.disobey();
      await pretend(running, "rouge");
      await running.until({
        "outputs/boiler/state": "failed",
        "outputs/boiler": /"state":"failed".*"last_answer":"(on|ON|1|true|.*\\"ON\\".*)"/,
        "service/problem_code": "output",
        "service/failed_outputs": `boiler (${documented.takes})`,
      });
      expect(running.payloadOf("outputs/boiler/payload")).toBe(off);
      expect(relay.refused).toEqual([]);
    },
  );

  test.each(Object.keys(MQTT_DEVICES))(
    "readme: A command is obeyed · %s: is kept off over the button, a power cut with a report, and one without, and is away in between",
    async (title) => {
      const { running, relay } = await startMqttHouse(title, 10);
      await pretend(running, "rouge");
      await isOffAgain(running, relay);

      relay.press();
      await isOffAgain(running, relay);

      await relay.cutPower();
      await running.until({ "outputs/boiler/state": "sent", "outputs/boiler": /"away_since":"20/ });
      await relay.returnPower({ reports: true });
      await isOffAgain(running, relay);
      await running.until({ "outputs/boiler": /"away_since":null/ });

      await relay.cutPower();
      await relay.returnPower({ reports: false });
      await isOffAgain(running, relay);
      expect(relay.refused).toEqual([]);
    },
  );

  test("the button wins while only else is in force, and without keep", async () => {
    const { running, relay } = await startMqttHouse("Tasmota", 10);
    await pretend(running, "rouge");
    await isOffAgain(running, relay);
    await pretend(running, "auto");
    // What it reports within a second is one report: the button is pressed when that is judged.
    await running.vigie.prints(/has confirmed [^:]*ON/);
    const told = relay.told.length;
    relay.press();
    await running.until({ "outputs/boiler/state": "contrary" });
    // A minute of vigie: twice as long as it waits before it tells a device again.
    await pause(6_000);
    expect(relay.told).toHaveLength(told);
    expect(relay.isOn()).toBe(false);
  });

  test.each(Object.keys(HTTP_DEVICES))(
    "%s over HTTP: is switched off and on, confirms, and is kept off over the button and a power cut",
    async (title) => {
      const { running, relay } = await startHttpHouse({ title, block: 1 });
      await pretend(running, "rouge");
      await isOffAgain(running, relay);

      relay.press();
      await isOffAgain(running, relay);

      await relay.cutPower();
      await pause(1_000);
      await relay.returnPower();
      await isOffAgain(running, relay);

      await pretend(running, "auto");
      await expect.poll(relay.isOn, { timeout: PATIENCE }).toBe(true);
      await running.until({ "outputs/boiler/state": "confirmed" });
      expect(relay.refused).toEqual([]);
    },
  );

  test.each([
    { title: "Tasmota", block: 2, behaviour: "Tasmota", secret: "pass word&1" },
    {
      title: "Passwords over HTTP",
      block: 0,
      behaviour: "Shelly, first generation",
      secret: Buffer.from("admin:pass word&1").toString("base64"),
    },
  ])("$behaviour over HTTP: obeys with its password, which nobody sees", async (given) => {
    const { running, relay } = await startHttpHouse({ ...given, password: "pass word&1" });
    await pretend(running, "rouge");
    await isOffAgain(running, relay);
    expect(relay.refused).toEqual([]);
    const published = running.observer.received.map(({ payload }) => payload).join("\n");
    const saved = await readFile(join(running.folder, "state", "state.json"), "utf8");
    for (const seen of [published, saved, running.vigie.output()]) {
      for (const secret of [given.secret, encodeURIComponent(given.secret), "/relay/0", "/cm"])
        expect(seen).not.toContain(secret);
    }
  });

  test("a Shelly of the second generation with a password refuses, and vigie says so", async () => {
    const { running, relay } = await startHttpHouse({
      title: "Shelly, second generation and later",
      block: 1,
      password: "pass word&1",
    });
    await pretend(running, "rouge");
    await running.vigie.says(/401/);
    await running.until({ "outputs/boiler/state": "failed", "service/problem_code": "output" });
    expect(relay.isOn()).toBe(true);
  });

  async function startMqttHouse(title: string, pace: number, change = (example: Example) => example) {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const relay = await startMqttRelay(MQTT_DEVICES[title]!, broker.url);
    cleanup.add(relay.disconnect);
    const [example] = examplesBelow(PAGE, title);
    const running = await startHouse(change(example!), { broker, pace });
    return { running, relay };
  }

  async function startHttpHouse(given: HttpHouse) {
    const { title, block, behaviour = title, password, secret = "" } = given;
    const relay = await startHttpRelay(HTTP_DEVICES[behaviour]!, password);
    cleanup.add(relay.stop);
    const folder = await cleanup.createFolder();
    const { rules } = examplesBelow(PAGE, behaviour)[0]!;
    const { outputs } = examplesBelow(PAGE, title)[block]!;
    const example = await withServer({ rules, outputs }, { url: relay.url, folder, secret });
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    // vigie asks a device every five minutes, which are ten seconds here.
    const running = await startHouse(example, { broker, pace: 30 });
    return { running, relay };
  }

  /** A day that is all peak, with time that runs this many times as fast for vigie alone. */
  async function startHouse(example: Example, { broker, pace }: { broker: Broker; pace: number }) {
    const time = pace === 1 ? undefined : startFakeTime(ANYTIME, pace);
    const now = () => time?.clock.now() ?? Date.now();
    const service = await startPlainService((path) => answerDays(path, now(), { colors: {} }));
    cleanup.add(service.stop);
    const running = await startVigieAndBroker(cleanup, {
      service: service.url,
      broker,
      ...(time && { time }),
      config: { ...example, tariff: { off_peak: [] } },
    });
    await running.until({ availability: "online", "service/status": "ok" });
    return running;
  }
});

type Broker = Awaited<ReturnType<typeof startMosquitto>>;

interface HttpHouse {
  /** Of the part of the page. */
  title: string;
  /** Which configuration of that part. */
  block: number;
  /** The device, where the part is about several. */
  behaviour?: string;
  password?: string;
  secret?: string;
}

/** `auto` ends it. */
async function pretend({ observer }: RunningVigie, color: string): Promise<void> {
  const command = color === "auto" ? color : JSON.stringify({ color, from: "now", for: "10h" });
  await observer.publish("vigie/simulation/set", command, false);
}

async function isOffAgain(running: RunningVigie, relay: Pick<MqttRelay | HttpRelay, "isOn">): Promise<void> {
  await expect.poll(relay.isOn, { timeout: PATIENCE, message: running.vigie.output() }).toBe(false);
  await running.until({ "outputs/boiler/state": "confirmed" });
}

/** With a device that is given up after 5 s. */
function withQuickConfirmation({ rules, outputs }: Example): Example {
  const quick = outputs.map((output) => ({
    ...output,
    confirm: { ...(output["confirm"] as object), every: "5s", for: "5s" },
  }));
  return { rules, outputs: quick };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
