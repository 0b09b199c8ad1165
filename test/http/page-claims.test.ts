import { describe, expect, test } from "vitest";
import type { DayFacts } from "../../src/core/facts/facts.ts";
import type { Failing } from "../../src/core/facts/source-record.ts";
import { renderMetrics } from "../../src/http/metrics.ts";
import { renderPage } from "../../src/http/page/render-page.ts";
import { TEXTS } from "../../src/http/page/texts.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { knownDaysOf, official } from "../support/known-days.ts";
import { statusOf } from "../support/outputs.ts";
import { PAGE_STATES } from "../support/page-states.ts";
import { readPage } from "../support/page-text.ts";
import { HOUSE_RULES, openPageVigie, sentTo } from "../support/page-vigie.ts";
import { openTestLoop } from "../support/test-loop.ts";
import { viewOf as viewOfLoop, withLastAnswers } from "../support/views.ts";

type House = Partial<Parameters<typeof openPageVigie>[0]>;

const DAY = 24 * 3_600_000;
const AFTERNOON = "2026-01-13T13:05:00Z";
const HOT = { topic: "house/hot", equals: "yes" };
const rule = (when: object, more: object = {}) => ({ id: "tested", name: "Tested", when, ...more });

/** vigie as it is after its first answers. */
async function openHouse(house: House = {}) {
  const vigie = openPageVigie({ at: AFTERNOON, outputs: [], rules: [], ...house });
  await vigie.poll();
  return vigie;
}

describe("what a rule will be", () => {
  const days = {
    "2026-01-13": "bleu",
    "2026-01-14": "bleu",
    "2026-01-15": "bleu",
    "2026-01-16": "bleu",
  } as const;
  const yes = { "house/hot": { payload: "yes", at: Date.parse(AFTERNOON) } };
  test.each<[string, object, House, RegExp, RegExp]>([
    [
      "is no promise where a value decides",
      { mqtt: HOT },
      { heard: yes },
      / unchanged until Wed 21 Jan 06:00 if the values of the house stay as they are /,
      /at least/,
    ],
    [
      "is sure as far as official days decide",
      { day: "now", color: "rouge" },
      {},
      / unchanged until Thu 06:00 at least /,
      /perhaps/,
    ],
    [
      "is no turn where days decide that nobody has named yet",
      { day: "next_7_days", color: "rouge", confidence: 60 },
      {},
      / unchanged until tomorrow 06:00 (?:at least|by the forecast) /,
      /unknown from/,
    ],
    [
      "may be that it turns OFF where only a forecast says so",
      { all: [{ mqtt: HOT }, { day: "now", color: "rouge" }] },
      { days: { ...days, "2026-01-13": "rouge", "2026-01-14": "rouge" } },
      / perhaps OFF from Thu 06:00 /,
      / (?<!perhaps )OFF from /,
    ],
    [
      "is by both where a value and a forecast decide",
      { all: [{ mqtt: HOT }, { day: "now", color: "bleu" }] },
      { heard: yes },
      /The next days ON .{5,30} if the forecast and the values of the house hold/,
      /by the forecast/,
    ],
  ])("%s", async (_, when, more, expected, never) => {
    const vigie = await openHouse({ days, rules: [rule(when)], ...more });
    const page = readPage(vigie.view(), "en");
    const part = page.slice(page.indexOf("ON, certain"), page.indexOf("Devices"));
    expect(part).toMatch(expected);
    expect(part).not.toMatch(never);
  });

  test("is no promise where a forecast decides", async () => {
    const vigie = await openHouse({
      at: "2026-01-11T13:00:00Z",
      days: { ...days, "2026-01-11": "bleu", "2026-01-12": "bleu" },
      rules: [rule({ day: "now", color: "rouge" })],
    });
    vigie.setDown(true);
    await vigie.go("2026-01-13T13:05:00Z");
    expect(readPage(vigie.view(), "en")).toContain("unchanged until Mon 06:00 by the forecast");
  });

  test("names the values where they decide from now on, however long the rule is ON", async () => {
    const vigie = await openHouse({ at: "2026-01-13T10:30:00Z", rules: [rule({ mqtt: HOT })], heard: yes });
    await vigie.go("2026-01-13T13:05:00Z");
    const page = readPage(vigie.view(), "en");
    expect(page).toContain(
      "The next days ON 11:30 → Wed 21 Jan 06:00 if the values of the house stay as they are",
    );
  });

  test("names the values alone of a rule that looks at them by another rule", async () => {
    const hot = { ...rule({ mqtt: HOT }), id: "hot" };
    const vigie = await openHouse({
      at: "2026-01-13T10:30:00Z",
      rules: [rule({ all: [{ rule: "hot" }, { period: "hp" }] }), hot],
      heard: yes,
    });
    expect(readPage(vigie.view(), "en")).toContain(
      "ON 11:30 → 22:00 if the values of the house stay as they are",
    );
  });

  test("is explained by a legend that names values too, and says what they are, if a rule looks at one", async () => {
    const view = (await openHouse({ rules: [rule({ mqtt: HOT })] })).view();
    expect(readPage(view)).toContain("OUI, si la prévision et les valeurs de la maison se confirment");
    expect(readPage(view)).toContain("Les valeurs de la maison : ce que d’autres appareils");
    expect(readPage(view, "en")).toContain("ON, if the forecast and the values of the house hold");
    const other = (await openHouse({ rules: [rule({ period: "hc" })] })).view();
    expect(readPage(other, "en")).toContain("ON, by the forecast");
    expect(readPage(other, "en")).not.toContain("values");
  });
});

describe("the banner of a simulation", () => {
  const bleu = { "2026-01-12": "bleu", "2026-01-13": "bleu", "2026-01-14": "bleu" } as const;

  test("says what a pretended day is in truth, also while the clock is wrong", async () => {
    const vigie = await openHouse({ days: bleu });
    await vigie.pretend("rouge", "now");
    const words = "vigie pretends that this day is rouge. In truth: bleu.";
    expect(readPage(vigie.view(), "en")).toContain(words);
    expect(readPage(vigie.view(), "en")).toMatch(/0\.1612 € \/kWh .* the true price, that of a bleu day/);
    vigie.clock.steady = vigie.clock.at + 60_000;
    vigie.clock.at = Date.parse("2024-05-01T03:00:00Z");
    vigie.loop.refresh();
    expect(vigie.view().facts.moment).toBeNull();
    expect(readPage(vigie.view(), "en")).toContain(words);
  });

  test("stands no longer than the pretended day", async () => {
    const vigie = await openHouse({ at: "2026-01-14T04:30:00Z", days: bleu });
    await vigie.pretend("rouge", "now", 6);
    const page = () => readPage(vigie.view(), "en");
    expect(page()).toContain("Tuesday 13 January: vigie pretends that this day is rouge. In truth: bleu.");
    expect(page()).toContain("Simulation until 06:00");
    await vigie.go("2026-01-14T05:00:00Z");
    expect(page()).not.toMatch(/simulation|pretends/i);
  });

  test("names the next day while it is pretended, and then the one in force", async () => {
    const vigie = await openHouse({ at: "2026-01-14T04:30:00Z", days: bleu });
    await vigie.pretend("rouge", "next", 6);
    const banner = "Wednesday 14 January: vigie pretends that this day is rouge. In truth: bleu.";
    expect(readPage(vigie.view(), "en")).toMatch(
      new RegExp(
        `${banner}.*Now · Tuesday 13 January Now: bleu.*Next · Wednesday 14 January Next: rouge`,
        "s",
      ),
    );
    await vigie.go("2026-01-14T05:00:00Z");
    expect(readPage(vigie.view(), "en")).toMatch(
      new RegExp(`${banner}.*Now · Wednesday 14 January Now: rouge`, "s"),
    );
  });

  test("says that an official rouge stays what it is", async () => {
    const vigie = await openHouse({ days: { ...bleu, "2026-01-13": "rouge" } });
    await vigie.pretend("bleu", "now");
    const view = vigie.view();
    expect(readPage(view, "en")).toContain(
      "Tuesday 13 January: without effect, as this day is officially rouge.",
    );
    expect(readPage(view)).toContain("mardi 13 janvier : sans effet, car ce jour est officiellement rouge.");
    expect(readPage(view, "en")).not.toContain("pretends");
  });

  test("stands beside a correction of the true colour, not of the pretended one", async () => {
    const vigie = await openHouse({ at: "2026-01-12T13:05:00Z", days: bleu });
    const { days } = vigie.days();
    const day = { ...days["2026-01-13"], revised_from: "blanc" as const };
    vigie.know({ ...vigie.days(), days: { ...days, "2026-01-13": day } });
    await vigie.pretend("rouge", "next");
    const page = readPage(vigie.view(), "en");
    expect(page).toContain("Tuesday 13 January: blanc before, bleu now.");
  });

  test.each(["simulation", "real", "invented"] as const)(
    "and the title of the tab say so: %s",
    async (which) => {
      const vigie = await openHouse({ days: bleu, kind: which === "invented" ? "invented" : "real" });
      if (which === "simulation") await vigie.pretend("blanc", "now");
      const page = renderPage(vigie.view(), { language: "fr" });
      const [, title] = /<title>(.*)<\/title>/.exec(page) ?? [];
      const [, icon] = /rel="icon"[^>]* href="(\w+)/.exec(page) ?? [];
      expect({ title, icon }).toEqual(
        {
          simulation: { title: "blanc · simulation · vigie", icon: "bleu" },
          real: { title: "bleu · vigie", icon: "bleu" },
          invented: { title: "bleu · simulation · vigie", icon: "unknown" },
        }[which],
      );
    },
  );
});

test("an error of vigie itself is said, and where nothing of the moment is known by it, the clock is not blamed", async () => {
  const view = (await openHouse()).view();
  const failed = { ...view, factsInput: { ...view.factsInput, vigie_failed: true } };
  const text = (shown: PageView) => readPage(shown, "en");
  expect(text(view)).not.toContain("A part of vigie does not work");
  expect(text(failed)).toContain("A part of vigie does not work It is an error of vigie itself");
  const unknown = text({ ...failed, facts: { ...view.facts, moment: null } });
  expect(unknown).toMatch(/Now \? A part of vigie does not work/);
  expect(unknown).not.toContain("clock of this machine");
});

test("a clock that only one source contradicts is said to be perhaps wrong, and all else is shown", async () => {
  const view = (await openHouse()).view();
  const { clock } = view.factsInput;
  const doubted = {
    ...view,
    factsInput: { ...view.factsInput, clock: { ...clock, doubted_by: clock.at + 20 * 60_000 } },
  };
  expect(readPage(view, "en")).not.toContain("may be wrong");
  const text = readPage(doubted, "en");
  expect(text).toContain("The clock of this machine may be wrong By a source it is 20 min later.");
  expect(text).toContain("it may be wrong");
  expect(text).not.toMatch(/Now \?/);
  expect(readPage(doubted, "fr")).toContain("L’horloge de cette machine n’est peut-être pas à l’heure");
});

describe("what is said of a source", () => {
  const FAILED = "connect ECONNREFUSED 192.0.2.20:443";
  type Source = {
    service?: Partial<PageView["facts"]["service"]>;
    official?: Partial<PageView["facts"]["official"]>;
    failing?: Failing;
  };
  type LastAnswers = Parameters<typeof withLastAnswers>[1];
  /** A view of which the status of the sources is another one. */
  async function viewOf({ service, official, failing }: Source, answers: LastAnswers) {
    const view = (await openHouse({ official: true })).view();
    const change = (facts: PageView["facts"]) => ({
      ...facts,
      service: { ...facts.service, ...service },
      official: { ...facts.official, ...official },
    });
    const real = { ...view.real, facts: change(view.real.facts) };
    const factsInput = { ...view.factsInput };
    if (factsInput.official && failing) factsInput.official = { ...factsInput.official, failing };
    return withLastAnswers({ ...view, factsInput, facts: change(view.facts), real }, answers);
  }

  test.each<[string, Source, LastAnswers, string, string, RegExp]>([
    [
      "one of its requests failed",
      { service: { status: "degraded", last_error: FAILED } },
      {},
      "Une requête au service de prévision a échoué Sa dernière réponse date de 14:05",
      "▲ Service une requête a échoué, dernière réponse à 14:05",
      /ne répond/,
    ],
    [
      "it does not answer any more",
      { service: { status: "down", last_error: FAILED } },
      { service: Date.parse("2026-01-12T10:00:00Z") },
      "Le service de prévision ne répond plus Sa dernière réponse date du lun. 12 janv. à 11:00 ; ses données aussi.",
      "■ Service ne répond plus, dernière réponse lun. 12 janv. à 11:00",
      /jamais/,
    ],
    [
      "it never answered",
      { service: { status: "down", last_error: FAILED } },
      { service: null },
      `Le service de prévision n’a pas encore répondu ${FAILED}`,
      "■ Service pas encore de réponse ●",
      /ne répond plus|dernière réponse date/,
    ],
    [
      "the official source does not answer",
      { official: { status: "degraded", last_error: FAILED }, failing: { since: 0, sentence: FAILED } },
      {},
      "",
      "▲ Source officielle une requête a échoué, dernière réponse à 14:05",
      /pas encore de réponse/,
    ],
    [
      "a part of the official source does not answer",
      { official: { status: "degraded", last_error: FAILED } },
      {},
      "",
      "▲ Source officielle répond, mais sans les jours passés de la saison, dernière réponse à 14:05",
      /ne répond (?:plus|pas)/,
    ],
    [
      "the official source has answered long ago",
      { official: { status: "degraded" } },
      { official: Date.parse("2026-01-10T10:00:00Z") },
      "",
      "▲ Source officielle pas de réponse récente, dernière réponse sam. 10 janv. à 11:00",
      /pas encore de réponse/,
    ],
    [
      "the official source never answered",
      { official: { status: "down", last_error: FAILED } },
      { official: null },
      `La source officielle n’a pas encore répondu ${FAILED}`,
      "■ Source officielle pas encore de réponse ●",
      /ne répond plus/,
    ],
  ])("%s", async (_, source, answers, notice, state, never) => {
    const page = readPage(await viewOf(source, answers));
    expect(page).toContain(notice);
    expect(page).toContain(state);
    expect(page).not.toMatch(never);
  });

  test("it is silent for a week: nothing is said of today that was only true then", async () => {
    const view = await PAGE_STATES["service down for a week"]?.();
    if (!view) throw new Error("Expected a state of the page");
    const page = readPage(view, "en");
    for (const words of [
      "Now: unknown until tomorrow 06:00 vigie has not learnt the colour of this day. price unknown",
      "Next: unknown from tomorrow 06:00",
      "The forecast service does not answer any more Its last answer came Tue 13 Jan at 14:05. Its data is that old.",
      "? today 21 Jan unknown ? tomorrow 22 Jan unknown",
      "? unknown Rouge peak hours ? unknown needed: the day in force: rouge; at present: Wed 21 Jan unknown",
      "187 bleu days left of 300 As the service said on Tuesday 13 January, because vigie does not know every day",
      "2025–2026 at least 6: a part of the season is unknown",
      "■ Service does not answer any more, last answer Tue 13 Jan at 14:05",
    ]) {
      expect(page).toContain(words);
    }
    expect(readPage(view)).toContain(
      "Selon ce que le service a dit le mardi 13 janvier, car vigie ne connaît pas",
    );
    expect(page).not.toMatch(/announced|, final|peak \d|\d so far/);
    const markup = renderPage(view, { language: "en" });
    expect(markup).not.toMatch(/class="(?:pill on|(?:panel \w+|chip) (?!none))/);
    // No part of a rule's future is ON.
    expect(markup).not.toMatch(/class="(?:sure|maybe)" x=/);
  });

  test("no first answer is promised", async () => {
    const vigie = openPageVigie({ at: AFTERNOON, outputs: [], rules: [] });
    expect(readPage(vigie.view(), "en")).toContain("vigie has no answer yet. price unknown");
    vigie.setDown(true);
    await vigie.go("2026-01-20T13:05:00Z");
    expect(readPage(vigie.view(), "en")).toContain("vigie has no answer yet. price unknown");
  });
});

describe("a colour that is not known", () => {
  test.each([
    ["before it is announced", "2026-01-13T08:00:00Z", "tempo", "The colour is announced the day before"],
    ["after all was announced", "2026-01-13T10:31:00Z", "tempo", "vigie does not know this colour yet."],
    ["after midnight", "2026-01-13T23:30:00Z", "tempo", "vigie does not know this colour yet."],
    ["of a tariff without laws", "2026-01-13T08:00:00Z", "off", "vigie does not know this colour yet."],
  ] as const)("%s", async (_, at, laws, expected) => {
    const vigie = openPageVigie({ at: "2026-01-13T08:00:00Z" });
    vigie.setDown(true);
    await vigie.go(at);
    const view = vigie.view();
    const page = readPage({ ...view, tariff: { ...view.tariff, laws } }, "en");
    expect(page).toContain(expected);
    expect(page.includes("announced the day before")).toBe(expected.includes("announced the day before"));
  });
});

test("an announcement that is late is said, and not before its time", async () => {
  const vigie = await openHouse({ at: "2026-01-13T09:20:00Z" });
  const page = (language: "fr" | "en") => readPage(vigie.view(), language);
  vigie.clock.at = Date.parse("2026-01-13T10:59:59Z");
  vigie.loop.refresh();
  expect(page("en")).not.toContain("is late");
  vigie.clock.at = Date.parse("2026-01-13T11:00:00Z");
  vigie.loop.refresh();
  expect(page("en")).toContain(
    "Tomorrow’s announcement is late The colour of Wednesday 14 January is still not official.",
  );
  expect(page("fr")).toContain(
    "L’annonce de demain est en retard La couleur du mercredi 14 janvier n’est toujours pas officielle.",
  );
});

describe("the state of vigie", () => {
  test("calls no source well before it has answered since the start, and its last answer one that is known", async () => {
    const clock = { at: Date.parse("2026-01-13T03:05:00Z") };
    const started = openTestLoop({
      clock,
      days: knownDaysOf({
        "2026-01-13": official("rouge", { first_said: Date.parse("2026-01-13T01:13:00Z") }),
      }),
    });
    const view = viewOfLoop(started.loop);
    expect(view.facts.service.status).toBe("ok");
    expect(readPage(view)).toContain(
      "○ Service pas encore de réponse depuis le démarrage, dernière réponse à 02:13 ou plus tard ",
    );
    expect(readPage(view, "en")).toContain(
      "○ Service no answer yet since the start, last answer at 02:13 or later ",
    );
    // What is known is too old to tell whether it answers.
    clock.at += 12 * 3_600_000;
    started.loop.refresh();
    const later = readPage(viewOfLoop(started.loop));
    expect(later).toContain("○ Service pas encore de réponse depuis le démarrage, dernière réponse à 02:13 ");
    expect(later).not.toContain("ne répond plus");
    const failed = { ...view.real.facts.service, status: "degraded", last_error: "No route" } as const;
    const facts = { ...view.facts, service: failed };
    expect(readPage({ ...view, facts, real: { ...view.real, facts } }, "en")).toContain(
      "Its last answer came at 02:13 or later, but before vigie was started.",
    );
    const answered = await openHouse();
    expect(readPage(answered.view(), "en")).toContain("● Service answers, last answer at 14:05 ");
  });

  test("calls the simulator what it is, also where it is the official source", async () => {
    const page = readPage((await openHouse({ kind: "invented", official: true })).view(), "en");
    expect(page).toMatch(/▲ Service built-in simulator, .*▲ Official source built-in simulator, /);
    expect(readPage((await openHouse({ official: true })).view(), "en")).toContain(
      "● Official source answers",
    );
  });

  test("names its version and its instance", async () => {
    const view = (await openHouse()).view({ version: "1.2.3", instance: "cottage" });
    expect(readPage(view)).toContain("○ vigie 1.2.3 · instance cottage ");
    expect(readPage(view, "en")).toContain("○ vigie 1.2.3 · instance cottage ");
  });

  test("does not say of Home Assistant what it said before the broker was lost", async () => {
    const view = (await openHouse()).view({ broker: { connected: false, url: "mqtt://192.0.2.10" } });
    expect(readPage(view)).toContain("○ Home Assistant inconnu");
  });

  test("says at each moment after a loss of the broker what is so", async () => {
    const vigie = await openHouse();
    const url = "mqtt://192.0.2.10";
    const readWith = (broker: PageView["broker"]) => readPage(vigie.view({ broker }), "en");
    const [notYet, away] = [
      "There is no working connection to the MQTT broker",
      "The MQTT broker is not reached",
    ];
    const connected = readWith({ connected: true, url });
    for (const words of [notYet, away, "See how vigie is"]) expect(connected).not.toContain(words);
    const lost = readWith({ connected: false, url });
    expect(lost).toMatch(new RegExp(`${notYet} vigie tries each second\\. .* See how vigie is`));
    expect(lost).not.toContain(away);
    const gone = readWith({ connected: false, url, away_since: vigie.clock.at - 60_000 });
    expect(gone).toContain(`${away} since 14:04`);
    expect(gone).not.toContain(notYet);
    expect(readPage(vigie.view({ broker: { connected: false, url } }))).toContain(
      "La connexion au broker MQTT n’est pas établie vigie essaie de l’établir chaque seconde.",
    );
  });

  test("says of the clock only that nothing speaks against it", async () => {
    expect(readPage((await openHouse()).view())).toContain("● Horloge aucune erreur constatée");
  });

  test("says when it was worked out", async () => {
    const view = (await openHouse()).view();
    expect(readPage(view)).toContain("Calculé le mardi 13 janvier à 14:05");
    expect(readPage(view, "en")).toContain("Worked out on Tuesday 13 January at 14:05");
  });
});

describe("while the clock is wrong", () => {
  /** By the last answers it is 14:35 of 13 January; the machine says May 2024. */
  async function openWrong(house: House = {}) {
    const vigie = await openHouse(house);
    vigie.clock.steady = vigie.clock.at + 30 * 60_000;
    vigie.clock.at = Date.parse("2024-05-01T03:00:00Z");
    vigie.loop.refresh();
    return vigie;
  }

  test("the season has no today, no count up to it, and no days left, as the metrics have none", async () => {
    const view = (await openWrong()).view();
    const markup = renderPage(view, { language: "fr" });
    const page = readPage(view);
    expect(markup).not.toContain('class="today"');
    expect(markup).not.toMatch(/<svg class="ticks"(?:(?!<\/svg>).)*<line/);
    expect(page).not.toMatch(/jusqu’ici|à cette date|restants sur/);
    expect(page).toContain("Le nombre de jours restants est inconnu tant que l’horloge n’est pas à l’heure.");
    expect(renderMetrics(view)).toContain('vigie_season_left{color="rouge"} NaN');
  });

  test("no instant is of today or tomorrow", async () => {
    const view = (await openWrong()).view();
    const page = readPage(withLastAnswers(view, { service: view.facts.at + DAY }));
    expect(page).toContain("dernière réponse mer. 14 janv. à 14:35");
    expect(page).not.toContain("demain");
  });

  test("nothing is counted by the clock that is wrong", async () => {
    const page = renderPage((await openWrong()).view(), { language: "en" });
    expect(page).toContain('<time datetime="2026-01-13T13:05:00Z">Tue 13 Jan at 14:05</time>');
    expect(page).not.toContain("data-ago");
  });

  test("devices name the rules that command them", async () => {
    const vigie = await openWrong({ rules: HOUSE_RULES });
    const { list } = openPageVigie({ at: AFTERNOON });
    const [boiler] = list;
    if (!boiler) throw new Error("Expected an output");
    const sent = sentTo(boiler, Date.parse(AFTERNOON), { payload: "off", choice: "rouge_peak" });
    const status = statusOf(boiler, { sent });
    expect(readPage(vigie.view({ outputs: [status] }))).toContain("car « Heures pleines rouges » valait OUI");
  });
});

describe("the season", () => {
  test.each([
    ["none left of none", 0, 0, null],
    ["more left than there are", 15, 10, 100],
    ["half of them left", 11, 22, 50],
    ["none left", 0, 22, 0],
  ])("has a bar that fits: %s", async (_, remaining, total, width) => {
    const view = (await openHouse()).view();
    const count = (rouge: number) => ({ bleu: 100, blanc: 20, rouge });
    const season = { remaining: count(remaining), total: count(total), days_remaining: 200, seen_at: 0 };
    const dated = { ...view.facts.dated, season, used: null, left: null } as PageView["facts"]["dated"];
    const page = renderPage({ ...view, facts: { ...view.facts, dated } }, { language: "fr" });
    const [row = ""] = /<div class="count rouge">.*?<\/div>/s.exec(page) ?? [];
    expect(/class="fill" width="([^"]*)"/.exec(row)?.[1] ?? null).toBe(width === null ? null : `${width}%`);
  });

  test("after midnight draws the tariff day in force as the band does", async () => {
    const bleu = { "2026-01-11": "bleu", "2026-01-12": "bleu" } as const;
    const vigie = await openHouse({ at: "2026-01-11T13:00:00Z", days: bleu });
    vigie.setDown(true);
    await vigie.go("2026-01-13T23:30:00Z");
    const page = renderPage(vigie.view(), { language: "fr" });
    // Of 13 and of 14 January there is only a forecast.
    expect(page).toMatch(/class="panel now \w+ maybe"/);
    expect(placesOf(page, /\w+ maybe/)).toEqual(expect.arrayContaining(["13", "14"].map(placeOf)));
    expect(placesOf(page, /lost/)).not.toContain(placeOf("13"));
  });

  test("draws a today of which nothing is known as not known, and days ahead as such", async () => {
    const vigie = openPageVigie({ at: AFTERNOON });
    const page = renderPage(vigie.view(), { language: "fr" });
    expect(placesOf(page, /lost/)).toContain(placeOf("13"));
    expect(placesOf(page, /lost/)).not.toContain(placeOf("14"));
    expect(placesOf(page, /ahead/)).toContain(placeOf("14"));
  });

  /** Where the season has its squares of a kind. */
  function placesOf(page: string, kind: RegExp): string[] {
    const paths = [...page.matchAll(new RegExp(`<path class="d ${kind.source}" d="([^"]*)"`, "g"))];
    return paths.flatMap(([, path = ""]) => path.split("M").slice(1));
  }

  /** Of a day of January 2026. */
  function placeOf(day: string): string {
    const row = (Date.parse(`2026-01-${day}`) / DAY + 3) % 7;
    const monday = Date.parse(`2026-01-${day}`) / DAY - row;
    const column = (monday - Date.parse("2025-09-01") / DAY) / 7;
    return `${30 + column * 14 + 7} ${16 + row * 14 + 7}h0`;
  }
});

describe("the week", () => {
  test("explains forecasts only, and only those that it shows", async () => {
    const days = { "2026-01-13": "bleu", "2026-01-14": "bleu" } as const;
    const view = (await openHouse({ days })).view();
    const { moment } = view.facts;
    if (!moment) throw new Error("Expected a clock that is right");
    const explained = (day: DayFacts, explanation: string) => ({ ...day, explanation });
    const shown = {
      ...moment.days,
      today: explained(moment.days.today, "official"),
      d2: explained(moment.days.d2, "a forecast"),
      d3: { ...explained(moment.days.d3, "not allowed"), color: null, stage: null },
    };
    const page = readPage({ ...view, facts: { ...view.facts, moment: { ...moment, days: shown } } });
    expect(page).toContain("jeu. 15 janv. a forecast");
    expect(page).not.toMatch(/janv\. (official|not allowed)/);
  });
});

test("a value of the house is the newest that was heard, also where it turned no rule", async () => {
  const heard = new Map([["house/hot", { payload: "50", at: Date.parse("2026-01-13T10:00:00Z") }]]);
  const rules = [rule({ mqtt: { topic: "house/hot", below: 80 } })];
  const vigie = await openHouse({ heardNow: heard, rules });
  expect(readPage(vigie.view())).toContain("; en ce moment : 50 , à 11:00");
  heard.set("house/hot", { payload: "79", at: Date.parse("2026-01-13T14:00:00Z") });
  const page = readPage(vigie.view());
  expect(page).toContain("; en ce moment : 79 , à 15:00");
  expect(page).not.toContain("en ce moment : 50");
});

describe("what a condition found", () => {
  test.each([
    [
      "is said in French whatever is wrong with it",
      '{"other":1}',
      "en ce moment : pas de champ battery,",
      "at present: no battery in its JSON,",
    ],
    [
      "is said if it is no JSON",
      "82",
      "en ce moment : pas de champ battery,",
      "at present: no battery in its JSON,",
    ],
    [
      "is said if it is no number",
      '{"battery":"full"}',
      "en ce moment : n’est pas un nombre,",
      "at present: not a number,",
    ],
  ])("%s", async (_, payload, french, english) => {
    const heard = { "car/status": { payload, at: Date.parse(AFTERNOON) } };
    const view = (
      await openHouse({ heard, rules: [rule({ mqtt: { topic: "car/status", path: "battery", below: 80 } })] })
    ).view();
    expect(readPage(view)).toContain(french);
    expect(readPage(view, "en")).toContain(english);
  });

  test("is a number as the page writes it, and a value beside the hold that keeps it from counting", async () => {
    const heard = new Map([["house/hot", { payload: "no", at: Date.parse(AFTERNOON) }]]);
    const rules = [rule({ rate: { below: 1 } }), { ...rule({ mqtt: HOT }, { hold: "30m" }), id: "held" }];
    const vigie = await openHouse({ rules, heardNow: heard });
    expect(readPage(vigie.view())).toMatch(/prix : moins de 1 ; en ce moment : 0,\d+ €/);
    heard.set("house/hot", { payload: "yes", at: Date.parse(AFTERNOON) });
    await vigie.noticeValues();
    heard.set("house/hot", { payload: "no", at: Date.parse(AFTERNOON) });
    vigie.clock.at += 60_000;
    await vigie.noticeValues();
    const page = readPage(vigie.view());
    expect(page).toContain("en ce moment : no , à 14:05");
    expect(page).toContain("aucune valeur ne la change avant 14:35 (hold)");
  });
});

test("a rule that is unknown does not say that what must not be is needed", async () => {
  const negated = rule({ all: [{ not: { mqtt: HOT } }, { period: "hp" }] });
  const page = readPage((await openHouse({ rules: [negated] })).view(), "en");
  expect(page).toContain(
    "unknown Tested ? unknown the condition that follows must not be met: house/hot: yes; at present: never heard",
  );
});

describe("the words", () => {
  test.each<[string, string, string]>([
    ["rouge now", "s’arrête à 22:00", "ends at 22:00"],
    ["rouge now", "commence demain à 03:30", "begins tomorrow at 03:30"],
    ["rouge now", "toutes ces conditions", "all of these conditions"],
    [
      "rouge now",
      "la condition suivante ne doit pas être remplie",
      "the condition that follows must not be met",
    ],
    ["rouge now", "au moins 1 des 7 prochains jours", "at least 1 of the next 7 days"],
    ["rouge now", "envoyé à 06:05", "sent at 06:05"],
    ["nothing known", "jamais reçue", "never heard"],
    [
      "clock wrong",
      "il serait environ 14:35, le mardi 13 janvier",
      "it is about 14:35 on Tuesday 13 January",
    ],
    ["clock wrong", "■ Horloge pas à l’heure", "■ Clock wrong"],
    ["no rules", "Aucun appareil n’est piloté", "No device is commanded"],
    [
      "sources contradict each other",
      "blanc d’après RTE, rouge d’après le service. vigie retient blanc.",
      "RTE says blanc, the service says rouge. vigie takes it as blanc.",
    ],
  ])("of %s are natural: %s", async (name, french, english) => {
    const view = await PAGE_STATES[name]?.();
    if (!view) throw new Error(`Expected a state of the page, got ${name}`);
    expect(readPage(view)).toContain(french);
    expect(readPage(view, "en")).toContain(english);
  });

  test("of the English page have no space before a colon or a semicolon", async () => {
    const rules = [rule({ day: "next_7_days", color: ["rouge", "blanc", "bleu"], at_least: 2 })];
    const view = (await openHouse({ rules })).view();
    const markup = renderPage(view, { language: "en" });
    expect(readPage(view, "en")).toContain("rouge, final; Thu 15 Jan");
    expect(markup.slice(markup.indexOf("<main"))).not.toMatch(/[a-z0-9] [:;] /);
    expect(readPage(view)).toContain("rouge, définitive ; jeu. 15 janv.");
  });

  test("count rouge days", async () => {
    const bar = /aria-label="([^"]*bleus?, [^"]*)"/;
    const [, label] = bar.exec(renderPage((await openHouse()).view(), { language: "fr" })) ?? [];
    expect(label).toMatch(/: \d+ bleus, \d+ blancs, \d+ rouges$/);
    expect(TEXTS.fr.remaining("rouge")).toBe("jours rouges restants d’après le service");
    expect(TEXTS.fr.rouge_known(1)).toBe("1 connu");
    expect(TEXTS.fr.left_of(0, "rouge", 22)).toBe("jour rouge restant sur 22");
    expect(TEXTS.fr.left_of(2, "rouge", 22)).toBe("jours rouges restants sur 22");
  });
});

describe("at a boundary", () => {
  const days = {
    "2026-01-13": "rouge",
    "2026-01-14": "bleu",
    "2026-01-15": "bleu",
    "2026-03-28": "bleu",
    "2026-03-29": "bleu",
    "2026-10-24": "bleu",
    "2026-10-25": "bleu",
    "2026-08-31": "bleu",
    "2026-09-01": "bleu",
  } as const;
  test.each<[string, string, RegExp[]]>([
    [
      "05:57, where a lead decides already",
      "2026-01-13T04:57:00Z",
      [
        /Maintenant · lundi 12 janvier .* jusqu’à 06:00 /,
        /OUI Heures pleines rouges avance \(lead\) : les conditions valables à 06:00 décident s’arrête à 22:00/,
        /le jour en cours : rouge ; à 06:00 : mar. 13 janv. rouge/,
      ],
    ],
    ["05:59:59", "2026-01-14T04:59:59Z", [/Maintenant · mardi 13 janvier Maintenant : rouge jusqu’à 06:00/]],
    [
      "06:00:00",
      "2026-01-14T05:00:00Z",
      [/Maintenant · mercredi 14 janvier Maintenant : bleu jusqu’à demain 06:00/],
    ],
    [
      "06:00:01",
      "2026-01-14T05:00:01Z",
      [/Maintenant · mercredi 14 janvier Maintenant : bleu jusqu’à demain 06:00/],
    ],
    ["21:59:59", "2026-01-13T20:59:59Z", [/kWh heures pleines jusqu’à 22:00 puis [\d,]+ € · heures creuses/]],
    ["22:00:00", "2026-01-13T21:00:00Z", [/kWh heures creuses jusqu’à demain 06:00 06:00 22:00/]],
    ["22:00:01", "2026-01-13T21:00:01Z", [/kWh heures creuses jusqu’à demain 06:00 06:00 22:00/]],
    [
      "the last second of a season",
      "2026-09-01T03:59:59Z",
      [/Maintenant · lundi 31 août/, /La saison 2025–2026/],
    ],
    [
      "the first second of a season",
      "2026-09-01T04:00:00Z",
      [/Maintenant · mardi 1er septembre/, /La saison 2026–2027/],
    ],
  ])("%s", async (_, at, expected) => {
    const vigie = await openHouse({ at, days, rules: HOUSE_RULES });
    const page = readPage(vigie.view());
    for (const words of expected) expect(page).toMatch(words);
  });

  test.each([
    ["25", "2026-10-24T10:00:00Z", ["2026-10-24T04:00:00Z", "2026-10-25T05:00:00Z"], 64],
    ["23", "2026-03-28T10:00:00Z", ["2026-03-28T05:00:00Z", "2026-03-29T04:00:00Z"], 69.6],
  ])("of a tariff day of %s hours, its line is as long as the day", async (_, at, [from, to], peak) => {
    const vigie = await openHouse({ at, days });
    const page = renderPage(vigie.view(), { language: "fr" });
    const [strip = ""] = /<svg class="strip".*?<\/svg>/s.exec(page) ?? [];
    expect(strip).toContain(`data-from="${from}" data-to="${to}"`);
    expect(strip).toContain(`class="hp" x="0%" width="${peak}%"`);
    expect(readPage(vigie.view())).toMatch(/jusqu’à demain 06:00 · (définitive|annoncée)/);
  });

  test("of a rule, each midnight has its place also where a day has 25 hours", async () => {
    const vigie = await openHouse({ at: "2026-10-24T10:00:00Z", days, rules: HOUSE_RULES });
    const page = renderPage(vigie.view(), { language: "fr" });
    const [bar = ""] = /<svg class="bar" aria-hidden="true" data-from.*?<\/svg>/s.exec(page) ?? [];
    const places = [...bar.matchAll(/<line x1="([\d.]+)%"/g)].map(([, place]) => Number(place));
    const hours = [24, 49, 73, 97, 121, 145, 169];
    expect(places).toEqual(hours.map((hour) => Math.round((hour / 193) * 1000) / 10));
  });
});

test("a poll of which one request fails is said as such", async () => {
  const vigie = await openHouse();
  vigie.setDown(/season|history/);
  await vigie.go("2026-01-14T13:30:00Z");
  const page = readPage(vigie.view());
  expect(page).toContain("Une requête au service de prévision a échoué Sa dernière réponse date de 14:30");
  expect(page).not.toContain("ne répond");
});
