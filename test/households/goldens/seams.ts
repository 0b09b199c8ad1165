import { describeFirstLook } from "../../../src/cli/first-look.ts";
import { RTE_ADDRESS } from "../../../src/core/contract/endpoints.ts";
import { ROUTES } from "../../../src/http/routes.ts";
import { VERSION } from "../../../src/runtime/version.ts";
import type { Shown } from "../seams.ts";

/** What goldens know of `src` beside what households do: how vigie renders what it shows. */

export type { Shown };
export { RTE_ADDRESS, VERSION };

export const LANGUAGES = ["fr", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The answer of vigie's HTTP server to a path. */
export function renderPath({ view }: Shown, path: string, language: Language = "en"): string {
  const route = ROUTES.find((one) => one.path === path);
  const rendered = route?.render(view, { language, query: new URLSearchParams() });
  if (typeof rendered !== "string") throw new Error(`nothing is served at ${path}`);
  return rendered;
}

/** What a terminal shows after a start, if the broker is the embedded one. */
export function renderFirstLook({ status }: Shown): string {
  return describeFirstLook({ ...status, embeddedPort: 1883 }, ["http://127.0.0.1:8427"]);
}
