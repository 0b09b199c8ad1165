import { isKind, type Judge, type Trace, type Violation, within } from "../trace.ts";
import { type Calm, readCalm } from "./calm.ts";
import { type OutputLife, readOutputLives } from "./output-life.ts";
import { MINUTE } from "./truth/calendar.ts";

/**
 * A device that says on `online` that it is away is never `confirmed`, not on the topics and not on the page, which say since when it
 * is away. That ends when it says that it is there, and nothing else changes it.
 */
export const judgeAway: Judge = (trace) => {
  const calm = readCalm(trace);
  return readOutputLives(trace).flatMap((life) => {
    const look = { trace, life, calm };
    return [...confirmed(look), ...shown(look), ...goesOn(look)];
  });
};

interface Look {
  trace: Trace;
  life: OutputLife;
  calm: Calm;
}

/** A message that the device is away, and until when nothing else was heard of its presence on this connection. */
interface Absence {
  /** From then on it has to count. */
  from: number;
  to: number;
}

function absences({ trace, life, calm }: Look): Absence[] {
  const end = trace.events.at(-1)?.steady ?? 0;
  return life.presences.flatMap(({ steady, isThere }, index): Absence[] => {
    const since = calm.since(steady);
    if (isThere || since === null) return [];
    const before = life.presences[index - 1];
    if (before && !before.isThere && before.steady >= since) return [];
    const recent = within(life.presences, steady - UNSTEADY, steady - 1);
    const from = steady + (recent.some((one) => !one.isThere) ? COUNTS_LATE : COUNTS) + calm.lag(steady);
    const to = life.presences.slice(index + 1).find((one) => one.isThere)?.steady ?? end;
    // Another output may hear another topic.
    const last = [to, ...life.changes].filter((at) => at > steady).sort((one, other) => one - other)[0] ?? to;
    return from < last ? [{ from, to: last }] : [];
  });
}

function confirmed(look: Look): Violation[] {
  const { life, calm } = look;
  return absences(look).flatMap(({ from, to }): Violation[] => {
    const instants = [from, ...within(life.states, from, to).map(({ steady }) => steady)];
    const found = instants.find(
      (steady) => steady < to && calm.isThrough(from, steady) && life.stateAt(steady) === "confirmed",
    );
    if (found === undefined) return [];
    const sentence = `${life.id} is confirmed, though its device says that it is away`;
    return [{ judge: "away", at: found, sentence }];
  });
}

/** What is shown when nothing has happened for a while. */
function shown(look: Look): Violation[] {
  const { trace, life, calm } = look;
  const away = absences(look);
  return trace.events.flatMap((event): Violation[] => {
    if (!isKind(event, "quiet")) return [];
    const { steady } = event;
    const says = (sentence: string) => [{ judge: "away", at: steady, sentence: `${life.id} ${sentence}` }];
    const since = life.awaySinceAt(steady);
    const card = cardOf(event.page, life.id);
    if (card !== null && (since !== null) !== card.includes("hors ligne depuis"))
      return says(`is away since ${since}, and the page has: ${card}`);
    const isAway = away.some(({ from, to }) => from <= steady && steady < to && calm.isThrough(from, steady));
    if (isAway && card?.includes("✓")) return says("is away, and has a tick on the page");
    if (isAway && since === null && life.payloadAt(steady) !== "None")
      return says("is not shown as away, though its device says so");
    const last = within(life.presences, calm.since(steady) ?? steady, steady).at(-1);
    const isThere = last?.isThere && last.steady < steady - COUNTS - calm.lag(steady);
    return isThere && since !== null ? says("is shown as away, though its device says that it is there") : [];
  });
}

/** The card of a device on the page, as text. */
function cardOf(page: string, id: string): string | null {
  const cards = page.split('<li class="card device').slice(1);
  const found = cards.find((card) => card.includes(`<h3><bdi>${id}</bdi></h3>`));
  return found?.replaceAll(/<[^>]*>/g, " ") ?? null;
}

/** Since when it is away does not change by a reload, an end in order, a new connection or another payload. */
function goesOn({ trace, life, calm }: Look): Violation[] {
  const lost = trace.events.filter((event) => isKind(event, "kill", "crash", "yield"));
  return life.awaySinces.flatMap(({ steady, since }, index): Violation[] => {
    const before = life.awaySinces[index - 1];
    if (!before || before.since === null || before.since === since) return [];
    const { steady: from } = before;
    // What the broker has not got before it was down is published later.
    if (!life.isSame(from, steady) || !calm.isSure(from, steady) || !calm.isDiskQuick(from, steady))
      return [];
    if (within(lost, from, steady).length > 0) return [];
    // What is heard within the time of a connection may be published after it.
    if (within(life.presences, from - MINUTE, steady).some(({ isThere }) => isThere)) return [];
    const sentence = `${life.id} was away since ${before.since}, and is now since ${since}, though its device has said nothing else`;
    return [{ judge: "away", at: steady, sentence }];
  });
}

/** Whether that it is away is the last that the device has said of its presence. */
export function isAwayAt(life: OutputLife, steady: number): boolean {
  return within(life.presences, 0, steady).at(-1)?.isThere === false;
}

/** Milliseconds. */
const COUNTS = 8_000;
/** If it was away a short time before: it has to stand. */
const COUNTS_LATE = 2 * MINUTE + COUNTS;
const UNSTEADY = 8 * MINUTE;
