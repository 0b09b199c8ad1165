import { localTime, tariffDate } from "../calendar/dates.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { Answer, OfficialAnswer } from "../contract/answer.ts";
import type { KnownDays, OfficialWord } from "./known-days.ts";
import { listDays } from "./list-days.ts";
import { countingWords } from "./official-answer.ts";

/**
 * The sentences for the log on what an answer names and what did not become the word of its source, given what is known
 * after it. The same answer gives the same sentences.
 */
export function describeRefused(
  answer: Answer | OfficialAnswer,
  made_at: Instant,
  known: KnownDays,
  now: Instant,
  tariff: Tariff,
): string[] {
  const refused = findRefused(answer, known, now, tariff);
  const time = (at: Instant) => localTime(at, now, tariff.time_zone);
  const inForce = tariffDate(now, tariff);
  const isForSeason = ({ date }: RefusedWord) => answer.kind === "season" && date >= inForce;
  const source = "words" in answer ? "RTE" : "the service";
  const begin = `An answer of ${source} of ${time(made_at)}`;
  return [
    describe(
      `${begin} is older than what ${source} has said, and not used`,
      refused.filter((one) => !isForSeason(one)),
      time,
    ),
    describe(`${begin} is a season, and does not change the day in force`, refused.filter(isForSeason), time),
  ].flat();
}

/** A colour that an answer named, while another word of its source counts. */
interface RefusedWord {
  date: IsoDate;
  color: Color;
  counts: OfficialWord;
}

function findRefused(
  answer: Answer | OfficialAnswer,
  { days }: KnownDays,
  now: Instant,
  tariff: Tariff,
): RefusedWord[] {
  const said = "words" in answer ? countingWords(answer, now, tariff) : officialWordsOf(answer);
  return said.flatMap(({ date, color }) => {
    const counts = "words" in answer ? days[date]?.rte_word : days[date]?.service_word;
    return counts && color !== null && counts.color !== color ? [{ date, color, counts }] : [];
  });
}

function officialWordsOf(answer: Answer): { date: IsoDate; color: Color | null }[] {
  if (answer.kind === "history") return answer.entries;
  return answer.kind === "date" && answer.is_official ? [answer.day] : [];
}

function describe(what: string, refused: readonly RefusedWord[], time: (at: Instant) => string): string[] {
  if (refused.length === 0) return [];
  const days = refused.map(
    ({ date, color, counts }) =>
      `${date} ${color} (${counts.color} counts, said at ${time(counts.first_said)})`,
  );
  return [`${what}: ${listDays(days)}`];
}
