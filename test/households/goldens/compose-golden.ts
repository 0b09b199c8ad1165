import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EventOf, isKind, type Trace, within } from "../trace.ts";
import { compareLines } from "./compare-lines.ts";
import { describeMeantime } from "./describe-meantime.ts";
import { describeTopics } from "./describe-topics.ts";
import { describeViews } from "./describe-views.ts";
import { nearestMinute } from "./paris-time.ts";
import type { Part } from "./part.ts";
import type { Scene } from "./scene.ts";
import { VERSION } from "./seams.ts";

/** What was seen of one household, as text. */
interface Golden {
  /** All but words for people. */
  data: string;
  /** The words for people. */
  words: string;
}

/** What is seen at the earliest look is kept whole, of each later one what has changed since the one before. */
export function composeGolden(trace: Trace, scene: Scene): Golden {
  const golden: Golden = { data: `${scene.title}\n`, words: `${scene.title}\n` };
  let before: EventOf<"look"> | undefined;
  let shownBefore: Part[] = [];
  for (const look of trace.events.filter((event) => isKind(event, "look"))) {
    const shown = [...describeTopics(look, trace), ...describeViews(look, scene)];
    const parts = [
      ...describeMeantime(within(trace.events, before?.steady ?? -1, look.steady)),
      ...shown.map((part) => changesIn(part, shownBefore)),
    ];
    const heading = `\n==== ${look.name}: ${nearestMinute(look.at)} ====\n`;
    golden.data += heading + print(parts, "data");
    golden.words += heading + print(parts, "words");
    before = look;
    shownBefore = shown;
  }
  return { data: hideNames(golden.data), words: hideNames(golden.words) };
}

/** With words in the place of what differs from run to run: the version, random names, and ids that are instants in milliseconds. */
function hideNames(text: string): string {
  const ids: string[] = [];
  const hideId = (id: string) => {
    if (!ids.includes(id)) ids.push(id);
    return `<id ${ids.indexOf(id) + 1}>`;
  };
  return text
    .replaceAll(VERSION, "<version>")
    .replaceAll(/("incarnation"):"\w+"/g, '$1:"<drawn>"')
    .replaceAll(SECRETS, "<secrets>")
    .replaceAll(/<secrets>\w+/g, "<secrets>")
    .replaceAll(/\b\d{13}\b/g, hideId);
}

function changesIn(part: Part, shownBefore: readonly Part[]): Part {
  const before = shownBefore.find(({ title }) => title === part.title);
  if (!before) return part;
  return {
    title: part.title,
    data: compareLines(before.data, part.data),
    words: compareLines(before.words, part.words),
  };
}

function print(parts: readonly Part[], which: "data" | "words"): string {
  return parts
    .filter((part) => part[which].length > 0)
    .map((part) => `\n-- ${part.title}\n${part[which].join("\n")}\n`)
    .join("");
}

/** How the folder of the secrets begins. The folder for temporary files may have a space in its name. */
const SECRETS = join(tmpdir(), "vigie-household-");
