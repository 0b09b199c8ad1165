import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purge } from "../../src/cli/purge.ts";
import { ownerOf } from "../../src/mqtt/owner.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { identity, keepPublishing, topics } from "../support/publisher.ts";

describe.skipIf(withoutMosquitto)(`vigie purge ${withoutMosquitto}`, () => {
  let broker: Mosquitto;
  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.remove());
  const run = async (args: string[], url = broker.url) => {
    let words = "";
    const env = { VIGIE_MQTT_URL: url, VIGIE_SERVICE_BASE_URL: "https://days.example" };
    const output = { write: (text: string) => (words += text) };
    const signal = new AbortController().signal;
    const code = await purge(args, {
      env,
      cwd: "/nonexistent",
      stdout: output,
      stderr: output,
      signal,
      color: false,
    });
    return { code, words };
  };

  test("exits with 3 while a vigie lives, and with 0 when all of that instance, and nothing else, is gone", async () => {
    const observer = await observe(broker.url);
    const annexe = JSON.stringify(ownerOf(identity("z"), "annexe"));
    await observer.publish("house/annexe/owner", annexe);
    for (const topic of ["vigie/now/color", "house/now/color", "house/rules/owner", "house/annexe/now/color"])
      await observer.publish(topic, "x");
    await observer.disconnect();
    const { publisher } = keepPublishing(broker.url, { broker: { base_topic: "house" }, instance: "house" });
    publisher.setTopics(topics({ "now/color": "bleu" }));
    await publisher.allAcknowledged();
    const refused = await run(["--instance", "house"]);
    expect(refused.code).toBe(3);
    expect(refused.words).toContain("vigie 1.0.0 on host-a");
    await publisher.stop();
    expect(await run(["--instance", "house"])).toEqual({
      code: 0,
      words: "Cleared 3 topics below house and homeassistant\n",
    });
    expect([...(await readRetained(broker.url)).keys()].sort()).toEqual([
      ...["house/annexe/now/color", "house/annexe/owner", "vigie/now/color"],
    ]);
  });

  test("exits with 2 where there is no broker that keeps anything", async () => {
    expect((await run([], "embedded")).code).toBe(2);
    expect((await run(["--what"])).code).toBe(2);
  });
});
