import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { DEVICE_KINDS, DEVICE_USES, deviceOutput } from "../../src/config/device-templates.ts";
import { type Answers, configText } from "../../src/setup/compose-config.ts";
import { WORDS } from "../../src/setup/words.ts";
import { loadText } from "../config/folder.ts";
import { runs } from "../support/long.ts";

const ANSWERS: Answers = {
  base_url: "none",
  source: "rte",
  broker: { url: "mqtt://192.0.2.10:1883", username: "vigie" },
  language: "fr",
  outputs: [],
};
const write = (answers: Partial<Answers>, language: "fr" | "en" = "en") =>
  configText(
    { ...ANSWERS, language, ...answers },
    { words: WORDS[language].comments, explainedIn: null, hasSchema: true },
  );
const boiler = { id: "boiler", name: DEVICE_USES.boiler.name, when: "rouge_peak" };

describe("the configuration that is written", () => {
  test.each(["fr", "en"] as const)(
    "loads without a warning, has its parts in order, and a comment for each: %s",
    async (language) => {
      const outputs = DEVICE_KINDS.map((kind, index) => {
        const names = { ...boiler, id: `boiler_${index}` };
        if (kind === "other")
          return deviceOutput(names, {
            kind,
            topic: "pump/set",
            payload: "17",
            otherwise: "20",
            report: "pump",
          });
        return deviceOutput(names, { kind, place: `place ${index}` });
      });
      const text = write({ outputs, password: { file: "/etc/secret file", handedOver: true } }, language);
      expect(text).toContain(language === "fr" ? "docs/fr/tariff.md" : "docs/tariff.md");
      const { config, warnings } = await loadText(text, { VIGIE_MQTT_PASSWORD: "secret" });
      expect(warnings).toEqual([]);
      expect(config.homeassistant.language).toBe(language);
      expect(config.outputs.list).toHaveLength(DEVICE_KINDS.length);
      const parts = text.split(/\n\n/).slice(1);
      expect(parts.map((part) => /^(\w+):/m.exec(part)?.[1])).toEqual(Object.keys(parse(text)));
      for (const part of parts) expect(part).toMatch(/^# \S/);
      expect(text.startsWith("# yaml-language-server: $schema=./vigie.schema.json\n")).toBe(true);
    },
  );

  test("says the same of words that other readers of YAML take for something else", () => {
    const device = {
      kind: "other",
      topic: "pump/set",
      payload: "off",
      otherwise: "on",
      report: "pump",
    } as const;
    const text = write({ outputs: [deviceOutput(boiler, device)] });
    expect(text).toContain('payload: "off"');
    expect(text).toContain('else: "on"');
  });

  test("names the rules of its outputs only, and asks for no forecast where there is none", async () => {
    const car = deviceOutput({ ...boiler, when: "rouge_or_blanc_peak" }, { kind: "tasmota", place: "car" });
    const idsOf = (text: string) => parse(text).rules.map(({ id }: { id: string }) => id);
    expect(idsOf(write({}))).toEqual(["rouge_ahead", "rouge_peak"]);
    expect(idsOf(write({ outputs: [car] }))).toEqual(["rouge_ahead", "rouge_peak", "rouge_or_blanc_peak"]);
    expect(write({})).not.toContain("confidence");
    expect(write({ base_url: "https://days.example" })).toContain("confidence: 80");
  });

  test("holds any name, topic, user and path as it was given", async () => {
    const odd = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).map((text) => `${text}x`);
    await fc.assert(
      fc.property(odd, odd, odd, odd, (name, topic, username, file) => {
        const output = deviceOutput(
          { ...boiler, name },
          { kind: "other", topic, payload: name, report: username },
        );
        const broker = { url: "mqtts://broker.lan", username, tls: { ca_file: file } };
        const read = parse(
          write({ broker, outputs: [output], password: { file: topic, handedOver: false } }),
        );
        expect(read.mqtt).toEqual({
          url: broker.url,
          username,
          password_file: topic,
          tls: { ca_file: file },
        });
        expect(read.outputs).toEqual([output]);
      }),
      { numRuns: runs(300) },
    );
  });
});
