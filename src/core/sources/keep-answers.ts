import { civilDate, tariffDate } from "../calendar/dates.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import { isSeldom, type SeldomFailures } from "../facts/source-record.ts";
import type { RequestKind } from "./request-times.ts";
import type { FailedRequest } from "./source.ts";
import type { SourceKept } from "./source-kept.ts";

/** What the state file holds of a source, after a request of this kind was answered. */
export function keepAnswered(kept: SourceKept, kind: RequestKind, at: Instant, tariff: Tariff): SourceKept {
  if (isSeldom(kind)) {
    const { [kind]: _over, ...failures } = kept.failures;
    const day = kind === "season" ? tariffDate(at, tariff) : civilDate(at, tariff.time_zone);
    return { ...kept, failures, asked: { ...kept.asked, [kind]: day } };
  }
  // Before the first answer ever, a failure is shown while its poll goes on. That answer ends it at once.
  return { ...kept, answered_at: at, failing: kept.answered_at === null ? null : kept.failing };
}

/** `sentence`: what is said of it; that of a wrong address is one for all requests of a poll. */
interface ToldFailure extends FailedRequest {
  sentence: string;
}

/** After a poll in which these requests failed. If nothing was sent, nothing is learnt of the source either. */
export function keepOutcome(
  before: SourceKept,
  failed: readonly ToldFailure[],
  { answered, at, tariff }: { answered: readonly RequestKind[]; at: Instant; tariff: Tariff },
): SourceKept {
  const kept = failed.reduce((all, one) => keepSeldomFailed(all, one, at, tariff), before);
  const ofDays = failed.find(({ kind }) => !isSeldom(kind));
  if (ofDays) return keepFailing(kept, ofDays.sentence, at);
  const isAnswered = answered.some((kind) => !isSeldom(kind));
  return isAnswered && kept.failing ? { ...kept, failing: null } : kept;
}

/** A request for today or the days ahead failed. If the clock was set back since the first failure, that is not in the future. */
export function keepFailing(kept: SourceKept, sentence: string, at: Instant): SourceKept {
  return { ...kept, failing: { since: Math.min(kept.failing?.since ?? at, at), sentence } };
}

function keepSeldomFailed(
  kept: SourceKept,
  { kind, failure: { sentence } }: ToldFailure,
  at: Instant,
  { time_zone }: Tariff,
): SourceKept {
  if (!isSeldom(kind)) return kept;
  const last = kept.failures[kind];
  const isSameDay = last && civilDate(last.at, time_zone) === civilDate(at, time_zone);
  const failure = { at, count: isSameDay ? last.count + 1 : 1, sentence };
  return { ...kept, failures: { ...kept.failures, [kind]: failure } };
}

/** What is asked once a day, and failed, is asked again after an hour, and ten times a day. */
export function mayBeAskedAgain(
  kind: RequestKind,
  failures: SeldomFailures,
  now: Instant,
  { time_zone }: Tariff,
): boolean {
  const last = isSeldom(kind) ? failures[kind] : undefined;
  if (!last) return true;
  const isOfToday = civilDate(last.at, time_zone) === civilDate(now, time_zone);
  if (isOfToday && last.count >= FAILURES_A_DAY) return false;
  // One in the future was noted by a clock that was set back since.
  return last.at > now || now - last.at >= FAILED_ASKED_AGAIN_AFTER;
}

const FAILED_ASKED_AGAIN_AFTER = 3_600_000;
const FAILURES_A_DAY = 10;
