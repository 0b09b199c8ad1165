import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { letTimePass } from "../support/fast-timers.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { startOldBroker } from "../support/old-broker.ts";
import { PUBACK, SUBACK, startOmittingProxy } from "../support/omitting-proxy.ts";
import { PATIENCE } from "../support/patience.ts";
import { keepPublishing, topics } from "../support/publisher.ts";
import { createCleanup } from "../support/vigie.ts";

// mosquitto drops its own answers when it has more than 1,000 packets to send to a connection.
describe.skipIf(withoutMosquitto)(`a broker that drops some of its answers ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  let port: number;
  let url: string;
  beforeAll(async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    ({ port, url } = broker);
  });
  afterAll(cleanup.run);

  /** Time stands still, but for `passUntil`. */
  const stopTimers = () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
  };
  /** Time passes ten times as fast as it does, unless told otherwise. */
  const passUntil = async <Value>(promise: Promise<Value>, speed = 10): Promise<Value> => {
    return promise.finally(letTimePass(speed));
  };

  const publishOver = async (base_topic: string, version: 4 | 5 = 5) => {
    const old = version === 4 ? await startOldBroker(port) : null;
    if (old) cleanup.add(old.stop);
    const proxy = await startOmittingProxy(old ? Number(new URL(old.url).port) : port);
    cleanup.add(proxy.stop);
    const kept = keepPublishing(proxy.url, { broker: { base_topic } });
    cleanup.add(kept.publisher.stop);
    return { proxy, ...kept };
  };

  test.each([
    [5, 19],
    [4, 99],
  ] as const)(
    "keeps its connection, also if all that it awaits is lost, and closes it at once (MQTT %d, %d messages)",
    async (version, awaited) => {
      stopTimers();
      const { proxy, publisher, lines } = await publishOver(`lost/acknowledgement${version}`, version);
      publisher.setTopics(topics({ color: "bleu" }));
      await passUntil(publisher.allAcknowledged());
      const names = Array.from({ length: 120 }, (_, index) => [`topic${index}`, "rouge"]);
      proxy.omit(PUBACK, awaited);
      publisher.setTopics(topics({ color: "rouge", ...Object.fromEntries(names) }));
      await passUntil(publisher.allAcknowledged());
      expect(proxy.omitted()).toBe(awaited);
      expect(publisher.state().connected).toBe(true);
      expect(lines.filter((line) => line.includes("was lost"))).toEqual([]);
      const begun = Date.now();
      await passUntil(publisher.stop("reload"), 1);
      // If it does not end by itself, the connection is cut off after 1.5 s.
      expect(Date.now() - begun).toBeLessThan(1_400);
    },
  );

  test("hears commands, though the answer to a subscription is lost", async () => {
    const observer = await observe(url, "lost/subscription/#");
    cleanup.add(observer.disconnect);
    stopTimers();
    const { proxy, publisher, commands } = await publishOver("lost/subscription");
    proxy.omit(SUBACK, 1);
    publisher.setTopics(topics({ color: "bleu" }));
    await expect.poll(() => proxy.omitted(), { timeout: PATIENCE }).toBe(1);
    const isConnected = () =>
      expect.poll(() => publisher.state().connected, { timeout: PATIENCE }).toBe(true);
    await passUntil(Promise.resolve(isConnected()));
    await observer.publish("lost/subscription/refresh/set", "PRESS", false);
    await expect.poll(() => commands.length, { timeout: PATIENCE }).toBe(1);
  });

  test("that may not be read at all is named soon, and vigie goes on when it may read", async () => {
    const strict = await startMosquitto({
      lines: ["allow_anonymous true", "acl_file FOLDER/acl"],
      files: { acl: "topic write vigie/#\n" },
    });
    cleanup.add(strict.remove);
    stopTimers();
    const begun = Date.now();
    const { publisher, lines } = keepPublishing(strict.url);
    cleanup.add(publisher.stop);
    publisher.setTopics(topics({ color: "bleu" }));
    const isSaid = () => expect.poll(() => lines, { timeout: PATIENCE }).not.toEqual([]);
    await passUntil(Promise.resolve(isSaid()), 3);
    expect(lines).toEqual([
      "The broker accepts messages from vigie and sends none back. Check that this user may also read below the base topic",
    ]);
    expect(Date.now() - begun).toBeLessThan(20_000);
    await strict.renew({ acl: "topic readwrite vigie/#\n" });
    await passUntil(publisher.allAcknowledged());
    const observer = await observe(strict.url, "vigie/#");
    cleanup.add(observer.disconnect);
    await observer.until(
      ({ retained }) =>
        retained.get("vigie/availability") === "online" && retained.get("vigie/color") === "bleu",
      "all topics are there",
    );
  });
});
