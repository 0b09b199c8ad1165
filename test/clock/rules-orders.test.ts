import { afterAll, describe, expect, test } from "vitest";
import { withoutFakeTime } from "../support/fake-time.ts";
import { openStory, type Story } from "../support/lives.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;
const BOILER = "boiler/set";
const RED = { id: "red", when: { day: "now", color: "rouge" } };
const WEEK = {
  id: "week",
  threshold: 60,
  when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
};
const OUTPUT = { topic: BOILER, choose: [{ when: "red", payload: "off" }], else: "on" };
/** As long as life. */
const REAL = 1;

describe.skipIf(reason)(`what is asked of the running vigie ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const give = (story: Story, topic: string, payload: string) =>
    story.observer.publish(`vigie/${topic}/set`, payload, false);
  const hears = (story: Story, ...words: string[]) =>
    story.observer.until(() => story.told(BOILER).join() === words.join(), `the boiler heard ${words}`);

  test.concurrent("a pretended rouge is marked everywhere, outlives a death, and ends by itself at its time", async () => {
    const story = await openStory(cleanup, {
      days: { colors: {} },
      config: { rules: [RED], outputs: [OUTPUT] },
    });
    const first = await story.await("2026-01-13T12:00:00Z", REAL);
    await story.until({ availability: "online", "rules/red/state": "OFF", "simulation/color": "auto" });
    await give(story, "simulation", '{"color":"rouge","for":"20m"}');
    await first.vigie.says(/rouge is pretended for the tariff day 2026-01-13/);
    await story.until({
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
    await hears(story, "off");
    await first.kill();
    const end = story.holds("simulation/until") ?? "";

    const second = await story.begin(first.time.clock.now(), REAL);
    // Nobody is there yet: the broker keeps it.
    await give(story, "rules/red/enabled", "OFF");
    await second.vigie.says(/red\/enabled\/set: rule red is disabled now/);
    await story.until({ "rules/red/state": "OFF", "now/color": "rouge", "simulation/color": "rouge" });
    await hears(story, "off", "on");
    await give(story, "rules/red/enabled", "ON");
    await hears(story, "off", "on", "off");
    await second.kill();

    const third = await story.begin(Date.parse(end) - 10_000, 5);
    await story.until({ "simulation/color": "auto", "now/color": "bleu", "rules/red/since": end });
    expect(third.time.clock.now()).toBeGreaterThanOrEqual(Date.parse(end));
    await story.until({ "today/source": "official", simulation: /"until":null/ });
    await hears(story, "off", "on", "off", "on");
  });

  test.concurrent("a pretended bleu hides no announced rouge", async () => {
    const days = { colors: { "2026-01-13": "rouge", "2026-01-14": "blanc" } };
    const story = await openStory(cleanup, { days, config: { rules: [RED], outputs: [OUTPUT] } });
    await story.await("2026-01-13T12:00:00Z", REAL);
    await story.until({ availability: "online", "rules/red/state": "ON", "next/color": "blanc" });
    await give(story, "simulation", "bleu");
    await story.until({ "simulation/color": "bleu" });
    await give(story, "simulation", '{"color":"rouge","from":"next"}');
    await story.until({ "next/color": "rouge", "tomorrow/source": "simulation", rouge_next: "ON" });
    await give(story, "simulation", "auto");
    await story.until({ "next/color": "blanc", "simulation/color": "auto" });
    expect(new Set(story.told("vigie/now/color"))).toEqual(new Set(["rouge"]));
    expect(new Set(story.told("vigie/rules/red/state"))).toEqual(new Set(["ON"]));
    await hears(story, "off");
  });

  test.concurrent("with dry_when_simulated devices are kept out of it, and hear of a true rouge all the same", async () => {
    const outputs = { dry_when_simulated: true, list: [OUTPUT] };
    const story = await openStory(cleanup, {
      days: { colors: { "2026-01-14": "rouge" } },
      config: { rules: [RED], outputs },
    });
    const life = await story.await("2026-01-14T04:30:00Z", REAL);
    await story.until({ availability: "online", "rules/red/state": "OFF" });
    await give(story, "simulation", "rouge");
    await story.until({ "rules/red/state": "ON", "now/color": "rouge", "now/source": "simulation" });
    await life.kill();
    expect(story.told(BOILER)).toEqual([]);
    await story.begin(Date.parse("2026-01-14T05:00:01Z"), REAL);
    await hears(story, "off");
    expect(story.holds("simulation/color")).toBe("rouge");
  });

  test.concurrent("a relay that does not answer is told again, is a problem, and is none once it answers", async () => {
    const confirm = { topic: "boiler/state", every: "30s", for: "2m" };
    const days = { colors: { "2026-01-13": "rouge" } };
    const config = { rules: [RED], outputs: [{ ...OUTPUT, confirm }] };
    const story = await openStory(cleanup, { days, config });
    // Slow enough for the limits of vigie: at 120 the broker had half a second to answer, and the service two.
    const life = await story.await("2026-01-13T12:00:00Z", 30);
    await story.until({ "service/problem": "ON", "service/problem_code": "output" });
    const line = await life.vigie.says(
      /Sent "off" to boiler\/set \d times in 2 min, but boiler\/state never reported/,
    );
    expect(line.level).toBe("warn");
    expect(new Set(story.told(BOILER))).toEqual(new Set(["off"]));
    expect(story.told(BOILER)).toHaveLength(4);
    await life.kill();
    // The next life goes on about it.
    const next = await story.begin(life.time.clock.now(), 30);
    await story.observer.until(() => story.told(BOILER).length > 5, "the boiler is told again");
    await story.observer.publish("boiler/state", "off", false);
    await story.until({ "service/problem": "OFF", "service/problem_code": "none" });
    const times = story.told(BOILER).length;
    await next.past(next.time.clock.now() + 72_000);
    expect(story.told(BOILER)).toHaveLength(times);
  });

  test.concurrent("a rule's settings are moved, survive a death, and give way to a configuration that is edited", async () => {
    const days = { colors: { "2026-01-16": "rouge" }, confidence: 70 };
    const rules = [RED, WEEK];
    const story = await openStory(cleanup, { days, config: { rules } });
    const first = await story.await("2026-01-13T12:00:00Z", REAL);
    await story.until({ availability: "online", "rules/week/state": "ON", "rules/week/threshold": "60" });
    const told = story.told("vigie/rules/week/threshold").length;
    for (const junk of ["lots", "101", "60.5", "-1", ""]) await give(story, "rules/week/threshold", junk);
    await give(story, "rules/week/enabled", "on");
    await give(story, "rules/red/threshold", "50");
    await give(story, "rules/gone/enabled", "OFF");
    const settled = () =>
      story.told("vigie/rules/week/threshold").length > told &&
      first.vigie.lines.filter(({ msg }) =>
        /^rules\/\w+\/\w+\/set: (expected|there is no|the rule)/.test(msg),
      ).length === 7;
    await story.observer.until(settled, "each of the seven is answered, an empty one is none");
    // What comes in one moment is answered at once.
    expect(new Set(story.told("vigie/rules/week/threshold").slice(told))).toEqual(new Set(["60"]));
    await give(story, "rules/week/threshold", "75");
    await story.until({ "rules/week/threshold": "75", "rules/week/state": "OFF" });
    await give(story, "rules/red/enabled", "OFF");
    await story.until({ "rules/red/enabled": "OFF", "rules/red": /"disabled"/ });
    const shown = await runVigie({ folder: story.folder, args: ["show"], env: first.time.env() });
    expect(shown.stdout).toMatch(/rule red +OFF +.*disabled/);
    expect(shown.stdout).toMatch(/rule week +OFF/);
    await first.kill();

    const second = await story.begin(first.time.clock.now(), REAL);
    await second.vigie.says(/^Connected/);
    await give(story, "rules/week/threshold", "74");
    await story.until({ "rules/week/threshold": "74", "rules/red/enabled": "OFF" });
    await story.configure({ rules: [RED, { ...WEEK, threshold: 65 }] });
    const line = await second.vigie.says(
      /threshold of week was changed in the configuration from 60: it is 65 now/,
    );
    expect(line).toEqual({ level: "warn", msg: expect.stringContaining("the 74 that it had been moved to") });
    await story.until({ "rules/week/threshold": "65", "rules/week/state": "ON", "rules/red/enabled": "OFF" });
  });

  test.concurrent("a button that is hammered costs the service no more than its limits of requests allow", async () => {
    const story = await openStory(cleanup, { days: { colors: {} }, config: { rules: [RED] } });
    const life = await story.await("2026-01-13T12:00:00Z", REAL);
    await story.until({ availability: "online", "rules/red/state": "OFF" });
    const before = story.asked.length;
    for (let press = 0; press < 50; press += 1) await give(story, "refresh", "PRESS");
    await give(story, "refresh", "press");
    await life.vigie.says(/refresh\/set: expected PRESS, got 'press'/);
    expect(story.asked.length - before).toBeLessThan(10);
    expect(
      life.vigie.lines.filter(({ msg }) => /refresh\/set: vigie asks the service/.test(msg)).length,
    ).toBeLessThan(60);
  });
});
