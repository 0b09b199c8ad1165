import { afterAll, describe, expect, test } from "vitest";
import type { ConnectionUser } from "../../src/mqtt/owner-connection.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { fastClock } from "../../src/runtime/fast-clock.ts";
import { startCountingProxy } from "../support/counting-proxy.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { keepPublishing, topics } from "../support/publisher.ts";
import { createCleanup } from "../support/vigie.ts";

const SPEED = 60;
/** By vigie's clock: longer than it waits before it reads its own topics once more. */
const A_WHILE = 30_000;
const VALUES = 600;

describe.skipIf(withoutMosquitto)(`the packets that vigie sends ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test(`are none because of ${VALUES} values of a meter, and a few hundred after a flood below the base topic, by which a lost message is made good`, async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const proxy = await startCountingProxy(broker.port);
    cleanup.add(proxy.stop);
    const clock = fastClock(systemClock.now(), SPEED, systemClock);
    const aWhile = () => new Promise<void>((resolve) => clock.after(A_WHILE, resolve));
    const heard: string[] = [];
    const values: ConnectionUser = {
      connected: ({ subscribe }) => void subscribe("house/meter", "newest only"),
      take: ({ payload }) => void heard.push(payload),
    };
    const { publisher } = keepPublishing(proxy.url, { clock, connected: false });
    cleanup.add(() => publisher.stop());
    const names = Array.from({ length: 100 }, (_, number) => `day/${number}`);
    publisher.setTopics(topics(Object.fromEntries(names.map((name) => [name, "bleu"]))));
    publisher.connect([values]);
    const house = await observe(broker.url, "vigie/availability");
    cleanup.add(house.disconnect);
    await house.until(({ retained }) => retained.get("vigie/availability") === "online", "it is online");
    await house.publish("house/meter", "first");
    await expect.poll(() => heard).toContain("first");
    await aWhile();

    const quiet = proxy.counts();
    for (let number = 1; number <= VALUES; number += 1) await house.publish("house/meter", "1", false);
    await house.publish("house/meter", "last");
    await expect.poll(() => heard).toContain("last");
    await aWhile();
    expect(heard.length).toBeGreaterThan(VALUES);
    expect(proxy.counts()).toEqual(quiet);

    proxy.lose(true);
    await house.publish("vigie/day/7", "rouge");
    await expect.poll(() => proxy.lost()).toBeGreaterThan(0);
    proxy.lose(false);
    await aWhile();
    expect(proxy.counts()).toEqual(quiet);
    // As many within a minute as after which the broker may have dropped some. A fast minute is too short for them on a slow machine.
    const flood = async () => {
      for (let number = 1; number <= VALUES; number += 1) await house.publish("vigie/event", "1", false);
    };
    await clock.atRealPace(flood());
    await expect.poll(() => proxy.counts().subscribe).toBeGreaterThanOrEqual(quiet.subscribe + names.length);
    const held = async () => (await readRetained(broker.url, ["vigie/day/7"])).get("vigie/day/7");
    await expect.poll(held).toBe("bleu");
  });
});
