import type { Language } from "./languages.ts";
import { renderState } from "./state-json.ts";
import type { View } from "./view.ts";

/** What a request asks for beside its path. */
export interface Asked {
  language: Language;
  query: URLSearchParams;
}

/** A path whose answer is a text, made of the view and of nothing else. */
export interface Route {
  path: string;
  type: string;
  /** What of the request the text depends on. */
  variesBy: readonly (keyof Asked)[];
  render: (view: View, asked: Asked) => string;
}

export const ROUTES: readonly Route[] = [
  { path: "/api/state", type: "application/json; charset=utf-8", variesBy: [], render: renderState },
];
