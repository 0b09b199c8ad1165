import { expect, onTestFinished, test, vi } from "vitest";
import type { HomeAssistantStatus } from "../../src/core/discovery/describe-device.ts";
import type { BrokerLink } from "../../src/mqtt/base-connection.ts";
import { PublishRefused } from "../../src/mqtt/broker-errors.ts";
import { type DiscoveryOptions, startDiscovery } from "../../src/mqtt/discovery-publisher.ts";
import { testDescription } from "../support/device-description.ts";

const refuse = () => Promise.reject(new PublishRefused("The broker refuses ha/device/vigie/config"));
/** Discovery of a device without entities, over a publisher that has nothing to do. */
const startTestDiscovery = (more: Partial<DiscoveryOptions> = {}) =>
  startDiscovery({
    description: testDescription({ prefix: "ha" }),
    status_topic: "homeassistant/status",
    publisher: {
      pauseClearing: () => () => undefined,
      republishAll: () => undefined,
      allAcknowledged: async () => undefined,
    },
    homeAssistantMayKnowDevice: false,
    random: () => 0,
    problemLog: { starts: () => undefined, isOver: () => undefined },
    post: () => undefined,
    ...more,
  });

const link = (publish: BrokerLink["publish"]): BrokerLink => ({
  version: 5,
  publish,
  subscribe: async () => undefined,
  unsubscribe: async () => undefined,
  waitForRetained: async () => undefined,
  readRetained: async () => new Map(),
  closed: new Promise(() => undefined),
});

test("discovery messages that the broker refuses do not count as published; the next connection sends them", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const problems: string[] = [];
  const discovery = startTestDiscovery({
    problemLog: { starts: (key) => problems.push(key), isOver: () => undefined },
  });
  let areAllPublished = false;
  void discovery.allPublished().then(() => {
    areAllPublished = true;
  });
  discovery.connected(link(refuse));
  await vi.advanceTimersByTimeAsync(10_000);
  expect({ problems, areAllPublished }).toEqual({ problems: ["discovery"], areAllPublished: false });
  discovery.connected(link(async () => undefined));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(areAllPublished).toBe(true);
  await discovery.stop();
});

test("what Home Assistant says of itself is known, retained or not", () => {
  let newest: HomeAssistantStatus = null;
  const discovery = startTestDiscovery({
    post: ({ status }) => {
      newest = status;
    },
  });
  const says = (topic: string, payload: string, retain: boolean) => {
    discovery.take({ topic, payload, retain });
    return newest;
  };
  expect(says("homeassistant/status", "online", true)).toBe("online");
  expect(says("homeassistant/other", "offline", false)).toBe("online");
  expect(says("homeassistant/status", "restarting", false)).toBe("online");
  expect(says("homeassistant/status", "offline", false)).toBe("offline");
});

test("what Home Assistant said before the connection was lost is not known any more: it may have ended meanwhile", async () => {
  const posted: HomeAssistantStatus[] = [];
  const discovery = startTestDiscovery({ post: ({ status }) => posted.push(status) });
  let close: (why: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => {
    close = resolve;
  });
  discovery.connected({ ...link(async () => undefined), closed });
  discovery.take({ topic: "homeassistant/status", payload: "online", retain: false });
  expect(posted).toEqual(["online"]);
  close("The broker has ended");
  await expect.poll(() => posted).toEqual(["online", null]);
  await discovery.stop();
});
