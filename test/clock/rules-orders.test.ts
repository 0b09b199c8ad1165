import { afterAll, describe, expect, test } from "vitest";
import { withoutFakeTime } from "../support/fake-time.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";
import { prepareRuns, type RepeatedRuns } from "./repeated-runs.ts";

const reason = withoutMosquitto || withoutFakeTime;
const BOILER = "boiler/set";
const RED = { id: "red", when: { day: "now", color: "rouge" } };
const WEEK = {
  id: "week",
  threshold: 60,
  when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
};
const OUTPUT = { topic: BOILER, choose: [{ when: "red", payload: "off" }], else: "on" };
/** Real time. */
const REAL = 1;

describe.skipIf(reason)(`what is asked of the running vigie ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const give = (runs: RepeatedRuns, topic: string, payload: string) =>
    runs.observer.publish(`vigie/${topic}/set`, payload, false);
  const hears = (runs: RepeatedRuns, ...words: string[]) =>
    runs.observer.until(
      () => runs.payloadsSentTo(BOILER).join() === words.join(),
      `the boiler heard ${words}`,
    );

  test.concurrent("a pretended rouge is marked everywhere, outlives a death, and ends by itself at its time", async () => {
    const runs = await prepareRuns(cleanup, {
      days: { colors: {} },
      config: { rules: [RED], outputs: [OUTPUT] },
    });
    const first = await runs.runBefore("2026-01-13T12:00:00Z", REAL);
    await runs.until({ availability: "online", "rules/red/state": "OFF", "simulation/color": "auto" });
    await give(runs, "simulation", '{"color":"rouge","for":"20m"}');
    await first.vigie.says(/rouge is pretended for the tariff day 2026-01-13/);
    await runs.until({
      "rules/red/state": "ON",
      "now/color": "rouge",
      "today/source": "simulation",
      rouge_now: "ON",
      "simulation/color": "rouge",
      "simulation/until": /^2026-01-13T12:/,
      simulation: /"from":"now"/,
      "rules/red": /"state":true/,
      "next_rouge/date": "None",
    });
    await hears(runs, "off");
    await first.kill();
    const end = runs.payloadOf("simulation/until") ?? "";

    const second = await runs.startRun(first.time.clock.now(), REAL);
    // Nobody is there yet: the broker keeps it.
    await give(runs, "rules/red/enabled", "OFF");
    await second.vigie.says(/red\/enabled\/set: rule red is disabled now/);
    await runs.until({ "rules/red/state": "OFF", "now/color": "rouge", "simulation/color": "rouge" });
    await hears(runs, "off", "on");
    await give(runs, "rules/red/enabled", "ON");
    await hears(runs, "off", "on", "off");
    await second.kill();

    const third = await runs.startRun(Date.parse(end) - 10_000, 5);
    await runs.until({ "simulation/color": "auto", "now/color": "bleu", "rules/red/since": end });
    expect(third.time.clock.now()).toBeGreaterThanOrEqual(Date.parse(end));
    await runs.until({ "today/source": "official", simulation: /"until":null/ });
    await hears(runs, "off", "on", "off", "on");
  });

  test.concurrent("a pretended bleu hides no announced rouge", async () => {
    const days = { colors: { "2026-01-13": "rouge", "2026-01-14": "blanc" } };
    const runs = await prepareRuns(cleanup, { days, config: { rules: [RED], outputs: [OUTPUT] } });
    await runs.runBefore("2026-01-13T12:00:00Z", REAL);
    await runs.until({ availability: "online", "rules/red/state": "ON", "next/color": "blanc" });
    await give(runs, "simulation", "bleu");
    await runs.until({ "simulation/color": "bleu" });
    await give(runs, "simulation", '{"color":"rouge","from":"next"}');
    await runs.until({ "next/color": "rouge", "tomorrow/source": "simulation", rouge_next: "ON" });
    await give(runs, "simulation", "auto");
    await runs.until({ "next/color": "blanc", "simulation/color": "auto" });
    expect(new Set(runs.payloadsSentTo("vigie/now/color"))).toEqual(new Set(["rouge"]));
    expect(new Set(runs.payloadsSentTo("vigie/rules/red/state"))).toEqual(new Set(["ON"]));
    await hears(runs, "off");
  });

  test.concurrent("with dry_when_simulated devices receive nothing of a simulation, but the payload of a real rouge day", async () => {
    const outputs = { dry_when_simulated: true, list: [OUTPUT] };
    const runs = await prepareRuns(cleanup, {
      days: { colors: { "2026-01-14": "rouge" } },
      config: { rules: [RED], outputs },
    });
    const run = await runs.runBefore("2026-01-14T04:30:00Z", REAL);
    await runs.until({ availability: "online", "rules/red/state": "OFF" });
    await give(runs, "simulation", "rouge");
    await runs.until({ "rules/red/state": "ON", "now/color": "rouge", "now/source": "simulation" });
    await run.kill();
    expect(runs.payloadsSentTo(BOILER)).toEqual([]);
    await runs.startRun(Date.parse("2026-01-14T05:00:01Z"), REAL);
    await hears(runs, "off");
    // It pretended the day before, and ended with it.
    await runs.until({ "simulation/color": "auto" });
  });

  test.concurrent("a relay that does not answer receives the payload again and is a problem until it answers", async () => {
    const confirm = { topic: "boiler/state", every: "30s", for: "2m" };
    const days = { colors: { "2026-01-13": "rouge" } };
    const config = { rules: [RED], outputs: [{ ...OUTPUT, confirm }] };
    const runs = await prepareRuns(cleanup, { days, config });
    // Slow enough for the limits of vigie: at 120 the broker had half a second to answer, and the service two.
    const run = await runs.runBefore("2026-01-13T12:00:00Z", 30);
    await runs.until({ "service/problem": "ON", "service/problem_code": "output" });
    const line = await run.vigie.says(
      /Sent "off" to boiler\/set \d times, but in 2 min boiler\/state never reported/,
    );
    expect(line.level).toBe("warn");
    expect(new Set(runs.payloadsSentTo(BOILER))).toEqual(new Set(["off"]));
    // Four times, unless the machine stalled.
    const times = Number(/(\d) times/.exec(line.msg)?.[1]);
    expect(runs.payloadsSentTo(BOILER)).toHaveLength(times);
    expect(times).toBeGreaterThan(1);
    expect(times).toBeLessThanOrEqual(4);
    await run.kill();
    // The next run has the same problem.
    const next = await runs.startRun(run.time.clock.now(), 30);
    await runs.observer.until(
      () => runs.payloadsSentTo(BOILER).length > times + 1,
      "the boiler is told again",
    );
    await runs.observer.publish("boiler/state", "off", false);
    await runs.until({ "service/problem": "OFF", "service/problem_code": "none" });
    const before = runs.payloadsSentTo(BOILER).length;
    await next.waitUntilPast(next.time.clock.now() + 72_000);
    expect(runs.payloadsSentTo(BOILER)).toHaveLength(before);
  });

  test.concurrent("a rule's settings change by a command, survive a kill, and yield to an edited configuration", async () => {
    const days = { colors: { "2026-01-16": "rouge" }, confidence: 70 };
    const rules = [RED, WEEK];
    const runs = await prepareRuns(cleanup, { days, config: { rules } });
    const first = await runs.runBefore("2026-01-13T12:00:00Z", REAL);
    await runs.until({ availability: "online", "rules/week/state": "ON", "rules/week/threshold": "60" });
    const payloadsSentTo = runs.payloadsSentTo("vigie/rules/week/threshold").length;
    for (const junk of ["lots", "101", "60.5", "-1", ""]) await give(runs, "rules/week/threshold", junk);
    await give(runs, "rules/week/enabled", "yes");
    await give(runs, "rules/red/threshold", "50");
    await give(runs, "rules/gone/enabled", "OFF");
    const settled = () =>
      runs.payloadsSentTo("vigie/rules/week/threshold").length > payloadsSentTo &&
      first.vigie.lines.filter(({ msg }) =>
        /^rules\/\w+\/\w+\/set: (expected|there is no|the rule)/.test(msg),
      ).length === 7;
    await runs.observer.until(settled, "each of the seven is answered, an empty one is none");
    // What comes in one moment is answered at once.
    expect(new Set(runs.payloadsSentTo("vigie/rules/week/threshold").slice(payloadsSentTo))).toEqual(
      new Set(["60"]),
    );
    await give(runs, "rules/week/threshold", "75");
    await runs.until({ "rules/week/threshold": "75", "rules/week/state": "OFF" });
    await give(runs, "rules/red/enabled", "OFF");
    await runs.until({ "rules/red/enabled": "OFF", "rules/red": /"disabled"/ });
    const shown = await runVigie({ folder: runs.folder, args: ["show"], env: first.time.env() });
    expect(shown.stdout).toMatch(/rule red +OFF +.*disabled/);
    expect(shown.stdout).toMatch(/rule week +OFF/);
    await first.kill();

    const second = await runs.startRun(first.time.clock.now(), REAL);
    await second.vigie.says(/^Connected/);
    await give(runs, "rules/week/threshold", "74");
    await runs.until({ "rules/week/threshold": "74", "rules/red/enabled": "OFF" });
    await runs.configure({ rules: [RED, { ...WEEK, threshold: 65 }] });
    const line = await second.vigie.says(
      /threshold of week was changed in the configuration from 60: it is 65 now/,
    );
    expect(line).toEqual({
      level: "warn",
      msg: expect.stringContaining("the value 74 that was set while vigie ran does not count any more"),
    });
    await runs.until({ "rules/week/threshold": "65", "rules/week/state": "ON", "rules/red/enabled": "OFF" });
  });

  test.concurrent("a rule that is disabled for an hour is enabled again at its end, in the night in which the clocks go back", async () => {
    const always = { id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } };
    const runs = await prepareRuns(cleanup, { days: { colors: {} }, config: { rules: [always] } });
    const first = await runs.runBefore("2026-10-25T00:30:00Z", REAL);
    await runs.until({ availability: "online", "rules/always/state": "ON" });
    await give(runs, "rules/always/enabled", '{"enabled":false,"for":"1h"}');
    // At 01:00 UTC it is 02:00 again.
    await first.vigie.says(/rule always is disabled until 2026-10-25 02:\d\d, then enabled again$/);
    await runs.until({ "rules/always/enabled": "OFF", "rules/always/next_on": /^2026-10-25T01:/ });
    const end = runs.payloadOf("rules/always/next_on") ?? "";
    await runs.untilSaved("always", false);
    await first.kill();

    // A busy machine needs some of this time to start vigie.
    const second = await runs.startRun(Date.parse(end) - 40_000, 5);
    await runs.until({
      "rules/always/enabled": "ON",
      "rules/always/state": "ON",
      "rules/always/since": end,
    });
    expect(second.time.clock.now()).toBeGreaterThanOrEqual(Date.parse(end));
    await second.vigie.says(/^Rule always is enabled again/);
  });

  test.concurrent("a button that is hammered costs the service no more than its limits of requests allow", async () => {
    const runs = await prepareRuns(cleanup, { days: { colors: {} }, config: { rules: [RED] } });
    const run = await runs.runBefore("2026-01-13T12:00:00Z", REAL);
    await runs.until({ availability: "online", "rules/red/state": "OFF" });
    const before = runs.requests.length;
    for (let press = 0; press < 50; press += 1) await give(runs, "refresh", "PRESS");
    await give(runs, "refresh", "push");
    await run.vigie.says(/refresh\/set: expected PRESS, got 'push'/);
    expect(runs.requests.length - before).toBeLessThan(10);
    expect(
      run.vigie.lines.filter(({ msg }) => /refresh\/set: vigie asks its sources/.test(msg)).length,
    ).toBeLessThan(60);
  });
});
