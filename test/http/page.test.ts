import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PAGE_FILES } from "../../src/http/page/page-files.ts";
import { renderPage } from "../../src/http/page/render-page.ts";
import { TEXTS } from "../../src/http/page/texts.ts";
import type { View } from "../../src/http/view.ts";
import { hostileView, PAGE_STATES } from "../support/page-states.ts";
import { readMarkup } from "../support/page-text.ts";
import { HOUSE_RULES, openPageVigie } from "../support/page-vigie.ts";

describe("the band", () => {
  test("shows the colour in force, until when, its price and the next one", async () => {
    const page = await text("rouge now");
    expect(page).toContain("Maintenant · mardi 13 janvier");
    expect(page).toMatch(/Maintenant : rouge jusqu’à demain 06:00 · définitif/);
    expect(page).toContain("0,7060 € /kWh heures pleines jusqu’à 22:00 puis 0,1575 € · heures creuses");
    expect(page).toContain(
      "Ensuite : rouge à partir de demain 06:00 · définitif heures pleines 0,7060 € heures creuses 0,1575 € La semaine",
    );
  });

  test("after midnight shows the tariff day that is still in force", async () => {
    const page = await text("after midnight");
    expect(page).toContain("Maintenant · mardi 13 janvier");
    expect(page).toContain("jusqu’à 06:00 · définitif");
    expect(page).toMatch(/kWh heures creuses jusqu’à 06:00 06:00 22:00 06:00 Ensuite/);
  });

  test("after midnight begins the week with the day in force", async () => {
    const week = (await text("after midnight", "en")).split("The week")[1] ?? "";
    expect(week).toMatch(/^.*?rouge in force 13 Jan.*?rouge today 14 Jan.*?tomorrow 15 Jan/);
  });

  test("names a demonstration", async () => {
    const view = await PAGE_STATES["first look"]?.();
    if (!view) throw new Error("Expected a first look");
    const page = renderPage({ ...view, demoSpeed: 720 }, { language: "fr" });
    expect(page).toContain("Cette horloge va 720 fois plus vite, et rien n’est envoyé à un appareil.");
    expect(renderPage(view, { language: "fr" })).not.toContain("Démonstration");
  });

  test("says of a pretended day what it is in truth", async () => {
    const page = await text("simulation running", "en");
    expect(page).toContain(
      "Simulation until 15:05 Monday 12 January: vigie pretends that this day is rouge. In truth: bleu. Prices stay the true ones.",
    );
    expect(page).toMatch(/Now: rouge until 15:05 · simulated/);
  });

  test("says that days are invented", async () => {
    expect(await text("first look")).toContain("Jours inventés");
    expect(await text("rouge now")).not.toContain("Jours inventés");
  });

  test("names no colour while the clock is wrong, and no day is today", async () => {
    const page = await text("clock wrong");
    expect(page).toContain("L’horloge de cette machine n’est pas à l’heure");
    expect(page).toContain("environ 14:35, le mardi 13 janvier");
    expect(page).not.toContain("aujourd’hui");
    expect(page).toContain("L’état des règles est inconnu");
    expect(await markup("clock wrong")).toContain("<title>inconnue · vigie</title>");
  });

  test("says what an unknown day can only be", async () => {
    const page = await text("nothing known");
    expect(page).toContain("vigie n’a encore aucune réponse");
    expect(page).toContain("prix inconnu");
    expect(page).toContain("samedi 17 janv. inconnu ce ne peut être que bleu ou blanc");
  });

  test("draws a forecast as one, and an official colour without hatching", async () => {
    expect(await markup("rouge now")).toContain('class="panel next rouge"');
    expect(await markup("bleu now")).toContain('class="panel next rouge maybe"');
  });
});

describe("what is not as it should be", () => {
  test("is said of a service that is down, with its last answer and its failure", async () => {
    const page = await text("service down", "en");
    expect(page).toContain(
      "The forecast service does not answer any more Its last answer came Tue 13 Jan at 14:05.",
    );
    expect(page).toContain("ECONNREFUSED");
    expect(page).toContain("A device does not do what it was told Heat pump");
  });

  test("is said of sources that contradict each other", async () => {
    const page = await text("sources contradict each other");
    expect(page).toContain("mardi 13 janvier : blanc d’après RTE, rouge d’après le service.");
  });

  test("is said of an official source that has never answered, and not that tomorrow is late", async () => {
    const page = await text("RTE never answered", "en");
    expect(page).toMatch(/The official source has not answered yet [^.]*ECONNREFUSED/);
    expect(page).toContain("Official source no answer yet");
    expect(page).not.toMatch(/late|any more|expected within/);
    expect(page).toContain("rouge unknown blanc unknown");
  });

  test("is said of a service that has never answered", async () => {
    const page = await text("nothing known", "en");
    expect(page).toContain("The forecast service has not answered yet");
    expect(page).not.toMatch(/any more/);
  });

  test("is said of an official source that answered before, not that its silence makes tomorrow late", async () => {
    const page = await text("RTE down", "en");
    expect(page).toContain("The official source does not answer at the moment");
    expect(page).toMatch(/Official source does not answer at the moment ?, last answer/);
    expect(page).not.toMatch(/late/);
  });

  test("is nothing where all is well", async () => {
    expect(await markup("rouge now")).not.toContain('class="notices"');
  });
});

describe("the week", () => {
  test("has eight days with stage, confidence and labelled prices", async () => {
    const page = await markup("rouge now");
    expect(page.match(/<li class="day">/g)).toHaveLength(8);
    expect(await text("rouge now")).toMatch(/jeudi 15 janv\. prévision \d+ % pleines 0,7060 creuses 0,1575/);
  });

  test("says why most days are unknown where there is no forecast service", async () => {
    expect(await text("without a service")).toContain("Sans service de prévision");
    expect(await text("without a service")).not.toContain("selon la prévision");
  });
});

describe("rules", () => {
  test("are shown with their state, why, and their next turn", async () => {
    const page = await text("rouge now", "en");
    expect(page).toMatch(
      /ON Rouge peak hours ✓ yes the day in force: rouge — Tue 13 Jan rouge, final ends at 22:00/,
    );
    expect(page).toMatch(
      /OFF Preheat before rouge ✗ no off-peak hours — peak hours begins tomorrow at 03:30/,
    );
    expect(page).toContain("perhaps: ends Fri at 06:00");
  });

  test("unfold to their conditions, with the values of the house and since when they hold", async () => {
    const page = await text("rouge now");
    expect(page).toContain(
      "✗ non toutes ces conditions ✗ non car/status battery : moins de 80, de 2 h au plus — 82 , à 13:57",
    );
    expect(page).toContain(
      "✗ non condition non remplie ✓ oui règle « Rouge annoncé ou en cours » : OUI Les prochains jours",
    );
  });

  test("have certain and forecast parts that are drawn differently, on an axis of midnights", async () => {
    const page = await markup("rouge now");
    const [bar = ""] = /<svg class="bar" aria-hidden="true" data-from.*?<\/svg>/s.exec(page) ?? [];
    expect(bar).toContain('class="sure"');
    expect(bar).toContain('class="maybe"');
    expect(bar).toContain('data-from="2026-01-12T23:00:00Z" data-to="2026-01-20T23:00:00Z"');
    expect([...bar.matchAll(/<line x1="([\d.]+)%"/g)].map(([, place]) => Number(place))).toEqual([
      12.5, 25, 37.5, 50, 62.5, 75, 87.5,
    ]);
  });

  test("are all there where there are 200 of them, the conditions of the first ones only", async () => {
    const rules = Array.from({ length: 200 }, (_, index) => ({
      ...HOUSE_RULES[index % 4],
      id: `rule_${index}`,
    }));
    const vigie = openPageVigie({ at: "2026-01-13T13:05:00Z", rules });
    await vigie.poll();
    const page = renderPage(vigie.view(), { language: "fr" });
    expect(page.match(/class="pill/g)).toHaveLength(200);
    expect(page.match(/class="tree"/g)).toHaveLength(40);
    expect(page).toContain(TEXTS.fr.no_trees);
    expect(page.length).toBeLessThan(400_000);
  });

  test("show their first 40 conditions, and how many more there are", async () => {
    const hours = Array.from({ length: 50 }, () => ({ between: ["06:00", "22:00"] }));
    const rules = [{ ...HOUSE_RULES[0], when: { any: hours } }];
    const vigie = openPageVigie({ at: "2026-01-13T13:05:00Z", rules });
    await vigie.poll();
    const page = renderPage(vigie.view(), { language: "en" });
    const [tree = ""] = /<ul class="tree">.*?<\/p>/s.exec(page) ?? [];
    expect(tree.match(/<li>/g)).toHaveLength(40);
    expect(readMarkup(`<main>${tree}`)).toContain("and 11 more");
  });
});

describe("devices", () => {
  test("are shown with what was sent, why, and whether they confirmed it", async () => {
    const page = await text("bleu now", "en");
    expect(page).toContain(
      "Water heater on sent at 02:20 · none of its rules was ON ✓ confirmed by the device",
    );
    expect(page).toContain("! did not obey, 120 tries · it says 18");
    expect(page).toContain("Wall box OFF sent at 02:20 · none of its rules was ON → sent");
  });
});

describe("the season", () => {
  test("has one square a day, and as many of each colour as there are days", async () => {
    const page = await markup("rouge now");
    const count = (kind: string) =>
      [...page.matchAll(new RegExp(`<path class="d ${kind}" d="([^"]*)"`, "g"))]
        .map(([, path = ""]) => path.split("M").length - 1)
        .reduce((sum, days) => sum + days, 0);
    const kinds = ["rouge", "blanc", "bleu", "rouge maybe", "blanc maybe", "bleu maybe", "ahead"];
    // Each kind has one more square in the legend, but for two forecasts.
    expect(kinds.reduce((sum, kind) => sum + count(kind), 0)).toBe(365 + 5);
    expect(page).toContain('role="img"');
  });

  test("says how many days are left, and how fast the rouge days go beside those of earlier seasons", async () => {
    const page = await text("rouge now");
    expect(page).toMatch(/17 jours rouges restants sur 22/);
    expect(page).toMatch(/2025–2026 5 jusqu’ici 2024–2025 3 à cette date, 22 en tout/);
    expect(page).toMatch(/2023–2024 au moins 22 : une partie de la saison est inconnue/);
  });

  test("invents no earlier season and no count", async () => {
    const page = await text("nothing known");
    expect(page).toContain("vigie ne connaît encore aucune saison passée");
    expect(page).toContain("Le nombre de jours restants est inconnu");
    expect(page).not.toMatch(/restants sur/);
  });
});

describe("any page", () => {
  const states = Object.keys(PAGE_STATES);

  test.each(states)(
    "%s: has well-formed markup, no inline script or style, relative links only, in both languages",
    async (name) => {
      for (const language of ["fr", "en"] as const) {
        const page = await markup(name, language);
        expect(unclosed(page)).toEqual([]);
        expect(page).not.toMatch(/<[^>]+ (style|on\w+)=/);
        expect(page.match(/<script[^>]*>/g)).toEqual([`<script src="${PAGE_FILES["page.js"].link}" defer>`]);
        const links = [...page.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, link = ""]) => link);
        expect(links.filter((link) => !/^[\w.]+\?v=[0-9a-f]+$/.test(link))).toEqual([]);
        const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
        expect(ids).toEqual([...new Set(ids)]);
        expect(page).not.toMatch(/undefined|NaN|\[object/);
      }
    },
  );

  test("of a house with eight rules is at most 60 KB with its style and its script", async () => {
    const rules = Array.from({ length: 8 }, (_, index) => ({
      ...HOUSE_RULES[index % 4],
      id: `rule_${index}`,
    }));
    const vigie = openPageVigie({ at: "2026-01-13T13:05:00Z", rules });
    await vigie.poll();
    const files =
      Buffer.byteLength(PAGE_FILES["page.css"].text) + Buffer.byteLength(PAGE_FILES["page.js"].text);
    const page = Buffer.byteLength(renderPage(vigie.view(), { language: "fr" }));
    expect(page + files).toBeLessThanOrEqual(60_000);
  });

  test("shows hostile texts as texts, wherever they come from", async () => {
    const view = await hostileView();
    const marks = fc.constantFrom(
      '"',
      "'",
      "<",
      ">",
      "&",
      "\u202e",
      "\u2066",
      "\0",
      "</script>",
      "<!--",
      "]]>",
      "x",
    );
    const plain = renderPage(await hostileView(["a", "b", "c", "d"]), { language: "fr" });
    for (const page of [renderPage(view, { language: "fr" }), renderPage(view, { language: "en" })]) {
      expect(tagsOf(page)).toEqual(tagsOf(plain));
      expect(page.length).toBeLessThan(60_000);
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: marks }), { minLength: 4, maxLength: 4 }),
        async (texts) => {
          const page = renderPage(replaceTexts(view, texts), { language: "en" });
          expect(tagsOf(page)).toEqual(tagsOf(plain));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("ink on stripes can be read", () => {
  // axe decides nothing where a background is a pattern.
  const css = PAGE_FILES["page.css"].text;
  const variables = (block: RegExp) =>
    Object.fromEntries(
      [...(block.exec(css)?.[1] ?? "").matchAll(/--([\w-]+): (#[0-9a-f]+)/g)].map(
        ([, name = "", color = ""]) => [name, color],
      ),
    );
  const light = variables(/^:root \{(.*?)\n\}/ms);
  const dark = variables(/prefers-color-scheme: dark\) \{(.*?)\n\}/s);
  const forecasts = [
    ...css.matchAll(
      /\.(\w+)\.maybe \{ --a: var\(--(.*?)\); --b: var\(--(.*?)\); --text: var\(--(.*?)\); \}/g,
    ),
  ];
  const [, ...banner] = /\.banner \{.*?-45deg, (#\w+) .*?, (#\w+) .*?; color: (#\w+);/s.exec(css) ?? [];

  test.each([
    ["light", light],
    ["dark", { ...light, ...dark }],
  ])("in the %s scheme, on each of both stripes", (_, colors) => {
    const named = forecasts.map(([, kind, ...names]) => [kind, ...names.map((name) => colors[name])]);
    const all = [...named, ["banner", ...banner]];
    expect(all.map(([kind]) => kind)).toEqual(["rouge", "bleu", "blanc", "banner"]);
    for (const [kind, a = "", b = "", ink = ""] of all) {
      for (const stripe of [a, b]) {
        expect(contrast(ink, stripe), `${kind}: ${ink} on ${stripe}`).toBeGreaterThanOrEqual(4.5);
      }
    }
  });
});

test("each text is there in both languages, and none is empty", () => {
  const keys = (texts: object): string[] =>
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === "object" ? keys(value).map((inner) => `${key}.${inner}`) : value === "" ? [] : [key],
    );
  expect(keys(TEXTS.en)).toEqual(keys(TEXTS.fr));
});

const kept = new Map<string, Promise<View>>();

function markup(name: string, language: "fr" | "en" = "fr"): Promise<string> {
  const view = kept.get(name) ?? PAGE_STATES[name]?.();
  if (!view) throw new Error(`Expected a state of the page, got ${name}`);
  kept.set(name, view);
  return view.then((found) => renderPage(found, { language }));
}

async function text(name: string, language: "fr" | "en" = "fr"): Promise<string> {
  return readMarkup(await markup(name, language));
}

/** As WCAG defines it. */
function contrast(one: string, other: string): number {
  const [darker = 0, brighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (brighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const digits = color.length === 4 ? color.replaceAll(/\w/g, "$&$&") : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function tagsOf(page: string): string[] {
  return [...page.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([tag]) => tag);
}

/** The elements that are not closed, or closed in the wrong order. */
function unclosed(page: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, end, name = "", , empty] of page.matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:[^>"]|"[^"]*")*?)(\/?)>/g,
  )) {
    if (empty || ["meta", "link"].includes(name)) continue;
    if (!end) open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...open];
}

/** The view with other texts where the hostile ones are. */
function replaceTexts(view: View, texts: readonly string[]): View {
  const text = (index: number) => texts[index % texts.length] || "-";
  return {
    ...view,
    instance: text(0),
    broker: { connected: false, url: text(1) },
    verdicts: view.verdicts.map((verdict, index) => ({
      ...verdict,
      rule: { ...verdict.rule, name: { fr: text(index), en: text(index) } },
    })),
    outputs: view.outputs.map((status, index) => ({
      ...status,
      output: { ...status.output, name: { fr: text(index), en: text(index) } },
      ...(status.sent && { sent: { ...status.sent, payload: text(index), last_answer: text(index + 1) } }),
      would_send: text(index + 2),
    })),
  };
}
