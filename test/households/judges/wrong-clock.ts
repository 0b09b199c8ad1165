import { HOUR, MINUTE } from "../calendar.ts";
import { isKind, type SourceName, type Trace, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";
import { BASE } from "./topics.ts";
import { readMade } from "./truth/known-days.ts";
import { type Life, readLife } from "./truth/read-life.ts";

/**
 * A clock that is 5 to 65 minutes behind is found by two sources that have said so in two answers each: nothing of the moment is
 * shown then.
 */
export const wrongClockJudge: Judge = {
  name: "wrong clock",
  find: (trace) => {
    const life = readLife(trace);
    return findTimes(trace, life).flatMap(({ from, until }) =>
      [from, (from + until) / 2, until].flatMap((steady) =>
        OF_THE_MOMENT.map((topic) => judgeShown(trace, life, topic, steady)),
      ),
    );
  },
};

function judgeShown(trace: Trace, life: Life, topic: string, steady: number): Finding {
  const isReady = life.isReady.at(steady) && life.isReady.at(steady - SETTLED);
  const held = life.held(`${BASE}/${topic}`).at(steady);
  if (!isReady || life.slowUntil.at(steady) > steady - SETTLED || held?.byVigie === false) return "skipped";
  if (!held || held.until <= steady || held.payload === "None") return "right";
  const time = new Date(trace.began + steady).toISOString();
  const sentence = `${time}: both sources have said twice that the clock is behind, and ${topic} is ${held.payload}`;
  return { at: steady, sentence };
}

/** Some of them. */
const OF_THE_MOMENT = [
  "now/color",
  "now/date",
  "now/period",
  "next/color",
  "tomorrow/official",
  "rouge_now",
  "offpeak",
];

/** While both have said it twice, and nothing else was said since. */
function findTimes(trace: Trace, life: Life): { from: number; until: number }[] {
  const found: { from: number; until: number }[] = [];
  let told: Record<SourceName, number[]> = { service: [], rte: [] };
  let skew = 0;
  let from: number | null = null;
  const end = (steady: number) => {
    const until = Math.min(steady - 1, ...lastTwo(told).map((at) => at + 2 * HOUR - MINUTE));
    if (from !== null && until > from + SETTLED) found.push({ from: from + SETTLED, until });
    from = null;
  };
  for (const event of trace.events) {
    const { steady } = event;
    const isOther = Math.abs(life.skew.at(steady) - skew) > 1 || isChange(event);
    if (isOther || (isKind(event, "answer") && !isPlain(event, trace))) {
      end(steady);
      told = { service: [], rte: [] };
      skew = life.skew.at(steady);
    } else if (isKind(event, "answer")) {
      told = { ...told, [event.source]: [...told[event.source].slice(-1), steady] };
      if (from === null && lastTwo(told).length === 4 && isBehind(life, steady)) from = steady;
    }
  }
  end(life.end);
  return found;
}

function lastTwo(told: Record<SourceName, number[]>): number[] {
  return [...told.service, ...told.rte];
}

function isChange(event: TraceEvent): boolean {
  return isKind(event, "start", "reload", "stop", "kill", "crash", "suspend", "resume", "jump");
}

/** It says what the true time is, and vigie can read it. */
function isPlain(event: TraceEvent & { kind: "answer" }, { began }: Trace): boolean {
  const { headers, body, status, steady } = event;
  const isRead = (status === 200 || status === 304) && isJson(body) && !/violet|null/.test(body);
  return isRead && readMade(headers, began + steady).isPlain;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** And two different hosts are asked. */
function isBehind(life: Life, steady: number): boolean {
  const house = life.house.at(steady);
  const behind = -life.skew.at(steady);
  const isAsked = house?.hasService && house.hasRte && !house.isSpecial;
  return Boolean(isAsked) && behind > 5 * MINUTE + 5_000 && behind < 65 * MINUTE;
}

/** How long vigie may take to show what is so. */
const SETTLED = 12_000;
