import { COLORS, type Color, type Day, dateOf, HOUR, tariffDay } from "../../calendar.ts";
import type { House } from "../house.ts";
import { readDuration } from "./duration.ts";
import { unique } from "./known-days.ts";

interface Enabled {
  enabled: boolean;
  /** When a command set it for a time. */
  begun: number | null;
  /** Until when it is so, and what it is from then on. */
  until: number | null;
  later: boolean;
}

interface Threshold {
  percent: number;
  /** What the configuration said as it was moved. */
  configured: number;
}

interface Simulation {
  color: Color;
  /** The date of the tariff day that was meant as it began. */
  date: Day;
  begun: number;
  until: number;
}

/** What commands have set. Each is a list of all that it may be. */
export interface Settings {
  enabled: ReadonlyMap<string, readonly Enabled[]>;
  threshold: ReadonlyMap<string, readonly Threshold[]>;
  simulation: readonly (Simulation | null)[];
}

export const NO_SETTINGS: Settings = { enabled: new Map(), threshold: new Map(), simulation: [null] };

const ENABLED: Enabled = { enabled: true, begun: null, until: null, later: true };

export function enabledAt(settings: Settings, rule: string, at: number): boolean[] {
  const list = settings.enabled.get(rule) ?? [ENABLED];
  return unique(list.map(({ enabled, until, later }) => (until !== null && at >= until ? later : enabled)));
}

export function thresholdsOf(settings: Settings, rule: string, configured: number): number[] {
  return unique(
    (settings.threshold.get(rule) ?? [])
      .map(({ percent }) => percent)
      .concat(settings.threshold.has(rule) ? [] : [configured]),
  );
}

/** What a command changes. `topic`: below the base topic. */
export function obey(settings: Settings, topic: string, payload: string, at: number, house: House): Settings {
  const [, id = "", what = ""] = /^rules\/([^/]+)\/(enabled|threshold)\/set$/.exec(topic) ?? [];
  const rule = house.rules.find((one) => one.id === id);
  if (rule && what === "enabled") {
    const before = settings.enabled.get(id) ?? [ENABLED];
    const after = before.flatMap((one) => enable(one, payload, at));
    return { ...settings, enabled: new Map(settings.enabled).set(id, unique(after)) };
  }
  if (rule && what === "threshold" && rule.threshold !== null) {
    const before = settings.threshold.get(id) ?? [{ percent: rule.threshold, configured: rule.threshold }];
    const moved = { percent: Number(payload), configured: rule.threshold };
    if (!/^\d+$/.test(payload) || moved.percent > 100) return settings;
    // Leading zeros: perhaps a number, perhaps junk.
    const after = /^(0|[1-9]\d*)$/.test(payload) ? [moved] : [...before, moved];
    return { ...settings, threshold: new Map(settings.threshold).set(id, unique(after)) };
  }
  if (topic === "simulation/set")
    return { ...settings, simulation: simulate(settings.simulation, payload, at, house) };
  return settings;
}

function enable(before: Enabled, payload: string, at: number): Enabled[] {
  const always = (enabled: boolean) => [{ enabled, begun: null, until: null, later: enabled }];
  if (payload === "ON" || payload === "OFF") return always(payload === "ON");
  const given = readObject(payload);
  if (!given || typeof given.enabled !== "boolean")
    return /^(on|off)$/i.test(payload.trim()) ? [before, ...always(/^on$/i.test(payload.trim()))] : [before];
  const { enabled } = given;
  if (given.for === undefined) return [before, ...always(enabled)];
  const length = durationOf(given.for);
  if (length === null) return [before];
  const isTimed = before.until !== null && at < before.until;
  const later = isTimed ? before.later : enabledNow(before, at);
  return [{ enabled, begun: at, until: at + length, later }];
}

function enabledNow({ enabled, until, later }: Enabled, at: number): boolean {
  return until !== null && at >= until ? later : enabled;
}

function simulate(
  before: Settings["simulation"],
  payload: string,
  at: number,
  house: House,
): Settings["simulation"] {
  const meant = (from: "now" | "next") => dateOf(from, at, house)!;
  const isColor = (text: unknown): text is Color => COLORS.some((color) => color === text);
  const command = payload.toLowerCase();
  if (command === "auto") return [null];
  const [word = "", day = "now", ...more] = command.split(":");
  if (isColor(word) && (day === "now" || day === "next") && more.length === 0)
    return [{ color: word, date: meant(day), begun: at, until: at + HOUR }];
  const given = readObject(payload);
  if (!given || !isColor(given.color)) return given?.color === "auto" ? unique([...before, null]) : before;
  const length = given.for === undefined ? HOUR : durationOf(given.for);
  const from = given.from ?? "now";
  if (length === null || (from !== "now" && from !== "next")) return before;
  return [{ color: given.color, date: meant(from), begun: at, until: at + length }];
}

/** Whether the simulation pretends this date's colour: that of the day that was meant as it began, whatever it is called since. */
export function pretends(simulation: Simulation, date: Day, at: number, house: House): boolean {
  return isRunning(simulation, at, house) && date === simulation.date;
}

/** It ends with its day, if its time does not end before. */
export function isRunning({ begun, until, date }: Simulation, at: number, house: House): boolean {
  return at >= begun && at < until && tariffDay(at, house) <= date;
}

/** After an edit of the configuration: an edited threshold counts, and a rule that is new is as configured. */
export function afterEdit(settings: Settings, before: House, after: House): Settings {
  const threshold = new Map(settings.threshold);
  for (const [id, list] of settings.threshold) {
    const configured = after.rules.find((rule) => rule.id === id)?.threshold ?? null;
    // Whether a setting outlives the absence of its rule is not said.
    const asConfigured = configured === null ? [] : [{ percent: configured, configured }];
    const kept = list.filter((one) => one.configured === configured);
    const wasAbsent = before.rules.find((rule) => rule.id === id)?.threshold == null;
    if (configured !== null)
      threshold.set(id, unique(wasAbsent || kept.length < list.length ? [...kept, ...asConfigured] : kept));
  }
  const enabled = new Map(settings.enabled);
  for (const [id, list] of settings.enabled)
    if (!before.rules.some((rule) => rule.id === id)) enabled.set(id, unique([...list, ENABLED]));
  return { ...settings, threshold, enabled };
}

/**
 * What a clock that showed `latest` at the latest, rightly or not, and now shows `at` has ended or has not: the time is also over if
 * the clock was set back by more than the whole of it.
 */
export function perhapsEnded(settings: Settings, latest: number, at: number): Settings {
  const isOver = ({ begun, until }: { begun: number; until: number }) =>
    latest >= until || begun - at > until - begun;
  const enabled = new Map(settings.enabled);
  for (const [id, list] of settings.enabled) {
    const ended = list
      .filter(({ begun, until }) => begun !== null && until !== null && isOver({ begun, until }))
      .map(({ later }) => ({ enabled: later, begun: null, until: null, later }));
    enabled.set(id, unique([...list, ...ended]));
  }
  return {
    ...settings,
    enabled,
    simulation: settings.simulation.some((one) => one && isOver(one))
      ? unique([...settings.simulation, null])
      : settings.simulation,
  };
}

export function mergeSettings(one: Settings, other: Settings): Settings {
  if (one === other) return one;
  const merge = <T>(
    a: ReadonlyMap<string, readonly T[]>,
    b: ReadonlyMap<string, readonly T[]>,
    fallback: T[],
  ) =>
    new Map(
      [...new Set([...a.keys(), ...b.keys()])].map((id) => [
        id,
        unique([...(a.get(id) ?? fallback), ...(b.get(id) ?? fallback)]),
      ]),
    );
  return {
    enabled: merge(one.enabled, other.enabled, [ENABLED]),
    threshold: merge(one.threshold, other.threshold, []),
    simulation: unique([...one.simulation, ...other.simulation]),
  };
}

function readObject(payload: string): Record<string, unknown> | undefined {
  try {
    const given = JSON.parse(payload);
    return typeof given === "object" && given !== null ? given : undefined;
  } catch {
    return undefined;
  }
}

function durationOf(given: unknown): number | null {
  try {
    return readDuration(String(given));
  } catch {
    return null;
  }
}
