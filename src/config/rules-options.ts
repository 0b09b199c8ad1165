import { z } from "zod";
import type { Rule } from "../core/rules/rule.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import { conditionOptions } from "./condition-options.ts";
import { readCondition } from "./read-condition.ts";
import { findKey, findReferenceProblems } from "./rule-references.ts";
import { duration, idWord, nameInLanguages, noGroup, percentFrom, readName } from "./value-schemas.ts";

const percent = percentFrom("a whole percent from 0 to 100");
const A_RULE = "a rule, such as { id: rouge_now, when: { day: now, color: rouge } }";
const shift = () => duration("0s", "24h").optional();

/** An output says which rule has decided, and these words for no rule. */
export const WORDS_OF_OUTPUTS = ["else", "unknown"];
const ruleId = idWord.refine((id) => !WORDS_OF_OUTPUTS.includes(id), {
  error: "another id: else and unknown are words of outputs",
});

const rule = z
  .strictObject(
    {
      id: ruleId.meta({
        description:
          "Names the rule in topics and outputs: small letters and digits, joined by underscores. Each once. Choose it once: under another name it is another rule.",
      }),
      name: nameInLanguages.optional().meta({
        description: "What people read, in one language or both: { fr: …, en: … }. Default: the id.",
      }),
      when: conditionOptions.meta({ description: "What must be so for the rule to be ON." }),
      when_unknown: z.enum(["on", "off"]).optional().meta({
        description:
          "What an unknown verdict counts as, everywhere. Default: it stays unknown, and is said so.",
      }),
      lead: shift().meta({ description: "ON this much earlier. Default 0s, at most 24h." }),
      lag: shift().meta({ description: "OFF this much later. Default 0s, at most 24h." }),
      hold: shift().meta({
        description:
          "How long no forecast and no value of the house (mqtt) turns the rule again, after one has. Never delays the clock, and an official colour ends it. Default 0s, at most 24h.",
      }),
      threshold: percent.optional().meta({
        description:
          "The percent that confidence: threshold stands for. It can be moved while vigie runs. Default: none.",
      }),
    },
    { error: noGroup(A_RULE) },
  )
  .superRefine(
    (given: unknown, context) => {
      for (const path of findThresholds(given)) {
        context.addIssue({
          code: "custom",
          path,
          message: "a percent, or threshold: 60 beside this rule's id",
        });
      }
    },
    { when: () => true },
  );

type GivenRule = z.output<typeof rule>;

/** A rule in the form that its evaluation takes. */
function readRule({ id, name, when, when_unknown, lead, lag, hold, threshold }: GivenRule): Rule {
  return {
    id,
    name: readName(name, id),
    when: readCondition(when),
    when_unknown: when_unknown ?? null,
    lead: lead ?? 0,
    lag: lag ?? 0,
    hold: hold ?? 0,
    threshold: threshold ?? null,
  };
}

export const rulesOptions = z
  .array(rule, { error: "a list of rules, each beginning with - id: …, or [] for none" })
  .max(10_000, { error: "at most 10000 rules" })
  .superRefine(
    (given: unknown, context) => {
      for (const { index, first } of repeatedIds(given)) {
        const params = { first: ["rules", first, "id"] };
        context.addIssue({
          code: "custom",
          path: [index, "id"],
          message: "an id that no other rule has",
          params,
        });
      }
      for (const { path, expected } of findReferenceProblems(given)) {
        context.addIssue({ code: "custom", path, message: expected });
      }
    },
    { when: () => true },
  )
  // Beside a key that is not known nothing is read: the configuration is refused, and a condition may have no key that is.
  .transform((given, { issues }) => (issues.length > 0 ? (given as never) : given.map(readRule)))
  .prefault([])
  .meta({
    description:
      "What is true of the days: each rule is ON, OFF or unknown, with reasons, and is published below rules/<id>. Default [].",
  });

function repeatedIds(given: unknown): { index: number; first: number }[] {
  const ids = listAt(given, []).map((rule) => valueAt(rule, ["id"]));
  return ids
    .map((id, index) => ({ index, first: typeof id === "string" ? ids.indexOf(id) : index }))
    .filter(({ index, first }) => first < index);
}

/** Where a rule asks for its threshold though it declares none. Parts of it may be wrong: each is read with care. */
function findThresholds(rule: unknown): PropertyKey[][] {
  if (valueAt(rule, ["threshold"]) !== undefined) return [];
  return findKey(rule, "confidence").filter((path) => valueAt(rule, path) === "threshold");
}
