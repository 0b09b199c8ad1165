import { civilDate, tariffDate } from "../calendar/dates.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import { isSeldom } from "../facts/source-record.ts";
import type { RequestKind } from "./request-times.ts";
import type { SourceKept } from "./source-kept.ts";

/** What the state file holds of a source, after a request of this kind was answered. */
export function keepAnswered(kept: SourceKept, kind: RequestKind, at: Instant, tariff: Tariff): SourceKept {
  if (isSeldom(kind)) {
    const { [kind]: _over, ...failures } = kept.failures;
    const day = kind === "season" ? tariffDate(at, tariff) : civilDate(at, tariff.time_zone);
    return { ...kept, failures, asked: { ...kept.asked, [kind]: day } };
  }
  // What failed before the first answer ever was shown before its poll was over, and is over before that, too.
  return { ...kept, answered_at: at, failing: kept.answered_at === null ? null : kept.failing };
}

/** After a poll in which these requests failed. If nothing was sent, nothing is learnt of the source either. */
export function keepFailed(
  before: SourceKept,
  failed: readonly { kind: RequestKind; sentence: string }[],
  { answered, at, tariff }: { answered: readonly RequestKind[]; at: Instant; tariff: Tariff },
): SourceKept {
  const kept = failed.reduce((all, one) => keepSeldomFailed(all, one, at, tariff), before);
  const ofDays = failed.find(({ kind }) => !isSeldom(kind));
  if (ofDays) return keepFailing(kept, ofDays.sentence, at);
  const isAnswered = answered.some((kind) => !isSeldom(kind));
  return isAnswered && kept.failing ? { ...kept, failing: null } : kept;
}

/** What names today and tomorrow fails. A clock that was set back since does not put the beginning into the future. */
export function keepFailing(kept: SourceKept, sentence: string, at: Instant): SourceKept {
  return { ...kept, failing: { since: Math.min(kept.failing?.since ?? at, at), sentence } };
}

function keepSeldomFailed(
  kept: SourceKept,
  { kind, sentence }: { kind: RequestKind; sentence: string },
  at: Instant,
  { time_zone }: Tariff,
): SourceKept {
  if (!isSeldom(kind)) return kept;
  const last = kept.failures[kind];
  const isSameDay = last && civilDate(last.at, time_zone) === civilDate(at, time_zone);
  const failure = { at, count: isSameDay ? last.count + 1 : 1, sentence };
  return { ...kept, failures: { ...kept.failures, [kind]: failure } };
}
