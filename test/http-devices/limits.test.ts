import { describe, expect, test } from "vitest";
import type { DeviceResponse, RequestDevice } from "../../src/http-devices/request-device.ts";
import { httpOutput, manualClock, openSink, questionOf, sendOf, settled, startDevice } from "./devices.ts";

const HOST = "http://192.0.2.40";
const OTHER = "http://192.0.2.41";
const FINE: DeviceResponse = { status: 200, headers: new Map(), body: Buffer.from("on") };

/** Devices that answer when the test says so, or at once. */
function slowDevices(answersAtOnce = false) {
  const begun: string[] = [];
  const underWay = new Map<string, () => void>();
  const request: RequestDevice = ({ url }, signal) => {
    const path = url.slice("http://".length);
    begun.push(path);
    if (answersAtOnce) return Promise.resolve(FINE);
    return new Promise((resolve, reject) => {
      underWay.set(path, () => {
        underWay.delete(path);
        resolve(FINE);
      });
      signal.addEventListener("abort", () => {
        underWay.delete(path);
        reject(signal.reason);
      });
    });
  };
  const answer = async (path: string) => {
    underWay.get(path)?.();
    await settled();
  };
  return { request, begun, underWay, answer };
}

/** The outputs 1 to `count` at this host. */
function outputsAt(host: string, count: number, first = 1) {
  return Array.from({ length: count }, (_, index) => {
    const id = String(first + index);
    return httpOutput(`${host}/${id}`, { id, confirmUrl: `${host}/state/${id}` });
  });
}

const sendings = (...ids: number[]) => ids.map((id) => sendOf(id, "on", String(id)));
const questions = (...ids: number[]) => ids.map((id) => questionOf(id, String(id)));

describe("a host", () => {
  test("gets sixteen requests at once, first come first served", async () => {
    const { clock } = manualClock();
    const devices = slowDevices();
    const sink = openSink(outputsAt(HOST, 18), { clock, request: devices.request });
    const ids = [3, 1, 2, ...Array.from({ length: 15 }, (_, index) => index + 4)];
    sink.show(sendings(...ids), []);
    await settled();
    expect(devices.begun).toEqual(ids.slice(0, 16).map((id) => `192.0.2.40/${id}`));
    await devices.answer("192.0.2.40/1");
    expect(devices.begun.slice(16)).toEqual(["192.0.2.40/17"]);
    await devices.answer("192.0.2.40/3");
    expect(devices.begun.slice(17)).toEqual(["192.0.2.40/18"]);
  });

  test("of which eight devices hang gets the requests to the others at once, sendings and questions", async () => {
    const { clock } = manualClock();
    const devices = slowDevices();
    const sink = openSink(outputsAt(HOST, 12), { clock, request: devices.request });
    const hanging = [1, 2, 3, 4, 5, 6, 7, 8];
    sink.show(sendings(...hanging), []);
    await settled();
    sink.show(sendings(...hanging, 9, 10), questions(11, 12));
    await settled();
    expect(devices.begun.slice(8)).toEqual(
      ["9", "10", "state/11", "state/12"].map((path) => `192.0.2.40/${path}`),
    );
  });

  test("gets first the sendings, and then the questions, to those that answered the last time", async () => {
    const { clock, pass } = manualClock();
    const devices = slowDevices();
    const sink = openSink(outputsAt(HOST, 40), { clock, request: devices.request });
    const silent = Array.from({ length: 20 }, (_, index) => index + 1);
    const numbers = silent.map((id) => id + 100);
    sink.show(sendings(...silent), []);
    await pass(20_000);
    expect(sink.events).toHaveLength(20);
    sink.show(
      silent.map((id) => sendOf(id + 100, "on", String(id))),
      [],
    );
    await settled();
    sink.show(
      [...numbers.map((number) => sendOf(number, "on", String(number - 100))), sendOf(30, "on", "30")],
      questions(19, 31),
    );
    await pass(10_000);
    expect(devices.begun[36]).toBe("192.0.2.40/30");
    await pass(10_000);
    const asked = devices.begun.filter((path) => path.includes("state"));
    expect(asked[0]).toBe("192.0.2.40/state/31");
  });

  test("gets 60 requests in any minute, and another host does not wait for it", async () => {
    const { clock, pass } = manualClock();
    const devices = slowDevices(true);
    const list = [...outputsAt(HOST, 100), ...outputsAt(OTHER, 1, 101)];
    const sink = openSink(list, { clock, request: devices.request });
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    sink.show(sendings(...ids), []);
    await settled();
    await pass(20_000);
    sink.show(sendings(...ids.map((id) => id + 30), ...ids.map((id) => id + 60), 101), []);
    await settled();
    expect(devices.begun.filter((path) => path.startsWith("192.0.2.40"))).toHaveLength(60);
    expect(devices.begun).toContain("192.0.2.41/101");
    await pass(39_999);
    expect(devices.begun).toHaveLength(61);
    await pass(1);
    expect(devices.begun).toHaveLength(91);
    expect(sink.events).toHaveLength(91);
  });

  test("gets sendings before questions", async () => {
    const { clock } = manualClock();
    const devices = slowDevices();
    const sink = openSink(outputsAt(HOST, 20), { clock, request: devices.request });
    const first = Array.from({ length: 16 }, (_, index) => index + 1);
    sink.show(sendings(...first), []);
    sink.show(sendings(...first), questions(17, 18));
    sink.show(sendings(...first, 19, 20), questions(17, 18));
    await settled();
    for (const path of [1, 2, 3, 4]) await devices.answer(`192.0.2.40/${path}`);
    expect(devices.begun.slice(16)).toEqual(
      ["19", "20", "state/17", "state/18"].map((path) => `192.0.2.40/${path}`),
    );
  });

  test("that hangs delays what goes beyond sixteen by ten seconds, counted from when each begins", async () => {
    const { clock, pass } = manualClock();
    const devices = slowDevices();
    const sink = openSink(outputsAt(HOST, 17), { clock, request: devices.request });
    sink.show(sendings(...Array.from({ length: 17 }, (_, index) => index + 1)), []);
    await pass(10_000);
    expect(sink.events.map((event) => event.kind)).toEqual(Array(16).fill("unanswered"));
    await pass(9_999);
    expect(sink.events).toHaveLength(16);
    await pass(1);
    expect(sink.events).toHaveLength(17);
  });

  test("that hangs delays no other, over real connections", async () => {
    const [hanging, quick] = [await startDevice(() => undefined), await startDevice()];
    const list = [
      ...[1, 2, 3].map((id) => httpOutput(`${hanging.place}/x`, { id: String(id) })),
      httpOutput(`${quick.place}/x`, { id: "4" }),
    ];
    const sink = openSink(list);
    sink.show(sendings(1, 2, 3, 4), []);
    expect(await sink.posted(1)).toEqual([{ kind: "acknowledged", number: 4 }]);
    await expect.poll(() => hanging.heard.length).toBe(3);
  });
});

describe("an output", () => {
  const open = () => {
    const { clock } = manualClock();
    const devices = slowDevices();
    const output = httpOutput(`${HOST}/{payload}`, { id: "1", confirmUrl: `${HOST}/state` });
    return { devices, ...openSink([output], { clock, request: devices.request }) };
  };

  test("gets one request at a time, in order", async () => {
    const { devices, show, events } = open();
    show([sendOf(1, "on", "1")], []);
    show([sendOf(2, "off", "1")], questions(1));
    await settled();
    expect(devices.begun).toEqual(["192.0.2.40/on"]);
    await devices.answer("192.0.2.40/on");
    await devices.answer("192.0.2.40/off");
    expect(devices.begun.slice(1)).toEqual(["192.0.2.40/off", "192.0.2.40/state"]);
    expect(events).toEqual([
      { kind: "acknowledged", number: 1 },
      { kind: "acknowledged", number: 2 },
    ]);
  });

  test("is sent a number once, and asked once, however long it is due", async () => {
    const { devices, show, events } = open();
    for (let time = 0; time < 3; time += 1) {
      show([sendOf(1, "on", "1")], questions(1));
      await settled();
      await devices.answer("192.0.2.40/on");
      await devices.answer("192.0.2.40/state");
    }
    expect(devices.begun).toEqual(["192.0.2.40/on", "192.0.2.40/state"]);
    expect(events).toEqual([
      { kind: "acknowledged", number: 1 },
      { kind: "answer", number: 1, payload: "on" },
    ]);
  });

  test("is not sent what is not due any more when its turn comes", async () => {
    const { devices, show, events } = open();
    show([sendOf(1, "on", "1")], []);
    show([sendOf(2, "off", "1")], questions(1));
    show([], []);
    await settled();
    await devices.answer("192.0.2.40/on");
    expect(devices.begun).toEqual(["192.0.2.40/on"]);
    expect(events).toEqual([{ kind: "acknowledged", number: 1 }]);
  });

  test("is not sent a number twice that is due again while it is under way", async () => {
    const { devices, show } = open();
    show([sendOf(1, "on", "1")], []);
    show([], []);
    show([sendOf(1, "on", "1")], []);
    await settled();
    await devices.answer("192.0.2.40/on");
    expect(devices.begun).toEqual(["192.0.2.40/on"]);
  });

  test("that is being asked is sent the payload at once, and the question is dropped", async () => {
    const { devices, show, events } = open();
    show([], questions(1));
    await settled();
    show([sendOf(1, "on", "1")], []);
    await settled();
    expect(devices.begun).toEqual(["192.0.2.40/state", "192.0.2.40/on"]);
    expect([...devices.underWay.keys()]).toEqual(["192.0.2.40/on"]);
    await devices.answer("192.0.2.40/on");
    expect(events).toEqual([{ kind: "acknowledged", number: 1 }]);
  });

  test("is asked no more when the question is not due any more", async () => {
    const { devices, show, events } = open();
    show([], questions(1));
    await settled();
    show([], []);
    await settled();
    expect(devices.underWay.size).toBe(0);
    expect(events).toEqual([]);
  });

  test("over MQTT is left to the broker", async () => {
    const { devices, show, events } = open();
    const by = { kind: "mqtt", connection: 1, topic: "x", qos: 1, retain: false } as const;
    show([{ number: 1, output: "1", payload: "on", by }], []);
    await settled();
    expect(devices.begun).toEqual([]);
    expect(events).toEqual([]);
  });

  test("that does not exist is left alone", async () => {
    const { devices, show } = open();
    show([sendOf(1, "on", "gone")], [questionOf(1, "gone")]);
    await settled();
    expect(devices.begun).toEqual([]);
  });
});

describe("the end", () => {
  test("waits for the answers to sendings that have begun, and for no other", async () => {
    const { clock } = manualClock();
    const devices = slowDevices();
    const sink = openSink(outputsAt(HOST, 3), { clock, request: devices.request });
    sink.show(sendings(1), questions(2));
    let areAnswered = false;
    const waiting = sink.allAnswered().then(() => {
      areAnswered = true;
    });
    await settled();
    expect(areAnswered).toBe(false);
    await devices.answer("192.0.2.40/1");
    await waiting;
    expect(sink.events).toEqual([{ kind: "acknowledged", number: 1 }]);
  });

  test("ends requests under way, begins nothing, and posts which sendings may have arrived", async () => {
    const device = await startDevice(() => undefined);
    const ids = Array.from({ length: 17 }, (_, index) => index + 1);
    const sink = openSink(ids.map((id) => httpOutput(`${device.place}/x`, { id: String(id) })));
    sink.show(sendings(...ids), []);
    await expect.poll(() => device.heard.length).toBe(16);
    await sink.stop();
    sink.show(sendings(18), []);
    await expect.poll(() => device.connections.open.size).toBe(0);
    await settled();
    expect(sink.events).toHaveLength(17);
    const cutOff = (number: number) => ({ kind: "cut off", number, mayHaveArrived: number <= 16 });
    expect(sink.events).toEqual(expect.arrayContaining(ids.map(cutOff)));
    expect(device.connections.count).toBe(16);
  });

  test("sends nothing that waits for the limit of a minute", async () => {
    const { clock, pass } = manualClock();
    const devices = slowDevices(true);
    const sink = openSink(outputsAt(HOST, 61), { clock, request: devices.request });
    sink.show(sendings(...Array.from({ length: 61 }, (_, index) => index + 1)), []);
    await settled();
    await sink.stop();
    await pass(120_000);
    expect(devices.begun).toHaveLength(60);
  });
});
