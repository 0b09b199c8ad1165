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
 * | words                                           | shown                                        |
 * |-------------------------------------------------|----------------------------------------------|
 * | the same, or only one                           | that colour, confirmed once one of them is   |
 * | different, RTE's is confirmed                   | RTE's, confirmed: RTE decides the tariff     |
 * | different, only the service's is, and it is the | the service's, confirmed                     |
 * | more expensive, or the date is over, or RTE no  |                                              |
 * | longer names the date                           |                                              |
 * | different, only the service's is, else          | RTE's, not confirmed                         |
 * | different, neither is confirmed                 | the more expensive colour, not confirmed     |
 *
 * If RTE said rouge at 10:35 and is down since, the service may be one that reads RTE, and says at 11:40 what RTE said at 10:30.
 */
export function officialColor(day: KnownDay | undefined, isOver: boolean): OfficialColor | undefined {
  const { service_word: service, rte_word: rte } = day ?? {};
  const either = rte ?? service;
  if (!either) return undefined;
  const confirmed = Boolean(rte?.confirmed || service?.confirmed);
  if (!rte || !service || rte.color === service.color) {
    return { color: either.color, confirmed, contradicted: false };
  }
  if (rte.confirmed) return { color: rte.color, confirmed, contradicted: true };
  if (service.confirmed) {
    const isServices = isDearer(service.color, rte.color) || isOver || rte.no_longer_named === true;
    return { color: isServices ? service.color : rte.color, confirmed: isServices, contradicted: true };
  }
  return { color: moreExpensive(rte.color, service.color), confirmed, contradicted: true };
}

/** Whether a source has named an official colour. */
export function isOfficial({ service_word, rte_word }: KnownDay = {}): boolean {
  return Boolean(rte_word ?? service_word);
}

function moreExpensive(one: Color, other: Color): Color {
  return isDearer(one, other) ? one : other;
}

export function isDearer(color: Color, than: Color): boolean {
  return COLORS.indexOf(color) > COLORS.indexOf(than);
}
