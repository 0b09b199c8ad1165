import type { Device, HouseConfig, OutputText } from "../scenario.ts";
import { HOUSE, ROUGE_PEAK } from "./scene.ts";

/** The 13th of January is rouge, and its expensive hours begin at 06:00. */
export const ROUGE_MORNING = {
  date: "2026-01-13",
  from: "05:45",
  colors: { "2026-01-12": "blanc", "2026-01-13": "rouge", "2026-01-14": "bleu" },
} as const;
export const EARLY_ROUGE_PEAK = { ...ROUGE_PEAK, name: "Rouge peak hours", lead: "5m" };

/** A relay that says its state as JSON. */
export const CONFIRMED_BOILER: OutputText = {
  id: "boiler",
  name: "Boiler",
  topic: "boiler/set",
  choose: [{ when: "rouge_peak", payload: "off", expect: "false" }],
  else: { payload: "on", expect: "true" },
  confirm: { topic: "boiler/status", path: "output", keep: true },
};
export const BOILER_DEVICE: Device = {
  id: "boiler",
  report: { topic: "boiler/status", retain: true },
  path: "output",
  manner: "obeys",
  words: { on: "true", off: "false" },
};

/** A house with these outputs. */
export function houseWith(...list: readonly OutputText[]): HouseConfig {
  return { ...HOUSE, rules: [EARLY_ROUGE_PEAK], outputs: { list } };
}
