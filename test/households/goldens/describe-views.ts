import type { EventOf } from "../trace.ts";
import { isDiscovery } from "./describe-topics.ts";
import { readPage } from "./page-lines.ts";
import type { Part } from "./part.ts";
import type { Scene } from "./scene.ts";
import { LANGUAGES, type Language, renderFirstLook, renderPath, type Shown } from "./seams.ts";
import { takeWordsOut } from "./words-apart.ts";

/** What vigie shows beside its topics, and what it has told Home Assistant of itself. */
export function describeViews(look: EventOf<"look">, { shows = [] }: Scene): Part[] {
  const { shown } = look;
  if (!shown) return [{ title: "views", data: ["none: vigie does not run"], words: [] }];
  return [
    ...LANGUAGES.map((language) => describePage(shown, language)),
    { title: "/health", data: [], words: [shown.health] },
    ...(shows.includes("elements") ? [describeElements(shown)] : []),
    ...(shows.includes("calendar") ? LANGUAGES.map((language) => describeCalendar(shown, language)) : []),
    ...(shows.includes("metrics") ? [describeMetrics(shown)] : []),
    ...(shows.includes("state") ? [describeState(shown)] : []),
    ...(shows.includes("first look") ? [describeFirstLook(shown)] : []),
    ...(shows.includes("discovery") ? describeDiscovery(look) : []),
  ];
}

function describePage(shown: Shown, language: Language): Part {
  return { title: `page in ${language}`, data: [], words: readPage(renderPath(shown, "/", language)).words };
}

/** They are the same in both languages. */
function describeElements(shown: Shown): Part {
  return { title: "elements of the page", data: readPage(renderPath(shown, "/")).elements, words: [] };
}

function describeCalendar(shown: Shown, language: Language): Part {
  const lines = renderPath(shown, "/calendar.ics", language).replaceAll("\r\n ", "").trim().split("\r\n");
  const isSaid = (line: string) => /^(NAME|X-WR-CALNAME|SUMMARY|DESCRIPTION):/.test(line);
  return {
    title: `calendar in ${language}`,
    // It is the same in both languages.
    data: language === "en" ? joinEvents(lines.filter((line) => !isSaid(line))) : [],
    words: lines.filter(isSaid),
  };
}

/** Each event of a calendar on one line. */
function joinEvents(lines: readonly string[]): string[] {
  const joined: string[] = [];
  let isInEvent = false;
  for (const line of lines) {
    if (isInEvent) joined.push(`${joined.pop()} ${line}`);
    else joined.push(line);
    if (line === "BEGIN:VEVENT") isInEvent = true;
    if (line === "END:VEVENT") isInEvent = false;
  }
  return joined;
}

function describeMetrics(shown: Shown): Part {
  const lines = renderPath(shown, "/metrics").trim().split("\n");
  const samples = lines.filter((line) => !line.startsWith("#"));
  return {
    title: "metrics",
    // An answer takes some milliseconds.
    data: samples.map((line) => line.replace(/ (\d{10})\.\d+$/, " $1")),
    words: lines.filter((line) => line.startsWith("# HELP")),
  };
}

function describeState(shown: Shown): Part {
  const { data, words } = takeWordsOut(renderPath(shown, "/api/state").trim());
  return {
    title: "/api/state",
    data: Object.entries(JSON.parse(data) as object)
      .filter(([level]) => level !== "snapshot")
      .map(([level, value]) => `${level}: ${JSON.stringify(value)}`),
    words: words.map(([place, said]) => `${place}: ${said}`),
  };
}

function describeFirstLook(shown: Shown): Part {
  const words = renderFirstLook(shown).split("\n");
  return { title: "first look", data: [], words: words.filter((line) => line !== "") };
}

/** A line for each entity of a device message. */
function describeDiscovery(look: EventOf<"look">): Part[] {
  return [...look.retained]
    .filter(([topic]) => isDiscovery(topic))
    .map(([topic, payload]) => {
      const part: Part = { title: topic, data: [], words: [] };
      const { components = {}, ...rest } = JSON.parse(payload) as Record<string, object>;
      for (const [name, one] of [["", rest], ...Object.entries(components)] as [string, object][]) {
        const { data, words } = takeWordsOut(JSON.stringify(one));
        part.data.push(`${name} ${data}`.trim());
        for (const [place, said] of words) part.words.push(`${name} ${place}: ${said}`.trim());
      }
      return part;
    });
}
