import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purge } from "../../src/cli/purge.ts";
import { ownerOf } from "../../src/mqtt/owner.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { identity, keepPublishing, topics } from "../support/publisher.ts";

/** How many messages the broker keeps ready for a client. */
const READY = 400;

describe.skipIf(withoutMosquitto)(`vigie purge ${withoutMosquitto}`, { concurrent: true }, () => {
  let broker: Mosquitto;
  beforeAll(async () => {
    broker = await startMosquitto({ lines: ["allow_anonymous true", `max_queued_messages ${READY}`] });
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

  test("exits with 3 while a vigie lives, and with 0 when all of that instance, and nothing else, is gone", async ({
    expect,
  }) => {
    const observer = await observe(broker.url, "nothing");
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
    expect(refused.words).toMatch(
      /vigie 1\.0\.0 on host-a.* publishes below house: stop it first, then purge\n$/,
    );
    // The vigie that lives clears what is not its own: then there is one topic less to purge.
    const held = () => readRetained(broker.url, ["house/#", "vigie/#", "homeassistant/#"]);
    const strays = async () => (await held()).has("house/rules/owner");
    await expect.poll(strays, { interval: 100 }).toBe(false);
    await publisher.stop();
    expect(await run(["--instance", "house"])).toEqual({
      code: 0,
      words: "Cleared 3 topics below house and homeassistant\n",
    });
    expect([...(await held()).keys()].sort()).toEqual([
      ...["house/annexe/now/color", "house/annexe/owner", "vigie/now/color"],
    ]);
  });

  test("says that it leaves what is below its own levels only, if more owners are named there than vigie keeps", async () => {
    const observer = await observe(broker.url, "nothing");
    for (let n = 0; n < 33; n += 1)
      await observer.publish(`cabin/annexe${n}/owner`, JSON.stringify(ownerOf(identity("z"), "annexe")));
    await observer.publish("cabin/now/color", "x");
    const { code, words } = await run(["--instance", "cabin"]);
    expect([code, words]).toEqual([
      0,
      expect.stringMatching(
        /^vigie: 32 owner topics .* then purge again\nCleared 1 topic below cabin and homeassistant\n$/,
      ),
    ]);
    for (let n = 0; n < 33; n += 1) await observer.publish(`cabin/annexe${n}/owner`, "");
    await observer.disconnect();
  });

  test("clears all but other vigies' topics, also if there are three times as many as the broker sends at once", async () => {
    const observer = await observe(broker.url, "nothing");
    const annexes = Array.from({ length: 20 }, (_, n) => `barn/annexe${n}`);
    for (const annexe of annexes) {
      await observer.publish(`${annexe}/owner`, JSON.stringify(ownerOf(identity("z"), "annexe")));
      await observer.publish(`${annexe}/now/color`, "x");
    }
    for (let n = 0; n < 3 * READY; n += READY) {
      const some = Array.from({ length: READY }, (_, index) => `barn/${n + index}`);
      await Promise.all(some.map((topic) => observer.publish(topic, "x")));
    }
    expect(await run(["--instance", "barn"])).toEqual({
      code: 0,
      words: `Cleared ${3 * READY} topics below barn and homeassistant\n`,
    });
    const left = await readRetained(broker.url, ["barn/#"]);
    expect(left.size).toBe(2 * annexes.length);
    await observer.disconnect();
  });

  test("says that there is nothing to clear", async () => {
    expect(await run(["--instance", "nowhere"])).toEqual({
      code: 0,
      words: "There is nothing of nowhere below nowhere and homeassistant\n",
    });
  });

  test("exits with 2 where there is no broker that keeps anything", async () => {
    expect((await run([], "embedded")).code).toBe(2);
    expect((await run(["--what"])).code).toBe(2);
  });
});
