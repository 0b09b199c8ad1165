import { z } from "zod";
import { COLORS, PERIODS, WEEKDAYS } from "../core/calendar/tariff.ts";
import { STAGES } from "../core/facts/facts.ts";
import { type Condition, DAY_NAMES, LONGEST_RANGE } from "../core/rules/rule.ts";
import { valueAt } from "../runtime/value-at.ts";
import {
  durationText,
  jsonPath,
  month,
  noGroup,
  numberFrom,
  oneOrMore,
  percentFrom,
  ruleId,
  topic,
  wallTime,
  wholeNumberFrom,
} from "./value-schemas.ts";

const RANGES = Array.from({ length: LONGEST_RANGE }, (_, index) => `next_${index + 1}_days` as const);
const A_DAY = `one of ${[...DAY_NAMES, "next_1_days"].join(", ")} … next_${LONGEST_RANGE}_days`;

/** A group of which one option or more must be given. */
function someOf<const Shape extends z.ZodRawShape>(shape: Shape, expected: string) {
  return z
    .strictObject(shape, { error: noGroup(expected) })
    .refine(hasSome, { error: expected, when: ({ issues }) => issues.length === 0 });
}

function hasSome(given: object): boolean {
  return Object.values(given).some((value) => value !== undefined);
}

function numberBounds(lowest: number, highest: number, what: string) {
  const bound = numberFrom(lowest, highest, `${what} from ${lowest} to ${highest}`).optional();
  return someOf(
    {
      above: bound.meta({ description: "More than this." }),
      below: bound.meta({ description: "Less than this." }),
      at_most: bound.meta({ description: "This or less." }),
      at_least: bound.meta({ description: "This or more." }),
    },
    "bounds, such as { at_most: 3 } (above, below, at_most, at_least)",
  );
}

const price = numberBounds(0, 5, "a price in EUR/kWh");
const days = numberBounds(0, 366, "a number of days").meta({ id: "numberOfDays" });

const counts = someOf(
  {
    rouge: days.optional().meta({ description: "How many rouge days." }),
    blanc: days.optional().meta({ description: "How many blanc days." }),
    bleu: days.optional().meta({ description: "How many bleu days." }),
  },
  "one or more colours with their bounds, such as { rouge: { at_most: 3 } }",
);

const A_VALUE = "a text that is not empty, a number, true or false, or a list of them";
const AN_MQTT_TEST = "a test, such as { topic: car/status, path: battery, below: 40, max_age: 2h }";

const anyNumber = z.number({ error: "a number" }).optional();
const scalar = z.union([z.string().min(1, { error: A_VALUE }), z.number(), z.boolean()], { error: A_VALUE });

/** A test of what another program in the house publishes. */
const value = z
  .strictObject(
    {
      topic: topic.meta({ description: "Topic on which the value is published." }),
      path: jsonPath("battery or data.0.level").optional().meta({
        description:
          "Where the value stands in the payload's JSON: keys and, in lists, numbers from 0 on, joined by dots. Default: the payload itself is the value.",
      }),
      above: anyNumber.meta({ description: "Is it a number over this?" }),
      below: anyNumber.meta({ description: "Is it a number under this?" }),
      at_most: anyNumber.meta({ description: "Is it this number or less?" }),
      at_least: anyNumber.meta({ description: "Is it this number or more?" }),
      equals: z
        .union([scalar, z.array(scalar).min(1, { error: A_VALUE })], { error: A_VALUE })
        .optional()
        .meta({
          description:
            "Is it this text, number, true or false, or one of a list? Numbers are compared as numbers, all else exactly.",
        }),
      max_age: durationText("10s", "8760h").optional().meta({
        description:
          "How long after it was published a value may be relied on; then the condition is unknown. Default: for ever.",
      }),
    },
    { error: noGroup(AN_MQTT_TEST) },
  )
  .superRefine(checkValueTest, { when: ({ issues }) => issues.length === 0 });

type GivenValueTest = z.output<typeof value>;

function checkValueTest(given: GivenValueTest, context: z.core.$RefinementCtx): void {
  const [key, message] = findContradiction(given) ?? [];
  if (key !== undefined) context.addIssue({ code: "custom", path: [key], message });
}

/** Options that leave nothing to test, or that no value can pass: the one to report, and what is expected there. */
function findContradiction(given: GivenValueTest): [key: string, expected: string] | undefined {
  const { above, below, at_most, at_least, equals } = given;
  const [bound] = BOUNDS.filter((key) => given[key] !== undefined);
  if (equals !== undefined) return bound && [bound, "either equals or bounds, not both"];
  if (bound === undefined)
    return ["topic", `${BOUNDS.join(", ")} or equals beside it: what is asked of the value`];
  if (above !== undefined && at_least !== undefined) return ["at_least", "above or at_least, not both"];
  if (below !== undefined && at_most !== undefined) return ["at_most", "below or at_most, not both"];
  const [low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY] = [
    above ?? at_least,
    below ?? at_most,
  ];
  const isOneNumber = low === high && at_least !== undefined && at_most !== undefined;
  if (low < high || isOneNumber) return undefined;
  return [above === undefined ? "at_least" : "above", `less than ${high}, or no number passes`];
}

const BOUNDS = ["above", "below", "at_most", "at_least"] as const;

const A_PERCENT = "a whole percent from 0 to 100, or threshold for the rule's own";
const percent = percentFrom(A_PERCENT);
const TWO_TIMES = 'two different times of day, such as ["03:30", "06:00"]';
const A_CONDITION = "a condition, such as { day: next, color: rouge }";
const SOME_CONDITIONS = "a list of conditions, such as [ { day: now, color: rouge }, { period: hp } ]";

export const between = z
  .tuple([wallTime, wallTime], { error: TWO_TIMES })
  .refine(([from, to]) => from !== to, { error: TWO_TIMES });

/** What one condition may test. Each key is read in read-condition.ts: one that is not read there does not compile. */
const testOptions = {
  day: z
    .enum([...DAY_NAMES, ...RANGES], { error: A_DAY })
    .optional()
    .meta({
      description:
        "The day that is asked. now and next are tariff days (they flip at 06:00); today, tomorrow, d2 … d7 civil days (they flip at 00:00); next_3_days the 3 tariff days from next on: at least one of them, unless at_least or every says otherwise.",
    }),
  color: oneOrMore(COLORS).optional().meta({ description: "Is the day of this colour, or of one of these?" }),
  confidence: z
    .union([percent, z.literal("threshold")], { error: A_PERCENT })
    .optional()
    .meta({
      description:
        "A forecast counts from this confidence on, in percent; an official colour always does. threshold: the rule's own, movable one.",
    }),
  official: z.boolean().optional().meta({ description: "Is the day's colour official?" }),
  stage: oneOrMore(STAGES).optional().meta({
    description:
      "How far is the day's colour? forecast, announced (official, may still be corrected) or final; one or a list.",
  }),
  known: z.boolean().optional().meta({ description: "Is the day's colour known at all?" }),
  at_least: wholeNumberFrom(1, LONGEST_RANGE, `a number of days from 1 to ${LONGEST_RANGE}`)
    .optional()
    .meta({ description: "For day: next_N_days: how many of its days must be so. Default one." }),
  every: z
    .literal(true, { error: "true (leave it out otherwise)" })
    .optional()
    .meta({ description: "For day: next_N_days: each of its days must be so." }),
  period: z.enum(PERIODS).optional().meta({ description: "Is it peak (hp) or off-peak (hc) now?" }),
  between: between.optional().meta({
    description:
      'Is the time on the wall between these two, the first included? May go over midnight: ["22:00", "06:00"].',
  }),
  weekday: oneOrMore(WEEKDAYS).optional().meta({
    description: "Is the tariff day in force one of these? Before 06:00 that is yesterday.",
  }),
  month: month.optional().meta({
    description:
      "Is the tariff day in force in one of these months, jan … dec or 1 to 12? Before 06:00 that day is yesterday.",
  }),
  rule: ruleId.optional().meta({
    description:
      "Id of another rule: is it ON? Its verdict counts as it is published, after its lead, lag, hold and when_unknown; OFF while it is disabled. Rules may not refer to each other in a circle, and leads and lags along a chain of rules sum to at most 24h.",
  }),
  rate: price.optional().meta({ description: "The price in force now, EUR/kWh." }),
  days_remaining: days.optional().meta({ description: "Days to go in the season, as the service says." }),
  remaining: counts
    .optional()
    .meta({ description: "Days of a colour that the season still has, as the service says." }),
  left: counts.optional().meta({
    description: "The same by vigie's own count; not known while a day of the season is missing.",
  }),
  mqtt: value.optional().meta({
    description:
      "A value that something else in the house publishes, such as a battery's charge or an outside temperature. Unknown while it was not heard, or is older than max_age.",
  }),
};

type GivenTests = z.output<z.ZodObject<typeof testOptions>>;

/** A condition as it is written in the configuration: keys in one object are joined by "and". */
export interface GivenCondition extends GivenTests {
  all?: GivenCondition[] | undefined;
  any?: GivenCondition[] | undefined;
  not?: GivenCondition | undefined;
}

type ConditionShape = {
  [Key in keyof GivenCondition]-?: z.ZodType<GivenCondition[Key], GivenCondition[Key]>;
};

const shape: ConditionShape = {
  get all() {
    return conditions().meta({ description: "ON when each of these is; OFF when one is." });
  },
  get any() {
    return conditions().meta({ description: "ON when one of these is; OFF when each is." });
  },
  get not() {
    return conditionOptions.optional().meta({ description: "ON when this is OFF, and OFF when it is ON." });
  },
  ...testOptions,
};

export const conditionOptions: z.ZodType<GivenCondition, GivenCondition> = z
  .strictObject(shape, { error: noGroup(A_CONDITION) })
  .refine(hasSome, {
    error: A_CONDITION,
    when: ({ issues }) => issues.length === 0,
  })
  // Also beside other problems, for all are said at once; but a word that is not known may be the one that is missing.
  .superRefine(checkCondition, {
    when: ({ issues }) => !issues.some(({ code, path }) => code === "unrecognized_keys" && !path?.length),
  })
  .meta({ description: "Keys in one object are joined by and; all, any and not nest." });

/** The keys that stand beside `day`; what is left out here, or is no kind of condition, does not compile. */
const DAY_KEYS: Record<Exclude<keyof GivenCondition, Condition["kind"]>, "tests a day" | "counts days"> = {
  color: "tests a day",
  confidence: "tests a day",
  official: "tests a day",
  stage: "tests a day",
  known: "tests a day",
  at_least: "counts days",
  every: "counts days",
};

/** What may not stand together in one condition. Parts of it may be wrong in themselves, so each is read with care. */
function checkCondition(given: unknown, context: z.core.$RefinementCtx): void {
  const say = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  const has = (key: string) => valueAt(given, [key]) !== undefined;
  const day = valueAt(given, ["day"]);
  if (day === undefined) {
    for (const key of [...TESTS, ...COUNTS].filter(has))
      say(key, `day beside it, such as { day: next, ${key}: … }`);
    return;
  }
  if (!TESTS.some(has))
    say("day", `${TESTS.slice(0, -1).join(", ")} or ${TESTS.at(-1)} beside it: what is asked of the day`);
  const length = rangeLength(day);
  if (length === undefined) return;
  if (length === null) {
    for (const key of COUNTS.filter(has)) say(key, "a range of days beside it, such as { day: next_7_days }");
    return;
  }
  const least = valueAt(given, ["at_least"]);
  if (has("at_least") && has("every")) say("every", "at_least or every, not both");
  if (typeof least === "number" && least > length)
    say("at_least", `at most ${length}, the days of ${String(day)}`);
}

/** How many days a range has; null of a single day, undefined of what is none. */
export function rangeLength(day: unknown): number | null | undefined {
  if (typeof day !== "string") return undefined;
  const [, length] = /^next_(\d)_days$/.exec(day) ?? [];
  return length === undefined ? null : Number(length);
}

const TESTS = Object.entries(DAY_KEYS).flatMap(([key, role]) => (role === "tests a day" ? [key] : []));
const COUNTS = Object.entries(DAY_KEYS).flatMap(([key, role]) => (role === "counts days" ? [key] : []));

function conditions() {
  return z.array(conditionOptions, { error: SOME_CONDITIONS }).min(1, { error: SOME_CONDITIONS }).optional();
}
