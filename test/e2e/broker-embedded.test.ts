import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type EmbeddedBroker, startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { logTo } from "../support/logs.ts";
import { observe } from "../support/observer.ts";
import { freePort } from "../support/ports.ts";
import { keepPublishing, topics } from "../support/publisher.ts";

const SUBSCRIBER = "/usr/bin/mosquitto_sub";

describe("the embedded broker", () => {
  const lines: string[] = [];
  const log = logTo(lines);
  let broker: EmbeddedBroker | undefined;
  const start = async (port: number) => {
    broker = await startEmbeddedBroker({ port, log });
    return broker;
  };
  afterEach(async () => {
    await broker?.stop();
    broker = undefined;
    lines.length = 0;
  });

  test("is loud about being one, listens on this machine only, and takes another port where its own is taken", async () => {
    const port = await freePort();
    const portHolder = createServer().listen(port, "127.0.0.1");
    await new Promise((resolve) => portHolder.once("listening", resolve));
    const { url, port: taken } = await start(port);
    expect(taken).not.toBe(port);
    expect(url).toBe(`mqtt://127.0.0.1:${taken}`);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`port ${port} was in use`);
    portHolder.close();
  });

  test("serves a publisher, which says that 3.1.1 has no grace, and says offline as it leaves", async () => {
    const { url } = await start(0);
    const { publisher, lines: said } = keepPublishing(url);
    publisher.setTopics(topics({ "now/color": { payload: "bleu", expires: systemClock.now() + 60_000 } }));
    await publisher.allAcknowledged();
    const observer = await observe(url, "#", 4);
    await observer.until(({ retained }) => retained.get("vigie/availability") === "online", "online");
    await observer.publish("vigie/old", "x");
    expect(observer.retained.get("vigie/now/color")).toBe("bleu");
    expect(said).toEqual([expect.stringContaining("supports only MQTT 3.1.1")]);
    await publisher.stop();
    await observer.until(({ retained }) => retained.get("vigie/availability") === "offline", "offline");
    const again = keepPublishing(url);
    again.publisher.setTopics(topics({ "now/color": "bleu" }));
    await again.publisher.allAcknowledged();
    await observer.until(({ retained }) => !retained.has("vigie/old"), "the orphan is cleared");
    await again.publisher.stop();
    await observer.disconnect();
  });

  test("has devices that do what they understand, and report it for whoever comes later", async () => {
    const { url } = await start(0);
    const observer = await observe(url, "first_look/#", 4);
    await observer.publish("first_look/boiler/set", "toggle");
    await observer.publish("first_look/boiler/set", "off");
    await observer.publish("first_look/heating/set", "warm");
    await observer.publish("first_look/heating/set", "20.5");
    await observer.until(({ retained }) => retained.get("first_look/heating") === "20.5", "the setpoint");
    const reports = observer.received.filter(({ topic }) => !topic.endsWith("/set"));
    expect(reports.map(({ topic, payload }) => [topic, payload])).toEqual([
      ["first_look/boiler", "off"],
      ["first_look/heating", "20.5"],
    ]);
    const later = await observe(url, "first_look/boiler", 4);
    await later.until(({ retained }) => retained.get("first_look/boiler") === "off", "the report");
    await later.disconnect();
    await observer.disconnect();
  });

  test("shows the topics of a rule with the id set, which is taken for no command", async () => {
    const { url } = await start(0);
    const observer = await observe(url, "#", 4);
    await observer.publish("vigie/old", "x");
    const { publisher, lines: said, commands } = keepPublishing(url);
    publisher.setTopics(topics({ "rules/set": '{"state":true}' }));
    await observer.until(
      ({ received }) => received.some(({ topic, payload }) => topic === "vigie/old" && payload === ""),
      "what the broker held is checked",
    );
    said.length = 0;
    publisher.setTopics(topics({ "rules/set": '{"state":false}' }));
    await publisher.allAcknowledged();
    await observer.publish("vigie/refresh/set", "PRESS", false);
    await observer.until(() => commands.length > 0, "the command came");
    expect(said).toEqual([]);
    expect(observer.retained.get("vigie/rules/set")).toBe('{"state":false}');
    await publisher.stop();
    await observer.disconnect();
  });

  test("ends at once with clients connected", async () => {
    const { url, stop } = await start(0);
    const { publisher } = keepPublishing(url);
    publisher.setTopics(topics({ a: "1" }));
    await publisher.allAcknowledged();
    // A client that is not cut off stays for ever.
    await stop();
    broker = undefined;
    await publisher.stop();
  });

  test.skipIf(!existsSync(SUBSCRIBER))(
    "is understood by mosquitto_sub as it is (needs mosquitto-clients)",
    async () => {
      const { url, port } = await start(0);
      const { publisher } = keepPublishing(url);
      publisher.setTopics(topics({ "now/color": "rouge" }));
      await publisher.allAcknowledged();
      const output = await new Promise<string>((resolve, reject) => {
        const args = ["-h", "127.0.0.1", "-p", `${port}`, "-t", "vigie/now/color", "-C", "1", "-W", "60"];
        execFile(SUBSCRIBER, args, (error, stdout) => (error ? reject(error) : resolve(stdout)));
      });
      expect(output).toBe("rouge\n");
      await publisher.stop();
    },
  );
});
