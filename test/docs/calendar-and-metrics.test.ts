import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderMetrics } from "../../src/http/metrics.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { renderState } from "../../src/http/state-json.ts";
import { blocksOf, readPage } from "../support/guide.ts";
import { BOILER, statusOf } from "../support/outputs.ts";
import { promtool, withoutPromtool } from "../support/promtool.ts";
import { openTestLoop, RULES } from "../support/test-loop.ts";
import { viewOf } from "../support/views.ts";

const PAGE = readPage("docs/calendar-and-metrics.md");
const block = (key: string) => blocksOf(PAGE).find(({ text }) => text.startsWith(`${key}:`))?.text ?? "";

/** With a rule, an output and both sources. */
function view(): PageView {
  const outputs = [statusOf(BOILER)];
  const askOfficial = () => Promise.reject(new Error("not asked here"));
  const { loop } = openTestLoop({ clock: { at: Date.UTC(2026, 0, 5, 12) }, rules: RULES, askOfficial });
  return viewOf(loop, { outputs });
}

const metrics = () => renderMetrics(view());

test("the page lists every metric, with its labels", () => {
  const rows = [...PAGE.matchAll(/^\| `(vigie_\w+)` \|(.*?)\| /gm)];
  const listed = rows.map(([, name, labels = ""]) => [
    name,
    [...labels.replaceAll(/\(.*?\)/g, "").matchAll(/`(\w+)`/g)].map(([, label]) => label),
  ]);
  const samples = [...metrics().matchAll(/^(vigie_\w+)(\{.*\})? /gm)];
  const labelsOf = (labels = "") => [...labels.matchAll(/[{,](\w+)="/g)].map(([, label]) => label);
  const rendered = new Map(samples.map(([, name, labels]) => [name, labelsOf(labels)]));
  expect(listed).toEqual([...rendered]);
});

test("the page lists every value of the labels that it explains", () => {
  const explained = [...PAGE.matchAll(/`(\w+)` \((`[^)]+`)\)/g)];
  expect(explained.map(([, label]) => label)).toEqual(["day", "color", "period", "source", "result"]);
  for (const [, label = "", words = ""] of explained) {
    const listed = [...words.matchAll(/`(\w+)`/g)].map(([, word]) => word);
    const rendered = [...metrics().matchAll(new RegExp(`[{,]${label}="(\\w+)"`, "g"))].map(
      ([, word]) => word,
    );
    expect(new Set(rendered)).toEqual(new Set([...listed, ...(label === "color" ? COLORS : [])]));
  }
});

test("Homepage is told fields that the state has, each with a value that one line can show", () => {
  const state: unknown = JSON.parse(renderState(view()));
  const read = (path: string) =>
    path.split(".").reduce<unknown>((found, key) => (found as Record<string, unknown> | null)?.[key], state);
  const fields = [...block("- Home").matchAll(/field: ([\w.]+)/g)].map(([, path = ""]) => path);
  expect(fields.length).toBeGreaterThan(0);
  for (const field of fields) {
    expect(read(field), field).not.toBeUndefined();
    expect(typeof read(field) === "object" && read(field) !== null, field).toBe(false);
  }
});

const COLORS = ["bleu", "blanc", "rouge", "unknown"];

describe.skipIf(withoutPromtool)(`Prometheus ${withoutPromtool}`, () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vigie-prometheus-"));
    await writeFile(at("vigie-alerts.yml"), block("groups"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("takes the configuration and the alerts of the page", async () => {
    await writeFile(at("prometheus.yml"), block("scrape_configs"));
    expect(promtool(["check", "config", at("prometheus.yml")])).toBe("");
    await writeFile(at("vigie-alerts.yml.wrong"), `${block("groups")}        expression: 1\n`);
    expect(promtool(["check", "rules", at("vigie-alerts.yml.wrong")])).not.toBe("");
  });

  test("alerts on a rouge day once it is official, and on a problem that lasts", async () => {
    const rules = {
      rule_files: [at("vigie-alerts.yml")],
      evaluation_interval: "1m",
      tests: [
        {
          interval: "1m",
          input_series: [
            { series: 'vigie_color{job="vigie",day="next",color="rouge"}', values: "1x200" },
            { series: 'vigie_color_official{job="vigie",day="next"}', values: "0x60 1x140" },
            { series: 'vigie_problem{job="vigie",code="clock"}', values: "0x60 1x140" },
            { series: 'vigie_problem{job="vigie",code="late"}', values: "1x200" },
            { series: 'up{job="vigie"}', values: "1x200" },
          ],
          alert_rule_test: [
            { eval_time: "50m", alertname: "RougeNext", exp_alerts: [] },
            {
              eval_time: "70m",
              alertname: "RougeNext",
              exp_alerts: [
                {
                  exp_labels: { job: "vigie", day: "next", color: "rouge" },
                  exp_annotations: { summary: "The next day is rouge, from 06:00 on" },
                },
              ],
            },
            { eval_time: "80m", alertname: "VigieInTrouble", exp_alerts: [] },
            {
              eval_time: "100m",
              alertname: "VigieInTrouble",
              exp_alerts: [
                {
                  exp_labels: { job: "vigie", code: "clock" },
                  exp_annotations: { summary: "vigie is gone, or has a problem: clock" },
                },
              ],
            },
          ],
        },
      ],
    };
    await writeFile(at("alerts-test.yml"), JSON.stringify(rules));
    expect(promtool(["test", "rules", at("alerts-test.yml")])).toBe("");
  });
});
