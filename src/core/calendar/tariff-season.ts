import type { IsoDate } from "./tariff.ts";

/** A season runs from 1 September to 31 August and is labelled `2025-2026`. */
export interface Season {
  label: string;
  start: IsoDate;
  end: IsoDate;
}

export function seasonOf(date: IsoDate): Season {
  const year = Number(date.slice(0, "2026".length));
  return seasonFrom(date.slice("2026-".length) >= "09-01" ? year : year - 1);
}

/** The season with this label; undefined if it is no label of a season (`2025-2027`). */
export function seasonWithLabel(label: string): Season | undefined {
  const [, from, to] = /^(\d{4})-(\d{4})$/.exec(label) ?? [];
  if (from === undefined || Number(to) !== Number(from) + 1) return undefined;
  return seasonFrom(Number(from));
}

function seasonFrom(year: number): Season {
  return { label: `${year}-${year + 1}`, start: `${year}-09-01`, end: `${year + 1}-08-31` };
}
