import { describe, expect, test } from "vitest";
import type { KnownDay } from "../../src/core/days/known-days.ts";
import type { Choice, Output, Payload } from "../../src/core/outputs/output.ts";
import { examplesBelow } from "../guides/page-blocks.ts";
import { daysHouse } from "../support/days-house.ts";
import { readPage } from "../support/guide.ts";
import { official } from "../support/known-days.ts";
import { BOILER } from "../support/outputs.ts";
import { HOUR, START } from "../support/outputs-house.ts";

/** The configurations of docs/recipes.md in virtual time: what is sent when. Home Assistant is not asked here. */
const PAGE = readPage("docs/recipes.md");
const BATTERY = "A home battery";
const THERMOSTAT = "The preset of a thermostat by colour";
const HEATING = "Heating by a thermostat of Home Assistant";

describe("docs/recipes.md", () => {
  test("the battery is charged before each rouge day, kept in other winter nights, and used in the peak hours", () => {
    const days = {
      "2026-01-05": official("bleu"),
      "2026-01-06": official("rouge"),
      "2026-01-07": official("rouge"),
      "2026-01-08": official("blanc"),
    };
    const sent = sentBetween(BATTERY, ["2026-01-05T21:00", "2026-01-07T23:00"], days);
    expect(sent).toEqual([
      "2026-01-05 21:00 auto",
      "2026-01-05 22:00 charge",
      "2026-01-06 05:55 auto",
      "2026-01-06 22:00 charge",
      "2026-01-07 05:55 auto",
      "2026-01-07 22:00 hold",
    ]);
  });

  test("the battery is charged in a winter night of which nobody knows whether it is before a rouge day", () => {
    const days = { "2026-01-05": official("bleu") };
    const sent = sentBetween(BATTERY, ["2026-01-05T21:00", "2026-01-06T06:30"], days);
    expect(sent).toEqual(["2026-01-05 21:00 auto", "2026-01-05 22:00 charge", "2026-01-06 05:55 auto"]);
  });

  test("the battery is left alone in summer nights, also if no colour is known", () => {
    const sent = sentBetween(BATTERY, ["2026-07-06T21:00", "2026-07-07T05:30"], {});
    expect(sent.map((line) => line.slice(-4))).toEqual(["auto"]);
  });

  test.each([0, 1])(
    "the thermostat has another preset for each colour, in the peak hours (block %i)",
    (block) => {
      const [rouge, blanc, otherwise] =
        block === 0 ? ["eco", "comfort_-1", "comfort"] : ["away", "eco", "comfort"];
      const days = {
        "2026-01-05": official("bleu"),
        "2026-01-06": official("rouge"),
        "2026-01-07": official("blanc"),
        "2026-01-08": official("bleu"),
      };
      const sent = sentBetween(THERMOSTAT, ["2026-01-06T05:00", "2026-01-07T23:00"], days, block);
      expect(sent.map((line) => line.replace(/\{"pilot_wire_mode":"(.*)"\}/, "$1"))).toEqual([
        `2026-01-06 05:55 ${rouge}`,
        `2026-01-06 22:00 ${otherwise}`,
        `2026-01-07 06:00 ${blanc}`,
        `2026-01-07 22:00 ${otherwise}`,
      ]);
    },
  );

  test("it is warmer in the last hours before a rouge day, and cooler in its peak hours", () => {
    const days = {
      "2026-01-05": official("bleu"),
      "2026-01-06": official("rouge"),
      "2026-01-07": official("bleu"),
    };
    const sent = sentBetween(HEATING, ["2026-01-06T03:00", "2026-01-06T23:00"], days);
    expect(sent).toEqual(["2026-01-06 03:30 21", "2026-01-06 05:55 17", "2026-01-06 22:00 19"]);
  });

  test.each([THERMOSTAT, HEATING])(
    "readme: Never more than it knows · without a colour nothing is sent: %s",
    (title) => {
      expect(sentBetween(title, ["2026-01-05T21:00", "2026-01-06T12:00"], {})).toEqual([]);
    },
  );
});

/** What the output of a part sends, and when, in winter or summer time of Paris. */
function sentBetween(
  title: string,
  [from, to]: [from: string, to: string],
  days: Record<string, KnownDay>,
  block = 0,
): string[] {
  const { rules, outputs } = examplesBelow(PAGE, title)[block]!;
  const zone = from.includes("-07-") ? 2 : 1;
  const at = (local: string) => `${local}:00+0${zone}:00`;
  const { choose, ...rest } = outputs[0] as unknown as { choose: Choice[]; else?: string | Payload };
  const { vigie, know, until } = daysHouse({
    ...{ rules, choose, output: withElse(rest.else), from: at(from) },
    every: HOUR / 2,
  });
  know(days);
  vigie.connect();
  until(at(to));
  return vigie.sent.map(({ at: sentAt, payload }) => {
    const local = new Date(START + sentAt + zone * 3_600_000).toISOString();
    return `${local.slice(0, 16).replace("T", " ")} ${payload}`;
  });
}

function withElse(otherwise: string | Payload | undefined): Output {
  const { else: _others, ...output } = BOILER;
  if (otherwise === undefined) return output;
  return { ...output, else: typeof otherwise === "string" ? { payload: otherwise } : otherwise };
}
