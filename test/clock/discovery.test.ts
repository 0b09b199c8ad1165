import { afterEach, describe, expect, test } from "vitest";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { observe, type ReceivedMessage, readRetained } from "../support/observer.ts";
import { type RunningVigie, startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup, runVigie, writeConfig } from "../support/vigie.ts";

const without = withoutMosquitto || withoutFakeTime;
const SPEED = 10;
/** Home Assistant needs this long between two messages on one device. */
const APART = 2_000 / SPEED;
const DEVICE = "homeassistant/device/vigie/config";
const RULE = { id: "red", when: { day: "now", color: "rouge" } };
const INVENTED = { base_url: "simulator", allow_simulator: true };

describe.skipIf(without)(`the discovery messages on the broker ${without}`, () => {
  const cleanup = createCleanup();
  afterEach(cleanup.run);

  /** Ten times as fast as in life; everything on the broker is seen. */
  async function open(config: Record<string, unknown> = {}) {
    const time = startFakeTime("2026-01-05T12:00:00Z", SPEED);
    let all: RunningVigie["observer"] | undefined;
    const beforeStart = async (url: string) => {
      all = await observe(url);
      cleanup.add(all.disconnect);
    };
    const running = await startVigieAndBroker(cleanup, {
      service: "simulator",
      time,
      beforeStart,
      config: { service: INVENTED, rules: [RULE], ...config },
    });
    if (!all) throw new Error("Expected an observer");
    const observer = all;
    await observer.until(
      ({ retained }) => retained.has(DEVICE) || config["homeassistant"] !== undefined,
      "the device is announced",
    );
    const configure = (change: Record<string, unknown>) =>
      writeConfig(running.folder, { ...running.config, ...change });
    const start = () => cleanup.startVigie({ folder: running.folder, env: time.env() });
    const messages = (topic: string | RegExp, from = 0) =>
      observer.received
        .slice(from)
        .filter((received) =>
          typeof topic === "string" ? received.topic === topic : topic.test(received.topic),
        );
    return { ...running, observer, time, configure, start, messages };
  }

  const keysOf = ({ payload }: ReceivedMessage) => Object.keys(JSON.parse(payload).components);
  const indexOf = (all: readonly ReceivedMessage[], received: ReceivedMessage | undefined) =>
    received ? all.indexOf(received) : -1;

  test("comes once all topics that it names are published, and not again after a restart", async () => {
    const { observer, messages, vigie, start } = await open();
    const { received } = observer;
    const [told] = messages(DEVICE);
    const online = received.find(
      ({ topic, payload }) => topic === "vigie/availability" && payload === "online",
    );
    expect(indexOf(received, told)).toBeGreaterThan(indexOf(received, online));
    const named = Object.values<Record<string, string>>(JSON.parse(told?.payload ?? "").components).flatMap(
      ({ state_topic }) => state_topic ?? [],
    );
    expect(named.filter((topic) => topic !== "vigie/event" && !observer.retained.has(topic))).toEqual([]);
    await vigie.end();
    const from = received.length;
    await start();
    await observer.until(() => messages("vigie/owner", from).length > 0, "vigie is back");
    await observer.until(() => messages("vigie/owner/ping", from).length > 1, "it has looked");
    expect(messages(DEVICE, from)).toEqual([]);
  });

  test("a rule that is removed while vigie is down is removed in two steps, and only then are its topics cleared", async () => {
    const { observer, messages, vigie, configure, start } = await open();
    await vigie.end();
    await configure({ rules: [] });
    const from = observer.received.length;
    await start();
    await observer.until(
      ({ retained }) => ![...retained.keys()].some((topic) => topic.startsWith("vigie/rules/")),
      "its topics are cleared",
    );
    const [reduced, rest, ...more] = messages(DEVICE, from);
    expect(more).toEqual([]);
    expect(JSON.parse(reduced?.payload ?? "").components.rules_red_state).toEqual({
      platform: "binary_sensor",
    });
    expect(rest && keysOf(rest).filter((key) => key.includes("red_"))).toEqual([]);
    expect((rest?.at ?? 0) - (reduced?.at ?? 0)).toBeGreaterThanOrEqual(APART);
    const cleared = messages(/^vigie\/rules\/red/, from).filter(({ payload }) => payload === "");
    expect(cleared.length).toBeGreaterThan(6);
    expect(Math.min(...cleared.map((one) => indexOf(observer.received, one)))).toBeGreaterThan(
      indexOf(observer.received, rest),
    );
  });

  test("a rule that is taken away and put back at once, or whose vigie is stopped meanwhile, keeps its topics", async () => {
    const { observer, messages, configure, vigie } = await open();
    const from = observer.received.length;
    await configure({ rules: [] });
    await vigie.says(/new configuration is in force/);
    const back = vigie.lines.length;
    await configure({ rules: [RULE] });
    await vigie.says(/new configuration is in force/, back);
    // Long enough for a removal that had gone on.
    await new Promise((resolve) => setTimeout(resolve, 8_000 / SPEED));
    expect(messages(/^vigie\/rules\/red/, from).filter(({ payload }) => payload === "")).toEqual([]);
    const lines = vigie.lines.length;
    await configure({ rules: [] });
    await vigie.says(/new configuration is in force/, lines);
    await vigie.end();
    expect(messages(/^vigie\/rules\/red/, from).filter(({ payload }) => payload === "")).toEqual([]);
    expect(observer.retained.has("vigie/rules/red/state")).toBe(true);
  });

  test("two changes in one second are two messages with time between them", async () => {
    const { observer, messages, configure, vigie } = await open();
    const from = observer.received.length;
    await configure({ homeassistant: { language: "en" } });
    await vigie.says(/new configuration is in force/);
    await configure({ homeassistant: { language: "fr", exclude: ["now_slot"] } });
    const isLast = (received: ReceivedMessage) => !keysOf(received).includes("now_slot");
    await observer.until(() => messages(DEVICE, from).some(isLast), "the last settings count");
    const times = [...messages(DEVICE, 0), ...messages(DEVICE, from)]
      .map(({ at }) => at)
      .toSorted((one, other) => one - other);
    const gaps = [...new Set(times)].slice(1).map((at, index) => at - ([...new Set(times)][index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(APART);
  });

  test("after the start of Home Assistant everything is published again, a moment later and once; a retained start message is an old one", async () => {
    const { observer, messages } = await open();
    await observer.until(() => messages("vigie/owner/ping").length > 2, "it has looked");
    const from = observer.received.length;
    const born = Date.now();
    for (let times = 0; times < 3; times += 1)
      await observer.publish("homeassistant/status", "online", false);
    await observer.until(() => messages(DEVICE, from).length > 0, "it is told again");
    const delay = (messages(DEVICE, from)[0]?.at ?? 0) - born;
    expect(delay).toBeGreaterThanOrEqual(2_000 / SPEED - 20);
    expect(messages("vigie/now/color", from)).toHaveLength(1);
    expect(messages("vigie/availability", from).map(({ payload }) => payload)).toEqual(["online"]);
    const later = observer.received.length;
    await observer.publish("homeassistant/status", "online", true);
    await new Promise((resolve) => setTimeout(resolve, 11_000 / SPEED));
    expect(messages(DEVICE, later)).toEqual([]);
  });

  test("what was announced elsewhere is taken back, also when that changed while vigie was away", async () => {
    const { broker, configure, vigie, start } = await open();
    await configure({ homeassistant: { prefix: "other" } });
    const kept = async () =>
      [...(await readRetained(broker.url)).keys()].filter((topic) => topic.includes("/config")).toSorted();
    await expect.poll(kept).toEqual(["other/device/vigie/config"]);
    await vigie.end();
    await configure({ instance: "after" });
    await start();
    await expect.poll(kept).toEqual(["homeassistant/device/after/config"]);
    await expect
      .poll(async () =>
        [...(await readRetained(broker.url)).keys()].filter((topic) => topic.startsWith("vigie/")),
      )
      .toEqual([]);
  });

  test("a purge takes the announcement back first, and the topics when Home Assistant has forgotten them", async () => {
    const { observer, messages, vigie, folder, time, broker } = await open();
    await vigie.end();
    const from = observer.received.length;
    const { code } = await runVigie({ folder, args: ["purge"], env: time.env() });
    expect(code).toBe(0);
    const [gone] = messages(DEVICE, from);
    expect(gone?.payload).toBe("");
    const [cleared] = messages(/^vigie\/now\//, from);
    expect((cleared?.at ?? 0) - (gone?.at ?? 0)).toBeGreaterThanOrEqual(APART);
    expect([...(await readRetained(broker.url)).keys()]).toEqual([]);
  });

  test("where discovery is off nothing is announced, and what had been is taken back", async () => {
    const { broker, configure, messages } = await open();
    await configure({ homeassistant: { discovery: "off" } });
    const kept = async () =>
      [...(await readRetained(broker.url)).keys()].filter((topic) => topic.startsWith("homeassistant/"));
    await expect.poll(kept).toEqual([]);
    await expect.poll(() => messages(DEVICE).at(-1)?.payload).toBe("");
  });
});
