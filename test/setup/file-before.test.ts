import { expect, test } from "vitest";
import { deviceOutput } from "../../src/config/device-templates.ts";
import { configText } from "../../src/setup/compose-config.ts";
import { isShipped, outputsIn } from "../../src/setup/file-before.ts";
import { WORDS } from "../../src/setup/words.ts";
import { readPage } from "../support/guide.ts";

const SHIPPED = readPage("config/vigie.yaml");

test("the file that vigie ships is known: after a change of config/vigie.yaml, src/setup/file-before.ts needs its new SHA-256", () => {
  expect(isShipped(SHIPPED)).toBe(true);
  expect(isShipped(SHIPPED.replaceAll("\n", "\r\n"))).toBe(true);
});

test("a file that somebody has changed, or that a set-up has written, is not the one that vigie ships", () => {
  const written = configText(
    { base_url: "none", source: "rte", broker: { url: "mqtt://broker" }, language: "fr", outputs: [] },
    { words: WORDS.fr.comments, explainedIn: null, hasSchema: true },
  );
  expect([`${SHIPPED}\n`, SHIPPED.replace("simulator", "none"), written, ""].map(isShipped)).toEqual(
    Array(4).fill(false),
  );
});

test("the devices that a file switches are named as people know them, and its messages apart", () => {
  const named = { id: "boiler", name: { fr: "Ballon", en: "Boiler" }, when: "rouge_peak" };
  const outputs = [
    deviceOutput(named, { kind: "tasmota", place: "boiler" }),
    { id: "car", name: "Voiture", topic: "a/b" },
    { id: "pool", name: { en: "Pool" }, topic: "a/c" },
    { topic: "shellies/x/relay/0/command" },
    { id: "told", topic: "a/d", message: true },
  ];
  const text = JSON.stringify({ outputs });
  expect(outputsIn(text, "fr")).toEqual({
    devices: ["Ballon", "Voiture", "Pool", "shellies/x/relay/0/command"],
    messages: ["told"],
  });
  expect(outputsIn(text, "en").devices.slice(0, 1)).toEqual(["Boiler"]);
  expect(
    ["", SHIPPED, "outputs: {", "outputs: boiler", "outputs: [1]"].map((one) => outputsIn(one, "fr")),
  ).toEqual(Array(5).fill({ devices: [], messages: [] }));
});
