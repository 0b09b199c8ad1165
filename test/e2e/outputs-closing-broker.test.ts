import { createServer, type Socket } from "node:net";
import { Aedes } from "aedes";
import { expect, onTestFinished, test } from "vitest";
import { type Clock, systemClock } from "../../src/runtime/clock.ts";
import { fastClock } from "../../src/runtime/fast-clock.ts";
import { driveOutputs } from "../support/drive-outputs.ts";
import { logTo } from "../support/logs.ts";
import { BOILER, confirmBy, savedState, toTopic } from "../support/outputs.ts";
import { freePort } from "../support/ports.ts";
import { keepPublishing, topics } from "../support/publisher.ts";

/** A real broker that ends the connection at a message to this topic. */
async function startClosingBroker(forbidden: string, clock: Clock) {
  const aedes = await Aedes.createBroker();
  const arrived: string[] = [];
  const tries: number[] = [];
  aedes.authorizePublish = (_client, { topic, payload }, done) => {
    if (topic === forbidden) tries.push(clock.steady());
    else arrived.push(`${topic} ${payload}`);
    done(topic === forbidden ? new Error("not authorized") : null);
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    aedes.handle(socket);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await new Promise<void>((resolve) => aedes.close(resolve));
  });
  return { url: `mqtt://127.0.0.1:${port}`, arrived, tries };
}

test("a broker that ends the connection at a forbidden topic gets all else, and that topic seldom", async () => {
  const clock = fastClock(systemClock.now(), 20, systemClock);
  const broker = await startClosingBroker("attic/set", clock);
  const { publisher, lines } = keepPublishing(broker.url, {
    broker: { base_topic: "closing" },
    clock,
    connected: false,
  });
  const saved = savedState();
  const confirm = confirmBy("boiler", { every: 1_000, for: 3_600_000 });
  const list = [
    { ...BOILER, id: "attic", ...toTopic("attic/set"), confirm },
    { ...BOILER, confirm },
  ];
  const outputs = driveOutputs(list, { saved, log: logTo(lines), clock });
  publisher.setTopics(topics({ a: "1" }));
  publisher.connect([outputs]);
  onTestFinished(async () => {
    await outputs.stop();
    await publisher.stop();
  });
  await outputs.turn({ peak: true });
  await expect.poll(() => broker.arrived).toContain("boiler/set off");
  await expect.poll(() => saved.get().devices["boiler/set"]?.acknowledged).toBe(true);
  // The pause doubles, so by then there was time between two tries for all of vigie's own topics.
  await expect.poll(() => broker.tries.length).toBeGreaterThanOrEqual(6);
  // About 1, 2, 4, 8 and 16 s.
  const [, , , , fifth = 0, sixth = 0] = broker.tries;
  expect(sixth - fifth).toBeGreaterThan(5_000);
  await expect.poll(() => broker.arrived).toContain("closing/availability online");
  expect(saved.get().devices["attic/set"]?.acknowledged).toBe(false);
  expect(lines.join("\n")).toContain("vigie may not publish to attic/set: check its access list");
});
