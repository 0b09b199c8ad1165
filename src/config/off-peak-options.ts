import { z } from "zod";
import { addDays, datesBetween } from "../core/calendar/dates.ts";
import { offPeakRow } from "../core/calendar/period.ts";
import { type OffPeakRow, WEEKDAYS } from "../core/calendar/tariff.ts";
import { listOf, month, monthOf, oneOrMore, TIME } from "./value-schemas.ts";

const A_WINDOW = 'two different times of day, such as "22:00-06:00" or "00:00-24:00"';
const LATE_BEGINNING = `${A_WINDOW}, the first one before 24:00`;
const A_ROW = `a window, such as "22:00-06:00", or a row, such as { weekdays: [sat, sun], windows: ["00:00-24:00"] }`;
const SOME_WINDOWS = 'a list of windows, such as ["22:00-06:00"], or none if no hour is off-peak';

/** `22:00-06:00`; read as its two times. A window may end at 24:00. */
const offPeakWindow = z
  .string({ error: A_WINDOW })
  .regex(new RegExp(`^${TIME}-(${TIME}|24:00)$`), {
    error: ({ input }) => (String(input).startsWith("24:00-") ? LATE_BEGINNING : A_WINDOW),
  })
  .transform((text) => ({ from: text.slice(0, 5), to: text.slice(6) }))
  .refine(({ from, to }) => from !== to, { error: A_WINDOW });

const windows = z
  .union([z.array(offPeakWindow).min(1, { error: SOME_WINDOWS }), z.literal("none")], { error: SOME_WINDOWS })
  .transform((given) => (given === "none" ? [] : given));

const A_DATE = "a date, such as 2026-12-01";
// isReached looks a year ahead, and the calendar ends with 9999.
const beginning = z.iso.date({ error: A_DATE }).refine((date) => date < "9998", { error: A_DATE });

const row = z
  .strictObject({
    from: beginning.optional().meta({
      description: "Date from whose 00:00 on the row counts, for a contract that changes. Default: always.",
    }),
    months: month.optional().meta({
      description: "Months in which it counts, jan … dec or 1 to 12; one or a list. Default: all.",
    }),
    weekdays: oneOrMore(WEEKDAYS).optional().meta({
      description: "Days of the week on which it counts, mon … sun; one or a list. Default: all.",
    }),
    windows: windows.meta({
      description: 'Its off-peak hours, such as ["22:00-05:00", "14:00-15:00"]; none if there are none.',
    }),
  })
  .transform(
    ({ from, months, weekdays, windows: ofRow }): OffPeakRow => ({
      from,
      months: months === undefined ? undefined : listOf(months).map(monthOf),
      weekdays: weekdays === undefined ? undefined : listOf(weekdays),
      windows: ofRow,
    }),
  );

type Given = z.output<typeof offPeakWindow> | OffPeakRow;

/** Windows, which count on each date, or rows with windows of their own. */
export const offPeakOptions = z
  .array(
    z.union([offPeakWindow, row], {
      error: ({ input }) => (typeof input === "string" ? windowFault(input) : A_ROW),
    }),
    { error: 'a list of windows, such as ["22:00-06:00"], or of rows' },
  )
  .superRefine(
    (given, context) => {
      for (const { index, expected, advice } of findFaults(given))
        context.addIssue({ code: "custom", path: [index], message: expected, params: { advice } });
    },
    // A row with an unknown key may have another condition than it seems.
    { when: ({ issues }) => issues.length === 0 },
  )
  .transform((given): OffPeakRow[] =>
    given.some(isRow) ? given.filter(isRow) : [{ windows: given.filter(isWindow) }],
  );

function windowFault(text: string): string {
  return offPeakWindow.safeParse(text).error?.issues[0]?.message ?? A_WINDOW;
}

function isRow(given: Given): given is OffPeakRow {
  return "windows" in given;
}

function isWindow(given: Given): given is z.output<typeof offPeakWindow> {
  return !isRow(given);
}

interface RowFault {
  index: number;
  expected: string;
  advice: string;
}

/** What is wrong with rows that are right in themselves. */
function findFaults(given: readonly Given[]): RowFault[] {
  const rows = given.filter(isRow);
  if (rows.length === 0) return [];
  if (rows.length < given.length) {
    const texts = given.filter(isWindow).map(({ from, to }) => `"${from}-${to}"`);
    return [
      {
        index: given.findIndex(isWindow),
        expected: `a row, as there are others: { windows: [${texts.join(", ")}] }`,
        advice: "Write either windows alone or rows alone",
      },
    ];
  }
  const last = rows.length - 1;
  const everyDate = rows.findIndex(fitsEveryDate);
  if (everyDate >= 0 && everyDate < last)
    return [
      {
        index: everyDate,
        expected: "the row without months, weekdays and from as the last one",
        advice:
          "The first row that fits a date counts, so none after this one ever would: move it to the end. Windows of the same dates stand in one row",
      },
    ];
  const unreached = rows.flatMap((_, index) => (isReached(rows.slice(0, index + 1)) ? [] : [index]));
  return [
    ...unreached.map((index) => ({
      index,
      expected: "a row that counts on some date",
      advice:
        "The first row that fits a date counts, and on each of its dates that is an earlier one: move it up, or remove it",
    })),
    ...(everyDate < 0
      ? [
          {
            index: last,
            expected: "a last row without months, weekdays and from, for all other dates",
            advice: 'Add one, such as - { windows: ["22:00-06:00"] }, or with windows: none',
          },
        ]
      : []),
  ];
}

function fitsEveryDate({ from, months, weekdays }: OffPeakRow): boolean {
  return from === undefined && months === undefined && weekdays === undefined;
}

/**
 * Whether the last of these rows counts on some date. As time goes on, only more of the rows before it have begun: a year from
 * its own beginning shows it, with each weekday in each month.
 */
function isReached(rows: readonly OffPeakRow[]): boolean {
  const row = rows.at(-1);
  const { from = "2026-01-01" } = row ?? {};
  const begun = row?.from === undefined ? rows.filter((one) => one.from === undefined) : rows;
  return datesBetween(from, addDays(from, 366)).some((date) => offPeakRow(date, begun) === row);
}
