import { addDays, instantInParis, possibleColors } from "./calendar.ts";
import type { Draw } from "./draw.ts";
import type { ConditionText, HouseConfig, OutputText, ScriptEvent, WebFault } from "./scenario.ts";

/** Where the service is that delivers the message of these days. No other output is there. */
const SERVICE = "https://phone.example";

interface RougeDays {
  colors: Record<string, "rouge">;
  /** Perhaps the service of the message is away for a day. */
  disturb: (events: readonly ScriptEvent[], from: string) => ScriptEvent[];
}

/** Two or three rouge days in a row, from the second day of a household on; null: it is no winter. */
export function drawRougeDays(draw: Draw, begin: string): RougeDays | null {
  const days = [1, 2, 3].slice(0, 1 + draw.whole(1, 2)).map((ahead) => addDays(begin, ahead));
  if (!days.every((date) => possibleColors(date).includes("rouge"))) return null;
  return {
    colors: Object.fromEntries(days.map((date) => [date, "rouge"])),
    disturb: (events, from) => {
      const before = instantInParis(begin, draw.one(["06:30", "10:00", "18:00"]));
      const at = Math.max(60, (before - Date.parse(from)) / 1000);
      const fault = draw.one<WebFault | null>([
        { kind: "refuses" },
        { kind: "is unreachable" },
        { kind: "hangs", seconds: null },
        { kind: "status", status: 502 },
        null,
      ]);
      const away = { at, kind: "web", host: SERVICE, for: 24 * 3_600 } as const;
      return fault ? [...events, { ...away, fault }].sort((one, other) => one.at - other.at) : [...events];
    },
  };
}

/** Adds a message about rouge days to a configuration, the same to each. */
export function drawRougeMessage(draw: Draw): (config: HouseConfig) => HouseConfig {
  const word = draw.one(["next", "next", "tomorrow", "now"]);
  const certainty = draw.one([{}, {}, { confidence: 80 }, { stage: ["announced", "final"] }]);
  const when: ConditionText = { day: word, color: "rouge", ...certainty };
  const payload = draw.one([`{${word}.date}: {${word}.color}`, "a rouge day"]);
  const url = `${SERVICE}/phone/set${draw.chance(0.3) ? "?id={id}" : ""}`;
  const way = draw.chance(0.7) ? { url, method: draw.one(["POST", "PUT"] as const) } : { topic: "phone/set" };
  const phone: OutputText = { id: "phone", ...way, message: true, choose: [{ when: "rouge_day", payload }] };
  return (config) => ({
    ...config,
    rules: [...config.rules, { id: "rouge_day", when }],
    outputs: { ...config.outputs, list: [...config.outputs.list, phone] },
  });
}
