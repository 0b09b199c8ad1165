import { afterAll, describe, expect, test } from "vitest";
import { withoutFakeTime } from "../support/fake-time.ts";
import { openStory } from "../support/lives.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;
const NOW = { id: "now", when: { day: "now", color: "rouge" } };
const NEXT = { id: "next", when: { day: "next", color: "rouge" } };
const WEEK = {
  id: "week",
  threshold: 60,
  when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
};
const DAYS = { colors: { "2026-01-13": "rouge" } };
const BOILER = { topic: "boiler/set", choose: [{ when: "now", payload: "off" }], else: "on" };
const HEATER = { topic: "heater/set", choose: [{ when: "now", payload: "{now.color}" }] };

describe.skipIf(reason)(`rules of a configuration ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent("are published, change and go as it is edited; those that go leave nothing, and their outputs stay as they are", async () => {
    const config = { rules: [NOW, WEEK], outputs: [BOILER, HEATER] };
    const story = await openStory(cleanup, { days: DAYS, config });
    const { until, told, observer } = story;
    const life = await story.await("2026-01-13T12:00:00Z", 1);
    await until({ availability: "online", "rules/now/state": "ON", "rules/week/threshold": "60" });
    await observer.until(() => told("heater/set").length > 0, "the heater was told");
    await story.configure({
      rules: [{ ...NOW, when: { day: "now", color: "bleu" } }, NEXT],
      outputs: [BOILER],
    });
    await until({ "rules/now/state": "OFF", "rules/next/state": "OFF" });
    const rest = () => [...observer.retained.keys()].filter((topic) => topic.startsWith("vigie/rules/week"));
    await observer.until(() => rest().length === 0, "nothing is left of the rule that went");
    await observer.until(() => told("boiler/set").join() === "off,on", "the boiler follows the changed rule");
    await observer.publish("vigie/rules/week/threshold/set", "10", false);
    await life.vigie.says(/rules\/week\/threshold\/set: there is no rule week/);

    // A rule that an output needs does not go alone.
    await story.configure({ rules: [NEXT], outputs: [BOILER] });
    await life.vigie.says(/the one before it stays in force/);
    await life.vigie.says(/outputs\[0\]\.choose\[0\]\.when: expected .*got "now"/);
    await story.configure({ rules: [NOW, NEXT, WEEK], outputs: [BOILER, HEATER] });
    await until({ "rules/now/state": "ON", "rules/week/state": "OFF" });
    await observer.until(() => told("boiler/set").join() === "off,on,off", "the boiler is told again");
    expect(told("heater/set")).toEqual(["rouge"]);
    expect(told("vigie/availability")).not.toContain("offline");
    expect((await life.vigie.end()).code).toBe(0);
  });

  test.concurrent("are published by `vigie once`, too, and what it was told to forget is cleared; no device is told", async () => {
    const story = await openStory(cleanup, { days: DAYS, config: { rules: [NOW, WEEK], outputs: [BOILER] } });
    const once = async () => {
      const time = { folder: story.folder, args: ["once"], env: story.env("2026-01-13T12:00:00Z") };
      const { code, stdout, stderr } = await runVigie(time);
      expect({ code, stderr: stderr.replace(/.*container itself.*\n/g, "") }).toEqual({
        code: 0,
        stderr: "",
      });
      return stdout;
    };
    expect(await once()).toContain("+ rules/now/state ON");
    await story.until({ "rules/now/state": "ON", "rules/week/threshold": "60", "rules/now": /"state":true/ });
    const shown = await runVigie({
      folder: story.folder,
      args: ["show"],
      env: story.env("2026-01-13T12:00:00Z"),
    });
    expect(shown.stdout).toMatch(/rule now +ON +OFF .*06:00.* now is rouge \(2026-01-13 rouge, official\)/);
    expect(shown.stdout).toMatch(/rule week +OFF +not so: /);
    await story.configure({ rules: [NOW] });
    expect(await once()).toContain("- rules/week/state");
    await story.observer.until(({ retained }) => !retained.has("vigie/rules/week/plan"), "the rule is gone");
    expect(story.told("boiler/set")).toEqual([]);
  });
});
