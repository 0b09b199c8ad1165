import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
      const { proxy, publisher, lines } = await publishOver(`lost/acknowledgement${version}`, version);
      publisher.setTopics(topics({ color: "bleu" }));
      await publisher.allAcknowledged();
      const names = Array.from({ length: 120 }, (_, index) => [`topic${index}`, "rouge"]);
      proxy.omit(PUBACK, awaited);
      publisher.setTopics(topics({ color: "rouge", ...Object.fromEntries(names) }));
      await publisher.allAcknowledged();
      expect(proxy.omitted()).toBe(awaited);
      expect(publisher.state().connected).toBe(true);
      expect(lines.filter((line) => line.includes("was lost"))).toEqual([]);
      const begun = performance.now();
      await publisher.stop("reload");
      // If it does not end by itself, the connection is cut off after 1.5 s.
      expect(performance.now() - begun).toBeLessThan(1_400);
    },
  );

  test("hears commands, though the answer to a subscription is lost", async () => {
    const { proxy, publisher, commands } = await publishOver("lost/subscription");
    proxy.omit(SUBACK, 1);
    publisher.setTopics(topics({ color: "bleu" }));
    await expect.poll(() => proxy.omitted(), { timeout: PATIENCE }).toBe(1);
    await expect.poll(() => publisher.state().connected, { timeout: PATIENCE }).toBe(true);
    const observer = await observe(url, "lost/subscription/#");
    cleanup.add(observer.disconnect);
    await observer.publish("lost/subscription/refresh/set", "PRESS", false);
    await expect.poll(() => commands.length, { timeout: PATIENCE }).toBe(1);
  });
});
