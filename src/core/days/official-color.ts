import { COLORS, type Color } from "../calendar/tariff.ts";
import type { KnownDay } from "./known-days.ts";

/** The official colour of a day, decided from what the sources say. */
export interface OfficialColor {
  color: Color;
  /** A source has confirmed it. */
  confirmed: boolean;
  /** The sources name different colours. */
  contradicted: boolean;
}

/**
 * | words                                    | shown                                            |
 * |------------------------------------------|--------------------------------------------------|
 * | the same, or only one                    | that colour, confirmed once one of them is       |
 * | different, RTE's is confirmed            | RTE's, confirmed: RTE decides the tariff         |
 * | different, only the service's is         | the service's, confirmed                         |
 * | different, neither is confirmed          | the more expensive colour, not confirmed         |
 */
export function officialColor(day: KnownDay | undefined): OfficialColor | undefined {
  const { service_word: service, rte_word: rte } = day ?? {};
  const either = rte ?? service;
  if (!either) return undefined;
  const confirmed = Boolean(rte?.confirmed || service?.confirmed);
  if (!rte || !service || rte.color === service.color) {
    return { color: either.color, confirmed, contradicted: false };
  }
  if (rte.confirmed) return { color: rte.color, confirmed, contradicted: true };
  if (service.confirmed) return { color: service.color, confirmed, contradicted: true };
  return { color: moreExpensive(rte.color, service.color), confirmed, contradicted: true };
}

function moreExpensive(one: Color, other: Color): Color {
  return isDearer(one, other) ? one : other;
}

export function isDearer(color: Color, than: Color): boolean {
  return COLORS.indexOf(color) > COLORS.indexOf(than);
}
