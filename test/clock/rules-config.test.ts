import { afterAll, describe, expect, test } from "vitest";
import { withoutFakeTime } from "../support/fake-time.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";
import { prepareRuns } from "./repeated-runs.ts";

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

  test.concurrent("are published, change and are removed as it is edited; a removed rule leaves no topic, and an output that is put back is told again", async () => {
    const config = { rules: [NOW, WEEK], outputs: [BOILER, HEATER] };
    const runs = await prepareRuns(cleanup, { days: DAYS, config });
    const { until, payloadsSentTo, observer } = runs;
    const run = await runs.runBefore("2026-01-13T12:00:00Z", 1);
    await until({ availability: "online", "rules/now/state": "ON", "rules/week/threshold": "60" });
    await observer.until(() => payloadsSentTo("heater/set").length > 0, "the heater was told");
    await runs.configure({
      rules: [{ ...NOW, when: { day: "now", color: "bleu" } }, NEXT],
      outputs: [BOILER],
    });
    await until({ "rules/now/state": "OFF", "rules/next/state": "OFF" });
    const rest = () => [...observer.retained.keys()].filter((topic) => topic.startsWith("vigie/rules/week"));
    await observer.until(() => rest().length === 0, "nothing is left of the rule that went");
    await observer.until(
      () => payloadsSentTo("boiler/set").join() === "off,on",
      "the boiler follows the changed rule",
    );
    await observer.publish("vigie/rules/week/threshold/set", "10", false);
    await run.vigie.says(/rules\/week\/threshold\/set: there is no rule week/);

    // A rule that an output needs does not go alone.
    await runs.configure({ rules: [NEXT], outputs: [BOILER] });
    await run.vigie.says(/the one before it stays in force/);
    await run.vigie.says(/outputs\[0\]\.choose\[0\]\.when: expected .*got "now"/);
    await runs.configure({ rules: [NOW, NEXT, WEEK], outputs: [BOILER, HEATER] });
    await until({ "rules/now/state": "ON", "rules/week/state": "OFF" });
    await observer.until(
      () => payloadsSentTo("boiler/set").join() === "off,on,off",
      "the boiler is told again",
    );
    await observer.until(
      () => payloadsSentTo("heater/set").join() === "rouge,rouge",
      "the heater, which was put back, is told again",
    );
    expect(payloadsSentTo("vigie/availability")).not.toContain("offline");
    expect((await run.vigie.end()).code).toBe(0);
  });

  test.concurrent("are published by `vigie once`, too, and topics of removed rules are cleared; nothing is sent to a device", async () => {
    const runs = await prepareRuns(cleanup, {
      days: DAYS,
      config: { rules: [NOW, WEEK], outputs: [BOILER] },
    });
    const once = async () => {
      const time = { folder: runs.folder, args: ["once"], env: runs.env("2026-01-13T12:00:00Z") };
      const { code, stdout, stderr } = await runVigie(time);
      expect({ code, stderr: stderr.replace(/.*container itself.*\n/g, "") }).toEqual({
        code: 0,
        stderr: "",
      });
      return stdout;
    };
    expect(await once()).toContain("+ rules/now/state ON");
    await runs.until({ "rules/now/state": "ON", "rules/week/threshold": "60", "rules/now": /"state":true/ });
    const shown = await runVigie({
      folder: runs.folder,
      args: ["show"],
      env: runs.env("2026-01-13T12:00:00Z"),
    });
    expect(shown.stdout).toMatch(/rule now +ON +OFF .*06:00.* now is rouge \(2026-01-13 rouge, official\)/);
    expect(shown.stdout).toMatch(/rule week +OFF +not certain +not so: /);
    await runs.configure({ rules: [NOW] });
    expect(await once()).toContain("- rules/week/state");
    await runs.observer.until(({ retained }) => !retained.has("vigie/rules/week/plan"), "the rule is gone");
    expect(runs.payloadsSentTo("boiler/set")).toEqual([]);
  });
});
