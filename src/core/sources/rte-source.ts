import type { IsoDate } from "../calendar/tariff.ts";
import type { OfficialAnswer } from "../contract/answer.ts";
import { officialEndpoints } from "../contract/endpoints.ts";
import { learnOfficial } from "../days/learn.ts";
import { describeUnusable, whyFailure } from "../days/official-answer.ts";
import {
  recordOfficialOutcome,
  recordOfficialSuccess,
  startOfficialRecord,
} from "../facts/official-record.ts";
import { dueOfficial, findDifferences } from "./official-times.ts";
import { describeUnreadable } from "./request-failure.ts";
import { shiftTimes } from "./request-times.ts";
import type { LearntAnswer, Source, SourceContext } from "./source.ts";

export const RTE: Source = {
  id: "official",
  name: "official source",
  shortName: "official source",
  speaker: "RTE",
  option: "official.source",
  addressAdvice: "",
  budget: 80,
  spentBudget: {
    sentence:
      "vigie has sent the official source all requests that it may send today: only the hourly ones and those of 18:00 and 05:50 go on",
    over: "vigie may send requests to the official source again",
  },
  // A source that fails all morning must not use up the requests of the hours in which the colour is announced.
  retryBudget: 40,
  // A season has some 8 KiB.
  largestAnswer: 64 * 1024,
  needsJsonType: false,
  findDue: ({ passing }, { now }, context) => {
    const { behind, tariff, offset, times } = context;
    const { between } = times.announcement;
    const requestTimes = shiftTimes(passing.requestTimes, behind);
    return dueOfficial(now + behind, requestTimes, { between, tariff, offset, ...wordsOf(context) });
  },
  findForCommand: (part, at, context) => {
    const due = RTE.findDue(part, at, context);
    const isLightDue = due.some(({ request }) => request.kind === "light");
    return isLightDue ? due : [{ request: { kind: "light" }, essential: false }, ...due];
  },
  findFollowUps: () => [],
  differences: {
    askedBy: "light",
    find: ({ now }, context) =>
      findDifferences(now + context.behind, { tariff: context.tariff, ...wordsOf(context) }),
  },
  learn: learnOfficial,
  findFailure: (answer: OfficialAnswer, now, tariff) => {
    const why = whyFailure(answer, now, tariff);
    const operation = `GET ${officialEndpoints[answer.kind].path}`;
    return why === null ? null : { kind: "other", sentence: describeUnreadable(operation, why) };
  },
  describeUnusable,
  startRecord: (now, { knownDays, kept, answered }) =>
    startOfficialRecord(now, knownDays, kept.failing_since ?? null, answered),
  recordAnswer: (record, { answer, at }: LearntAnswer & { answer: OfficialAnswer }) =>
    recordOfficialSuccess(record, answer.kind, at),
  recordOutcome: recordOfficialOutcome,
  keepAnswer: (kept) => kept,
  // The hour after which its season is asked again ends with the process.
  keepFailures: (kept) => kept,
  keepRecord: (kept, { light }) => {
    const failing_since = light?.since ?? null;
    return (kept.failing_since ?? null) === failing_since ? kept : { ...kept, failing_since };
  },
};

function wordsOf({ knownDays: { days } }: SourceContext) {
  return {
    wordFor: (date: IsoDate) => days[date]?.rte_word,
    serviceColor: (date: IsoDate) => {
      const { service_word, forecast } = days[date] ?? {};
      return service_word?.color ?? forecast?.color ?? null;
    },
  };
}
