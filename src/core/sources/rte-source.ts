import type { IsoDate } from "../calendar/tariff.ts";
import type { OfficialAnswer } from "../contract/answer.ts";
import { officialEndpoints } from "../contract/endpoints.ts";
import { learnOfficial } from "../days/learn.ts";
import { describeUnusable, whyFailure } from "../days/official-answer.ts";
import { dueOfficial } from "./official-times.ts";
import { describeUnreadable } from "./request-failure.ts";
import { shiftTimes } from "./request-times.ts";
import type { Source, SourceContext } from "./source.ts";

export const RTE: Source = {
  id: "official",
  name: "official source",
  speaker: "RTE",
  wrongAddress: "Check official.source",
  budget: 80,
  spentBudget: {
    sentence:
      "vigie has sent the official source all requests that it may send today: only the hourly ones and those of 18:00 and 05:50 go on",
    over: "vigie may send requests to the official source again",
  },
  findDue: ({ kept, passing }, { now }, context) => {
    const { behind, tariff, offset, times } = context;
    const { between } = times.announcement;
    const requestTimes = shiftTimes(passing.requestTimes, behind);
    const { asked, failures } = kept;
    const input = { between, tariff, offset, asked: asked.season, failures, ...wordsOf(context) };
    return dueOfficial(now + behind, requestTimes, input);
  },
  findForCommand: (part, at, context) => {
    const due = RTE.findDue(part, at, context);
    const isLightDue = due.some(({ request }) => request.kind === "light");
    return isLightDue ? due : [{ request: { kind: "light" }, essential: false }, ...due];
  },
  findFollowUps: () => [],
  learn: learnOfficial,
  findFailure: (answer: OfficialAnswer, now, tariff) => {
    const why = whyFailure(answer, now, tariff);
    const operation = `GET ${officialEndpoints[answer.kind].path}`;
    return why === null ? null : { kind: "other", sentence: describeUnreadable(operation, why) };
  },
  describeUnusable,
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
