import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readForm } from "../../src/config/form-options.ts";
import { checkOptions, withoutCheck } from "./house.ts";

const APP = join(import.meta.dirname, "../../dist/app");
const CONFIG = withoutCheck ? { options: {} } : parse(readFileSync(join(APP, "config.yaml"), "utf8"));
const BOILER = { use: "boiler", kind: "shelly_gen1", place: "shellies/boiler" };
const RULE = { id: "cheap", colors: "bleu", day: "now" };
const RATE = {
  ...{ from: "2027-02-01", bleu_peak: 0.16, bleu_off_peak: 0.13, blanc_peak: 0.19, blanc_off_peak: 0.15 },
  ...{ rouge_peak: 0.73, rouge_off_peak: 0.16 },
};
const FULL = {
  ...{ language: "en", official_colors: false, service_address: "https://forecast.example.org" },
  rules: [{ ...RULE, confidence: 60, hours: "peak", between: "10:00-12:00", lead_minutes: 5, name: "Cheap" }],
  outputs: [
    { ...BOILER, relay: "0", rule: "cheap", name: "Tank", keep: false },
    { use: "car", kind: "other", place: "wallbox/set", payload: "off", otherwise: "on", report: "wallbox" },
  ],
  rates: [RATE],
  ...{ broker_address: "mqtt://nas", broker_username: "v", broker_password: "p" },
};

describe.skipIf(withoutCheck)(`Home Assistant's own Supervisor ${withoutCheck}`, () => {
  test("accepts the folder and the options that it ships, without a warning", async () => {
    const { given, said } = await checkOptions(APP);
    expect(said).toBe("");
    expect(JSON.parse(given ?? "")).toEqual(CONFIG.options);
    expect(readForm(given ?? "")).toMatchObject({ form: { language: "fr" } });
  });

  test("accepts what the zip unpacks to", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vigie-app-"));
    try {
      execFileSync("unzip", ["-q", join(APP, "..", `vigie-app-${CONFIG.version}.zip`), "-d", folder]);
      const { given, said } = await checkOptions(join(folder, "vigie"));
      expect(said).toBe("");
      expect(JSON.parse(given ?? "")).toEqual(CONFIG.options);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("accepts a form in which everything is filled in, which vigie then reads", async () => {
    const { given, said } = await checkOptions(APP, FULL);
    expect(said).toBe("");
    expect(JSON.parse(given ?? "")).toEqual(FULL);
    expect(readForm(given ?? "")).toHaveProperty("form.outputs[1].place", "wallbox/set");
  });

  test.each<[object, RegExp]>([
    [{ language: "de" }, /value must be one of \['en', 'fr'\]|de/],
    [{ official_colors: "perhaps" }, /expected boolean/],
    [{ rules: "none" }, /Invalid list for option 'rules'/],
    [{ rules: [{ id: "a", colors: "rouge" }] }, /Missing option 'day' in rules/],
    [{ rules: [{ ...RULE, colors: "vert" }] }, /value must be one of|vert/],
    [{ rules: [{ ...RULE, confidence: 101 }] }, /at most 100/],
    [{ outputs: [{ ...BOILER, kind: "fritz" }] }, /value must be one of|fritz/],
    [{ outputs: [{ ...BOILER, relay: 1 }] }, /expected str/],
    [{ rates: [{ ...RATE, rouge_peak: "dear" }] }, /expected float/],
    [{ colour: "rouge" }, /Option 'colour' does not exist in the schema/],
  ])("refuses %j, or warns of it", async (options, words) => {
    const { said } = await checkOptions(APP, { ...CONFIG.options, ...options });
    expect(said).toMatch(words);
  });
});
