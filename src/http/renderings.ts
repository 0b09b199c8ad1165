import { createHash } from "node:crypto";
import { systemClock } from "../runtime/clock.ts";
import { type HttpAnswer, SECURITY_HEADERS } from "./http-answer.ts";
import type { PageView } from "./page-view.ts";
import type { Asked, Route } from "./routes.ts";

export interface Rendering {
  /** The text as it is sent. */
  answer: HttpAnswer;
  /** Another one for another text: whatever the text depends on, a browser that has this one need not be sent it again. */
  etag: string;
}

/** `problem`: what is wrong with the query. undefined before the first start. */
export type FindRendering = (route: Route, asked: Asked) => Rendering | { problem: string } | undefined;

/** Milliseconds. */
interface RenderingLimits {
  /** How long a view counts as the newest: if devices make a new view 50 times a second, the page is rendered 10 times a second. */
  fresh: number;
  /** How long texts are kept after the last request. */
  keep: number;
}

/** Renders each text of a view once, when it is first asked for; kept while somebody asks. */
export function createRenderings(
  readView: () => PageView | undefined,
  limits: RenderingLimits,
): FindRendering {
  const kept = new Map<string, Rendering>();
  let view: PageView | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let forgetting: NodeJS.Timeout | undefined;
  const drop = () => {
    kept.clear();
    view = undefined;
    readAt = Number.NEGATIVE_INFINITY;
  };
  const current = () => {
    forgetting = forgetting?.refresh() ?? setTimeout(drop, limits.keep).unref();
    const now = systemClock.steady();
    if (now - readAt < limits.fresh) return view;
    const newest = readView();
    readAt = now;
    if (newest !== view) kept.clear();
    view = newest;
    return view;
  };
  return (route, asked) => {
    const shown = current();
    if (!shown) return undefined;
    const key = [route.path, ...route.variesBy.map((part) => String(asked[part]))].join("\n");
    const found = kept.get(key) ?? render(route, shown, asked);
    if ("problem" in found) return found;
    kept.set(key, found);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return found;
  };
}

function render(route: Route, view: PageView, asked: Asked): Rendering | { problem: string } {
  const text = route.render(view, asked);
  if (typeof text !== "string") return text;
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, HASH_LENGTH);
  const etag = `"${hash}"`;
  const headers = {
    ...SECURITY_HEADERS,
    "Cache-Control": "no-cache",
    ETag: etag,
    ...(route.variesBy.includes("language") && { Vary: "Accept-Language" }),
    "Content-Type": route.type,
    "Content-Length": body.length,
  };
  return { answer: { status: 200, headers, body }, etag };
}

/** All texts in both languages; queries can be as many as somebody likes to invent. */
const MOST_KEPT = 16;
const HASH_LENGTH = 22;
