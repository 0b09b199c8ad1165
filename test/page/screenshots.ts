import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { servePage } from "../support/page-server.ts";
import { PAGE_STATES } from "../support/page-states.ts";

/**
 * `npm run screenshots` makes the pictures of docs/page.md and of docs/fr/page.md. `npm run screenshots FOLDER [STATE…]` makes
 * those of all states, or of these, in both colour schemes and both languages, on a wide screen and on a phone.
 */
const [folder, ...only] = process.argv.slice(2);

interface Shot {
  state: string;
  file: string;
  width: number;
  colorScheme: "light" | "dark";
  language: "fr" | "en";
  take: (page: Page, path: string) => Promise<unknown>;
}

const FOLDERS = { en: "images", fr: "fr/images" } as const;

const wholePage: Shot["take"] = (page, path) => page.screenshot({ path, fullPage: true });
const whatIsSeenFirst: Shot["take"] = (page, path) => page.screenshot({ path });
const LIGHT = { width: 1100, colorScheme: "light" } as const;

const PICTURES: Omit<Shot, "language">[] = [
  { ...LIGHT, width: 1280, state: "bleu now", file: "page.png", take: whatIsSeenFirst },
  {
    ...LIGHT,
    state: "bleu now",
    file: "page-rules.png",
    take: async (page, path) => {
      await page.locator("#rule-rouge_peak summary").click();
      await page.locator(".part", { has: page.locator(".rules") }).screenshot({ path });
    },
  },
  {
    ...LIGHT,
    state: "rouge now",
    file: "page-season.png",
    colorScheme: "dark",
    take: (page, path) => page.locator(".part", { has: page.locator(".season") }).screenshot({ path }),
  },
];

const DOCS = (["en", "fr"] as const).flatMap((language) =>
  PICTURES.map((picture): Shot => ({ ...picture, language, file: `${FOLDERS[language]}/${picture.file}` })),
);

const states = Object.keys(PAGE_STATES).filter((state) => only.length === 0 || only.includes(state));
const shots =
  folder === undefined
    ? DOCS
    : states.flatMap((state) =>
        (["light", "dark"] as const).flatMap((colorScheme) =>
          [1280, 390, 360].map((width): Shot => {
            const file = `${state.replaceAll(" ", "-")}-${colorScheme}-${width}.png`;
            return {
              state,
              file,
              width,
              colorScheme,
              language: colorScheme === "light" ? "fr" : "en",
              take: wholePage,
            };
          }),
        ),
      );

const target = folder ?? "docs";
const browser = await openBrowser();
try {
  for (const { state, file, width, colorScheme, language, take } of shots) {
    const view = await PAGE_STATES[state]?.();
    if (!view) throw new Error(`Expected a state of the page, got ${state}`);
    // "3 minutes ago" is counted from the view, whatever the time is now.
    const server = await servePage({ view, language, now: () => view.facts.at + 3 * 60_000 });
    const viewport = { width, height: 860 };
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    // The script asks for the page once more, and then counts by vigie's clock.
    const renewed = page.waitForResponse((response) => response.request().resourceType() === "fetch");
    await page.goto(server.url);
    await (await renewed).finished();
    const path = join(target, file);
    await mkdir(dirname(path), { recursive: true });
    await take(page, path);
    await context.close();
    await server.stop();
  }
} finally {
  await browser.close();
}
