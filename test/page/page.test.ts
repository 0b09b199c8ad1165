import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PageView } from "../../src/http/page-view.ts";
import { HAS_CHROMIUM, openBrowser } from "../support/browser.ts";
import { servePage } from "../support/page-server.ts";
import { PAGE_STATES } from "../support/page-states.ts";
import { openPageVigie } from "../support/page-vigie.ts";
import { onBusyMachine } from "../support/patience.ts";
import { lacking } from "../support/prepared.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const why = lacking(HAS_CHROMIUM, "Chromium is not installed (apt-get install chromium)");

type Server = Awaited<ReturnType<typeof servePage>>;
type Look = Parameters<Browser["newContext"]>[0];

describe.skipIf(why !== "")(`the page in a browser${why && `: ${why}`}`, () => {
  let browser: Browser;
  let context: BrowserContext;
  let server: Server;
  /** What the page asked for, and what the browser complained of. */
  let asked: string[];
  let complaints: string[];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(() => {
    asked = [];
    complaints = [];
  });
  afterEach(async () => {
    // A page may be fetching through a route of its test.
    for (const page of context?.pages() ?? []) await page.unrouteAll({ behavior: "ignoreErrors" });
    await context?.close();
    await server?.stop();
  });

  async function open(
    view: PageView,
    look: Look = {},
    served: Partial<Parameters<typeof servePage>[0]> = {},
  ) {
    server = await servePage({ view, language: "fr", ...served });
    context = await browser.newContext({ viewport: WIDE, ...look });
    const page = await context.newPage();
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(server.url);
    return page;
  }

  const LOOKS = (["fr", "en"] as const).flatMap((language) =>
    (["light", "dark"] as const).flatMap((colorScheme) =>
      [360, 1280].map((width) => ({ language, colorScheme, width })),
    ),
  );

  test.each(LOOKS)("axe finds nothing in $language, $colorScheme, $width wide", async (look) => {
    const { language, colorScheme, width } = look;
    const page = await open(
      await state("bleu now"),
      { colorScheme, viewport: { width, height: 800 } },
      { language },
    );
    await page.locator("summary").evaluateAll((all) => {
      for (const one of all) (one.parentElement as unknown as { open: boolean }).open = true;
    });
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
  });

  test.each(Object.keys(PAGE_STATES).map((name, index) => [name, index] as const))(
    "%s: axe finds nothing, nothing scrolls sideways, and no request leaves the origin",
    async (name, index) => {
      // By turns, so that the states together have each language in each scheme.
      const colorScheme = index % 2 === 0 ? "light" : "dark";
      const language = index % 4 < 2 ? "fr" : "en";
      const look = { colorScheme, viewport: { width: 1920, height: 1000 } } as const;
      const page = await open(await state(name), look, { language });
      expect(await violations(page)).toEqual([]);
      for (const width of [1920, 1000, 960, 768, 360]) {
        await page.setViewportSize({ width, height: 800 });
        expect({ width, overflow: await overflow(page) }).toEqual({ width, overflow: 0 });
      }
      expect(asked.filter((url) => !url.startsWith(server.url))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  test.each(["light", "dark"] as const)(
    "has forms that tell colours and certainty apart, in the %s scheme",
    async (colorScheme) => {
      const page = await open(await state("bleu now"), { colorScheme });
      const found = await page.evaluate<Drawn>(DRAWN);
      const { body, band, sure, maybe, hatching, season, card, bars } = found;
      // The sum of three of 255 each.
      expect(colorScheme === "light" ? body > 600 : body < 150, String(body)).toBe(true);
      // 8rem: readable from three metres.
      expect(band).toBeGreaterThanOrEqual(128);
      expect(maybe).toBe('url("#h-ink")');
      expect(sure).toMatch(/^rgb/);
      expect(hatching).toHaveLength(2);
      expect(hatching[0]).not.toBe(hatching[1]);
      const { rouge, bleu, blanc, inside, expected } = season;
      expect(rouge.end).toBe("square");
      expect(bleu.end).toBe("round");
      expect(rouge.width).toBeGreaterThan(bleu.width * 1.3);
      // An outline: inside it is the ground on which it stands.
      expect(inside.stroke).toBe(card);
      expect(blanc.stroke).not.toBe(card);
      expect(inside.width).toBeLessThan(blanc.width - 2);
      expect(expected.stroke).toBe('url("#h-rouge")');
      expect(rouge.stroke).toMatch(/^rgb/);
      expect(bars.filter(({ words }) => words !== 100).length).toBeGreaterThan(3);
      for (const { words, filled } of bars) expect(filled).toBeCloseTo(words, 0);
    },
  );

  test("says all without its script, and unfolds", async () => {
    const page = await open(await state("rouge now"), { javaScriptEnabled: false });
    for (const words of [
      "rouge",
      "jusqu’à demain 06:00",
      "0,7060",
      "Heures pleines rouges",
      "Chauffe-eau",
      "répond",
    ]) {
      expect(await page.locator("main").textContent()).toContain(words);
    }
    await page.locator("#rule-rouge_peak summary").click();
    expect(await page.locator("#rule-rouge_peak .tree").isVisible()).toBe(true);
    expect(await page.locator("#stale").isVisible()).toBe(false);
  });

  test("shows an announcement within six seconds", async () => {
    const vigie = openPageVigie({
      at: "2026-01-12T09:20:00Z",
      days: { "2026-01-12": "bleu", "2026-01-13": "rouge" },
    });
    await vigie.poll();
    const page = await open(vigie.view());
    const next = page.locator(".next");
    expect(await next.getAttribute("class")).toContain("maybe");
    await vigie.go("2026-01-12T09:35:00Z");
    server.show(vigie.view());
    const begun = Date.now();
    await page.locator(".next.rouge:not(.maybe)").waitFor();
    expect(Date.now() - begun).toBeLessThan(onBusyMachine(6_000));
    expect(await next.textContent()).toContain("annoncée");
  });

  test("keeps focus, scroll and what is unfolded when it is renewed", async () => {
    const page = await open(await state("rouge now"), { viewport: { width: 1280, height: 600 } });
    await page.locator("#rule-rouge_peak summary").focus();
    await page.keyboard.press("Enter");
    await page.evaluate("window.scrollTo(0, 500)");
    server.show(await state("blanc now"));
    await page.locator("h1", { hasText: "blanc" }).waitFor();
    expect(await page.locator("#rule-rouge_peak").getAttribute("open")).toBe("");
    expect(await page.evaluate("document.activeElement.parentElement.id")).toBe("rule-rouge_peak");
    expect(await page.evaluate("window.scrollY")).toBe(500);
    expect(await page.title()).toBe("blanc · vigie");
  });

  test("keeps the focus of a link when it is renewed", async () => {
    const view = await state("service down");
    const page = await open(view, { viewport: { width: 390, height: 800 } });
    await page.locator(".notices a").focus();
    server.show({ ...view, version: "9.8.7" });
    await page.locator(".state", { hasText: "9.8.7" }).waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe("#state");
  });

  test("says that it is not renewed, and shows what it missed when vigie is back", async () => {
    const page = await open(await state("rouge now"));
    const { url } = server;
    await server.stop();
    await page.locator("#stale").waitFor({ state: "visible" });
    expect(await page.locator("#stale").textContent()).toContain("Sans nouvelles de vigie");
    server = await servePage({
      view: await state("blanc now"),
      language: "fr",
      port: Number(new URL(url).port),
    });
    await page.locator("h1", { hasText: "blanc" }).waitFor();
    expect(await page.locator("#stale").isVisible()).toBe(false);
  });

  test("says that vigie does not answer where its connection died without a sign, and comes back by itself", async () => {
    server = await servePage({ view: await state("rouge now"), language: "fr" });
    context = await browser.newContext({ viewport: WIDE });
    const page = await context.newPage();
    await page.clock.install();
    const silent = await silence(page);
    await page.goto(server.url);
    await expect.poll(silent.asked).toBe(1);
    expect(await page.locator("#stale").isVisible()).toBe(false);
    await page.clock.runFor(6_000);
    expect(await page.locator("#stale").isVisible()).toBe(true);
    await page.clock.runFor(15_000);
    await expect.poll(silent.asked).toBe(2);
    await silent.end();
    server.show(await state("blanc now"));
    await page.clock.runFor(21_000);
    await page.locator("h1", { hasText: "blanc" }).waitFor();
    await page.locator("#stale").waitFor({ state: "hidden" });
  });

  test("says that it is not renewed where something else answers in place of vigie", async () => {
    const page = await open(await state("rouge now"));
    await page.route(server.url, (route) =>
      route.fulfill({ contentType: "text/html", body: "<h1>Log in</h1>" }),
    );
    await page.locator("#stale").waitFor({ state: "visible" });
    expect(await page.locator("h1").textContent()).toContain("rouge");
  });

  test("is not stale while vigie only says that nothing is new, which costs no text", async () => {
    server = await servePage({ view: await state("rouge now"), language: "fr" });
    context = await browser.newContext({ viewport: WIDE });
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(server.url);
    await page.evaluate('document.querySelector("main").before = true');
    const answer = () => page.waitForResponse(server.url);
    for (let asked = 0; asked < 20; asked += 1) {
      const answered = answer();
      await page.clock.runFor(5_000);
      const status = (await answered).status();
      if (asked > 0) expect(status).toBe(304);
      await page.locator("#stale").waitFor({ state: "hidden" });
    }
    expect(await page.evaluate('document.querySelector("main").before')).toBe(true);
  });

  test("asks nothing while nobody sees it, and at once when somebody does", async () => {
    server = await servePage({ view: await state("rouge now"), language: "fr" });
    context = await browser.newContext({ viewport: WIDE });
    const page = await context.newPage();
    await page.clock.install();
    const first = page.waitForResponse(
      (response) => !response.request().isNavigationRequest() && response.url() === server.url,
    );
    await page.goto(server.url);
    await (await first).finished();
    const see = (visibility: string) =>
      page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${visibility}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));`);
    await see("hidden");
    page.on("request", (request) => asked.push(request.url()));
    await page.clock.runFor(10 * 60_000);
    expect(asked).toEqual([]);
    expect(await page.locator("#stale").isVisible()).toBe(false);
    server.show(await state("blanc now"));
    await see("visible");
    await page.locator("h1", { hasText: "blanc" }).waitFor();
  });

  test("is loaded anew where a newer vigie has another style or script", async () => {
    const page = await open(await state("rouge now"));
    await page.route(server.url, async (route) => {
      // A request that was under way before may have brought the day already: then the page would not change any more.
      const { "if-none-match": _, ...headers } = route.request().headers();
      const response = await route.fetch({ headers });
      const body = (await response.text()).replace(/page\.css\?v=\w+/, "page.css?v=newer");
      await route.fulfill({ response, body });
    });
    const loaded = page.waitForEvent("load");
    server.show(await state("blanc now"));
    await loaded;
    expect(await page.locator("link[rel=stylesheet]").getAttribute("href")).toBe("page.css?v=newer");
    expect(await page.locator("h1").textContent()).toContain("blanc");
  });

  test("is not loaded anew where a browser or a proxy has added files", async () => {
    const page = await open(await state("rouge now"));
    let count = 0;
    await page.route(server.url, async (route) => {
      const response = await route.fetch();
      count += 1;
      const added = `<link rel="stylesheet" href="added-${count}.css"><script src="added-${count}.js"></script>`;
      await route.fulfill({ response, body: (await response.text()).replace("</head>", `${added}</head>`) });
    });
    let loads = 0;
    page.on("load", () => {
      loads += 1;
    });
    server.show(await state("blanc now"));
    await page.locator("h1", { hasText: "blanc" }).waitFor();
    server.show(await state("rouge now"));
    await page.locator("h1", { hasText: "rouge" }).waitFor();
    expect(loads).toBe(0);
  });

  test("asks again for what it could not get", async () => {
    server = await servePage({ view: await state("rouge now"), language: "fr" });
    context = await browser.newContext({ viewport: WIDE });
    const page = await context.newPage();
    await page.goto(server.url);
    await page.route(server.url, (route) => route.abort());
    server.show(await state("blanc now"));
    await page.locator("#stale").waitFor({ state: "visible" });
    await page.unroute(server.url);
    await page.locator("h1", { hasText: "blanc" }).waitFor();
    await page.locator("#stale").waitFor({ state: "hidden" });
  });

  test.each([
    ["it is seen again", 'document.dispatchEvent(new Event("visibilitychange"))'],
    ["the network is back", 'window.dispatchEvent(new Event("online"))'],
    [
      "it is shown again as it was",
      'window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))',
    ],
  ])("asks anew after the device slept, when %s", async (_, wake) => {
    server = await servePage({ view: await state("rouge now"), language: "fr" });
    context = await browser.newContext({ viewport: WIDE });
    const page = await context.newPage();
    const silent = await silence(page);
    await page.goto(server.url);
    await expect.poll(silent.asked).toBe(1);
    await silent.end();
    server.show(await state("blanc now"));
    await page.evaluate(wake);
    await page.locator("h1", { hasText: "blanc" }).waitFor();
    expect(await page.locator("#stale").isVisible()).toBe(false);
  });

  test("is used with the keyboard alone", async () => {
    const page = await open(await state("rouge now"));
    const all = await page.locator("details").evaluateAll((some) => some.map(({ id }) => id));
    expect(all).toContain("rule-rouge_peak");
    for (const id of all) {
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(await page.locator("details[open]").last().getAttribute("id")).toBe(id);
    }
  });

  test("moves nothing for those who asked for that", async () => {
    const page = await open(await state("rouge now"), { reducedMotion: "reduce" });
    server.show(await state("blanc now"));
    await page.locator("h1", { hasText: "blanc" }).waitFor();
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
  });

  test("tells how long ago, and where in the day we are, by the clock of vigie", async () => {
    const view = await state("rouge now");
    let now = view.facts.at + 10_000;
    const page = await open(view, {}, { now: () => now });
    await page.locator(".state", { hasText: "dernière réponse à l’instant" }).waitFor();
    now = view.facts.at + 3 * 60_000;
    await page.reload();
    await page.locator(".state", { hasText: "il y a 3 minutes" }).waitFor();
    const share = await page.locator(".strip .here").getAttribute("x1");
    // 14:08 is eight hours and eight minutes after 06:00.
    expect(Number.parseFloat(share ?? "")).toBeCloseTo((8 * 60 + 8) / 14.4, 1);
    // The page has not changed since, and the answer is 304.
    now += 5 * 60_000;
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.locator(".state", { hasText: "il y a 8 minutes" }).waitFor();
  });

  test.each([
    [["22:00-06:00"]],
    [["22:00-06:00", "14:00-15:00"]],
    [["22:00-05:00", "14:00-15:00"]],
    [["21:00-22:00", "23:00-24:00", "01:00-02:00", "05:00-05:30"]],
    [["06:30-07:30", "08:30-09:30", "02:00-05:45"]],
  ])("writes no time below the line of the day over another one, with %j", async (windows) => {
    const view = await state("rouge now");
    const off_peak = [{ windows: windows.map((text) => ({ from: text.slice(0, 5), to: text.slice(6) })) }];
    const page = await open({ ...view, tariff: { ...view.tariff, off_peak } });
    for (const width of [360, 1000]) {
      await page.setViewportSize({ width, height: 800 });
      expect({ width, overflow: await overflow(page) }).toEqual({ width, overflow: 0 });
      const touching = await page.evaluate<string[]>(`(() => {
        const texts = [...document.querySelectorAll(".strip text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
        return texts.flatMap(([one, a], index) => texts.slice(index + 1)
          .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2)
          .map(([other]) => one + " and " + other));
      })()`);
      expect({ width, touching }).toEqual({ width, touching: [] });
    }
  });

  test.each(["fr", "en"] as const)("breaks no name of a day on a phone, in %s", async (language) => {
    const viewport = { width: 360, height: 800 };
    const page = await open(await state("after midnight"), { viewport }, { language });
    // Lines that one name takes, by the boxes of its text.
    const lines = await page.evaluate<number[]>(`[...document.querySelectorAll(".day .name")].map((name) => {
      const range = document.createRange();
      range.selectNodeContents(name);
      return range.getClientRects().length;
    })`);
    expect(new Set(lines)).toEqual(new Set([1]));
  });

  test("leads a phone to the state of vigie where something is wrong", async () => {
    const page = await open(await state("service down"), { viewport: { width: 390, height: 800 } });
    await page.locator(".notices a").click();
    await expect
      .poll(() => page.evaluate("document.querySelector('#state').getBoundingClientRect().top < 700"))
      .toBe(true);
  });

  test("names the time with its own day, apart from the tariff day in force", async () => {
    const view = await state("after midnight");
    const page = await open(view, {}, { now: () => view.facts.at });
    await page.locator(".clock", { hasText: "mercredi 02:10" }).waitFor();
    expect(await page.locator(".now .over").textContent()).toBe("Maintenant · mardi 13 janvier");
  });

  test("hostile texts stay texts", async () => {
    const page = await open(await state("hostile"));
    expect(await page.locator("main img, main script, main iframe").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(1);
    expect(complaints).toEqual([]);
    expect(await page.locator("main").textContent()).toContain('"><img src=x onerror=alert(1)>');
  });
});

const WIDE = { width: 1280, height: 860 };

interface Line {
  stroke: string;
  width: number;
  end: string;
}

/** What the browser makes of the style. */
interface Drawn {
  body: number;
  band: number;
  sure: string;
  maybe: string;
  hatching: string[];
  card: string;
  season: Record<"rouge" | "bleu" | "blanc" | "inside" | "expected", Line>;
  /** Per cent: what the words say, and how much of the line is filled. */
  bars: { words: number; filled: number }[];
}

const DRAWN = `(() => {
  const style = (selector) => getComputedStyle(document.querySelector(selector));
  const line = (selector) => {
    const { stroke, strokeWidth, strokeLinecap } = style(selector);
    return { stroke, width: Number.parseFloat(strokeWidth), end: strokeLinecap };
  };
  const width = (element) => element.getBoundingClientRect().width;
  const sum = (color) => color.match(/\\d+/g).reduce((all, one) => all + Number(one), 0);
  return {
    body: sum(style("body").backgroundColor),
    band: Number.parseFloat(style(".now .color").fontSize),
    sure: style(".bar .sure").fill,
    maybe: style(".bar .maybe").fill,
    hatching: [style("#h-ink .a").fill, style("#h-ink .b").fill],
    card: style(".card.season").backgroundColor,
    season: {
      rouge: line(".half .d.rouge:not(.maybe)"),
      bleu: line(".half .d.bleu:not(.maybe)"),
      blanc: line(".half .d.blanc:not(.maybe)"),
      inside: line(".half .in.blanc:not(.maybe)"),
      expected: line(".half .d.rouge.maybe"),
    },
    bars: [...document.querySelectorAll(".next, .day .sure")].map((one) => ({
      // What is official is sure without a number.
      words: Number(/(\\d+)\\u00a0%/.exec(one.textContent)?.[1] ?? 100),
      filled: (100 * width(one.querySelector(".fill"))) / width(one.querySelector(".rail")),
    })),
  };
})()`;

/** The connection looks alive, and what the script of the page asks for is never answered. */
async function silence(page: Page) {
  let asked = 0;
  const isPage = (url: URL) => url.pathname === "/";
  await page.route(isPage, (route) => {
    if (route.request().isNavigationRequest()) return route.continue();
    asked += 1;
    return undefined;
  });
  return { asked: () => asked, end: () => page.unroute(isPage) };
}

const kept = new Map<string, Promise<PageView>>();

/** Each is made once. */
function state(name: string): Promise<PageView> {
  const found = kept.get(name) ?? PAGE_STATES[name]?.();
  if (!found) throw new Error(`Expected a state of the page, got ${name}`);
  kept.set(name, found);
  return found;
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<AxeResults>("axe.run()");
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ""}`).join(" | ")}`,
  );
}

/** By how much the page is wider than the window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
}
