import { MINUTE } from "../calendar.ts";
import { isKind, within } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";
import { judgeOutputs, type Look, settledInstants } from "./output-life.ts";

/**
 * A device that says on `online` that it is away is never `confirmed`, not on the topics and not on the page, which say since when it
 * is away. That ends when it says that it is there, and nothing else changes it.
 */
export const awayJudges: readonly Judge[] = [
  judgeOutputs("confirmed while away", confirmed),
  judgeOutputs("away and not shown as away", notShown),
  judgeOutputs("there and shown as away", shownThough),
  judgeOutputs("away and not on the page", (look) => onPage(look, true)),
  judgeOutputs("there and on the page as away", (look) => onPage(look, false)),
  judgeOutputs("tick while away", ticks),
  judgeOutputs("away since another time", goesOn),
];

/** A message that the device is away, and until when nothing else was heard of its presence. */
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
    const back = life.presences.slice(index + 1).find((one) => one.isThere)?.steady ?? end;
    // Another output may hear another topic.
    const changed = life.changes.find((at) => at > steady && !life.isSame(steady, at)) ?? end;
    const to = Math.min(back, changed);
    return from < to ? [{ from, to }] : [];
  });
}

/** It goes on over a restart in order, and over a new connection; a kill, or a disk that fails, may lose it. */
function isKnownAway({ trace, calm }: Look, { from, to }: Absence, steady: number): boolean {
  if (steady < from || steady >= to || !calm.isThrough(from, from)) return false;
  const isLost = trace.events.some(
    (event) => isKind(event, "kill", "crash", "yield") && event.steady >= from && event.steady <= steady,
  );
  return (
    calm.isThrough(from, steady) || (!isLost && calm.isSure(from, steady) && calm.isDiskQuick(from, steady))
  );
}

function confirmed(look: Look): Finding[] {
  const { life } = look;
  return absences(look).map((absence): Finding => {
    const { from, to } = absence;
    const instants = [from, ...within(life.states, from, to).map(({ steady }) => steady)];
    const known = instants.filter((steady) => isKnownAway(look, absence, steady));
    const found = known.find((steady) => life.stateAt(steady) === "confirmed");
    if (found === undefined) return known.length > 0 ? "right" : "skipped";
    return { at: found, sentence: `${life.id} is confirmed, though its device says that it is away` };
  });
}

/** Each time that nothing has happened for a while, and what the page shows of the device then. */
function quietsOf({ trace, life }: Look): { steady: number; card: string | null; since: string | null }[] {
  return trace.events
    .filter((event) => isKind(event, "quiet"))
    .map(({ steady, page }) => ({
      steady,
      card: cardOf(page, life.id),
      since: life.awaySinceAt(steady),
    }));
}

/** Those of the quiet times at which its device is certainly away. */
function awayAtQuiets(look: Look): ReturnType<typeof quietsOf> {
  const away = absences(look);
  return quietsOf(look).filter(({ steady }) => away.some((absence) => isKnownAway(look, absence, steady)));
}

function notShown(look: Look): Finding[] {
  const { life } = look;
  return awayAtQuiets(look)
    .filter(({ steady }) => life.payloadAt(steady) !== "None")
    .map(({ steady: at, since }) =>
      since !== null
        ? "right"
        : { at, sentence: `${life.id} is not shown as away, though its device says so` },
    );
}

function ticks(look: Look): Finding[] {
  return awayAtQuiets(look).flatMap(({ steady: at, card }): Finding[] => {
    if (card === null) return [];
    if (!card.includes("✓")) return ["right"];
    return [{ at, sentence: `${look.life.id} is away, and has a tick on the page` }];
  });
}

function shownThough(look: Look): Finding[] {
  const { life, calm } = look;
  return settledInstants(look).flatMap((at): Finding[] => {
    const last = within(life.presences, calm.since(at) ?? at, at).at(-1);
    if (!last?.isThere) return [];
    if (last.steady >= at - COUNTS - calm.lag(at)) return ["skipped"];
    if (life.awaySinceAt(at) === null) return ["right"];
    return [{ at, sentence: `${life.id} is shown as away, though its device says that it is there` }];
  });
}

function onPage(look: Look, isAway: boolean): Finding[] {
  return quietsOf(look).flatMap(({ steady: at, card, since }): Finding[] => {
    if (card === null || (since !== null) !== isAway) return [];
    if (isAway === card.includes("hors ligne depuis")) return ["right"];
    return [{ at, sentence: `${look.life.id} is away since ${since}, and the page has: ${card}` }];
  });
}

/** The card of a device on the page, as text. */
function cardOf(page: string, id: string): string | null {
  const cards = page.split('<li class="card device').slice(1);
  const found = cards.find((card) => card.includes(`<h3><bdi>${id}</bdi></h3>`));
  return found?.replaceAll(/<[^>]*>/g, " ") ?? null;
}

/** Since when it is away does not change by a reload, an end in order, a new connection or another payload. */
function goesOn({ trace, life, calm }: Look): Finding[] {
  const lost = trace.events.filter((event) => isKind(event, "kill", "crash", "yield"));
  return life.awaySinces.flatMap(({ steady, since }, index): Finding[] => {
    const before = life.awaySinces[index - 1];
    if (!before || before.since === null) return [];
    if (before.since === since) return ["right"];
    const { steady: from } = before;
    // What is heard within the time of a connection may be published after it.
    if (within(life.presences, from - MINUTE, steady).some(({ isThere }) => isThere)) return [];
    // What the broker has not got before it was down is published later.
    const isKnown =
      // As it reads another configuration, vigie publishes what its devices said last by the one before.
      life.isSame(from - SOON, steady) &&
      calm.isSure(from, steady) &&
      calm.isDiskQuick(from, steady) &&
      within(lost, from, steady).length === 0;
    if (!isKnown) return ["skipped"];
    const sentence = `${life.id} was away since ${before.since}, and is now since ${since}, though its device has said nothing else`;
    return [{ at: steady, sentence }];
  });
}

/** Milliseconds. */
const COUNTS = 8_000;
/** If it was away a short time before: it has to stand. */
const COUNTS_LATE = 2 * MINUTE + COUNTS;
const SOON = 1_000;
const UNSTEADY = 8 * MINUTE;
