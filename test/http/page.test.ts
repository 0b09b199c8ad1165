import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { PAGE_FILES } from "../../src/http/page/page-files.ts";
import { renderNothingInForce, renderPage } from "../../src/http/page/render-page.ts";
import { TEXTS } from "../../src/http/page/texts.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { forecast, knownDaysOf, official } from "../support/known-days.ts";
import { runs } from "../support/long.ts";
import { sentAsShown, statusOf } from "../support/outputs.ts";
import { hostileView, PAGE_STATES } from "../support/page-states.ts";
import { readMarkup, readPage } from "../support/page-text.ts";
import { HOUSE_RULES, openPageVigie } from "../support/page-vigie.ts";
import { openTestLoop } from "../support/test-loop.ts";
import { viewOf } from "../support/views.ts";

describe("the band", () => {
  test("shows the colour in force, until when, its price and the next one", async () => {
    const page = await text("rouge now");
    expect(page).toContain("Maintenant · mardi 13 janvier");
    expect(page).toMatch(/Maintenant : rouge jusqu’à demain 06:00 · définitive/);
    expect(page).toContain("0,7060 € /kWh heures pleines jusqu’à 22:00 puis 0,1575 € · heures creuses");
    expect(page).toContain(
      "Ensuite : rouge à partir de demain 06:00 · définitive heures pleines 0,7060 € heures creuses 0,1575 € La semaine",
    );
  });

  test("after midnight shows the tariff day that is still in force", async () => {
    const page = await text("after midnight");
    expect(page).toContain("Maintenant · mardi 13 janvier");
    expect(page).toContain("jusqu’à 06:00 · définitive");
    // It is Wednesday by the clock, which stands elsewhere and names its own day.
    expect(await markup("after midnight")).toContain('<p class="over">Maintenant · mardi 13 janvier</p>');
    expect(page).toMatch(/kWh heures creuses jusqu’à 06:00 06:00 22:00 06:00 Ensuite/);
  });

  test("after midnight begins the week with the day in force", async () => {
    const week = (await text("after midnight", "en")).split("The week")[1] ?? "";
    expect(week).toMatch(/^.*?rouge in force 13 Jan.*?rouge today 14 Jan.*?tomorrow 15 Jan/);
    // And ends with the last day that is known, as before midnight.
    expect(week).toMatch(/Wednesday 21 Jan forecast \d+ %/);
  });

  test("names a demonstration", async () => {
    const view = await PAGE_STATES["first look"]?.();
    if (!view) throw new Error("Expected a first look");
    const page = renderPage({ ...view, demoSpeed: 720 }, { language: "fr" });
    expect(page).toContain("Cette horloge va 720 fois plus vite, et rien n’est envoyé à un appareil.");
    expect(renderPage(view, { language: "fr" })).not.toContain("Démonstration");
  });

  test("says of no device in a demonstration that anything was sent to it", async () => {
    const view = { ...(await viewOfState("rouge now")), demoSpeed: 720 };
    const devices = (language: "fr" | "en", heading: string) =>
      readPage(view, language)
        .split(heading)[1]
        ?.split(/La saison|The season/)[0] ?? "";
    const [fr, en] = [devices("fr", "Les appareils"), devices("en", "Devices")];
    expect(fr).toContain(
      "Chauffe-eau off serait envoyé · à 06:05 , car « Heures pleines rouges » valait OUI",
    );
    expect(en).toContain("Water heater off would be sent · at 06:05 , because “Rouge peak hours” was ON");
    expect(fr).toContain("démonstration : rien n’est envoyé");
    expect(fr).not.toMatch(/(?<!serait |n’est )envoyé|confirm|obéi/);
    expect(en).not.toMatch(/(?<!be |is )sent|confirm|obey/);
  });

  test("says why nothing is sent to a device while a source has not answered since the start", async () => {
    const view = await viewOfState("rouge now");
    const [first] = view.outputs;
    if (!first) throw new Error("Expected an output");
    const status = { ...first, state: "nothing" as const, sent: undefined };
    const waiting = { ...view, mayDecide: false, outputs: [status] };
    const words = "vigie attend une première réponse de chaque source, quatre minutes au plus";
    expect(readPage(waiting, "fr")).toContain(words);
    expect(readPage({ ...waiting, mayDecide: true }, "fr")).not.toContain(words);
  });

  test("says of a pretended day what it is in truth", async () => {
    const page = await text("simulation running", "en");
    expect(page).toContain(
      "Simulation until 15:05 Monday 12 January: vigie pretends that this day is rouge. In truth: bleu. Prices stay the true ones.",
    );
    expect(page).toMatch(/Now: rouge until 15:05 · simulated/);
  });

  test("asks again every 5 s, and each second in a demonstration", async () => {
    const view = await viewOfState("rouge now");
    const pause = (shown: PageView) => /data-pause="(\d+)"/.exec(renderPage(shown, { language: "fr" }))?.[1];
    expect([pause(view), pause({ ...view, demoSpeed: 720 })]).toEqual(["5000", "1000"]);
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
    expect(page).toMatch(/prix inconnu heures/);
    expect(page).toContain("samedi 17 janv. inconnue ce ne peut être que bleu ou blanc");
  });

  test("says under the week that the owner's prices are old, if no service names any", () => {
    const pages = (at: string, kind: "none" | "real") => {
      const view = openPageVigie({ at, kind, official: true }).view();
      return [readPage(view), readPage(view, "en")];
    };
    const [fr, en] = pages("2027-05-03T10:00:00Z", "none");
    expect(fr).toContain(
      "Ces prix datent du samedi 1er août 2026, il y a plus de huit mois, et aucun service n’en donne : comparez-les à votre contrat, puis ajoutez une ligne à tariff.rates.",
    );
    expect(en).toContain(
      "These prices began on Saturday 1 August 2026, more than eight months ago, and no service names any: compare them with your contract, and add a row to tariff.rates.",
    );
    const others = [...pages("2027-03-03T10:00:00Z", "none"), ...pages("2027-05-03T10:00:00Z", "real")];
    expect(others.filter((page) => /tariff\.rates/.test(page))).toEqual([]);
  });

  test("has the price of an unknown Sunday, and says that its colour is by the laws of the tariff", async () => {
    const rules = [{ id: "cheap", when: { day: "now", color: "bleu" } }];
    const vigie = openPageVigie({ at: "2026-11-22T13:05:00Z", kind: "none", official: true, rules });
    vigie.setDown(true);
    await vigie.poll();
    const [fr, en] = [readPage(vigie.view()), readPage(vigie.view(), "en")];
    expect(fr).toContain("D’après le calendrier du contrat, ce ne peut être que bleu.");
    expect(fr).toContain("0,1654 € /kWh heures pleines jusqu’à 22:00 puis 0,1356 € · heures creuses");
    expect(fr).toContain(
      "aujourd’hui 22 nov. inconnue ce ne peut être que bleu pleines 0,1654 creuses 0,1356",
    );
    expect(fr).toContain(
      "✓ oui le jour en cours : bleu ; en ce moment : dim. 22 nov. inconnue, d’après le calendrier du contrat, ce ne peut être que bleu",
    );
    expect(fr).toMatch(/OUI 14:05 → demain 06:00 certain, d’après le calendrier du contrat/);
    expect(en).toContain("By the laws of the tariff it can only be bleu.");
    expect(en).toMatch(/ON 14:05 → tomorrow 06:00 certain, by the laws of the tariff/);
  });

  test("draws a forecast as one, and an official colour without hatching", async () => {
    expect(await markup("rouge now")).toContain('class="panel next rouge"');
    expect(await markup("bleu now")).toContain('class="panel next rouge maybe"');
  });
});

describe("what is not as it should be", () => {
  test("is said of a configuration that is refused, problem by problem, and of a broker that nobody has named", async () => {
    const page = await text("configuration refused, and no broker");
    expect(page).toContain(
      "La dernière configuration lue est refusée La précédente reste en vigueur. À corriger : Appareils 1, Topic de l’appareil : attendu",
    );
    expect(page).toContain("mqtt.grace: expected a duration from 0s to 168h");
    expect(page).toContain("Home Assistant n’indique pas encore de broker MQTT Installez l’application");
    // Its address is a guess: nobody has to look whether something runs there.
    expect(page).not.toContain("n’est pas joignable");
    expect(await text("rouge now")).not.toMatch(/refusée|Home Assistant n’indique pas/);
  });

  test("is a page of its own while nothing is in force, with every problem as a text", () => {
    const many = Array.from({ length: 40 }, (_, index) => `problem ${index} <b>&`);
    const page = renderNothingInForce(many, "en");
    expect(page).toMatch(/^<!DOCTYPE html>\n<html lang="en">/);
    expect(page).toContain("vigie does not run yet");
    expect(page).toContain("<li><bdi>problem 29 &lt;b&gt;&amp;</bdi></li><li>… (40)</li></ul>");
    expect(page).not.toMatch(/problem 30|<b>/);
    expect(renderNothingInForce(["x"], "fr")).toContain("vigie ne fonctionne pas encore");
  });

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
    expect(page).toMatch(/Official source a request failed ?, last answer/);
    expect(page).not.toMatch(/late/);
  });

  test("is nothing where all is well", async () => {
    expect(await markup("rouge now")).not.toContain('class="notices"');
  });

  test.each(["service down", "clock wrong", "bleu now"])(
    "leads to the state of vigie, which is far below on a phone: %s",
    async (name) => {
      const page = await markup(name);
      const link = page.indexOf('<a href="#state">Voir l’état de vigie</a>');
      expect(link).toBeGreaterThan(0);
      expect(link).toBeLessThan(page.indexOf('class="week'));
      expect(page).toContain('<section class="part state" id="state">');
    },
  );
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
      /ON Rouge peak hours ✓ yes the day in force: rouge; at present: Tue 13 Jan rouge, final ends at 22:00/,
    );
    expect(page).toMatch(
      /OFF Preheat before rouge ✗ no needed: off-peak hours; at present: peak hours begins tomorrow at 03:30/,
    );
    expect(page).toContain("perhaps ends Fri at 06:00");
  });

  test("unfold to their conditions, with the values of the house and since when they hold", async () => {
    const page = await text("rouge now");
    expect(page).toContain(
      "✗ non toutes ces conditions ✗ non il faut : car/status battery : moins de 80, de 2 h au plus ; en ce moment : 82 , à 13:57",
    );
    expect(page).toContain(
      "✗ non la condition suivante ne doit pas être remplie ✓ oui règle « Rouge annoncé ou en cours » : OUI Les prochains jours",
    );
  });

  test("say of a rule that is negated, beside the verdict, how it is", () => {
    const days = knownDaysOf({ "2026-11-22": official("bleu"), "2026-11-23": official("bleu") });
    const rules = rulesOptions.parse([
      { id: "rouge", name: { fr: "Rouge", en: "Rouge" }, when: { day: "now", color: "rouge" } },
      { id: "free", name: { fr: "Libre", en: "Free" }, when: { not: { rule: "rouge" } } },
      { id: "calm", name: { fr: "Calme", en: "Calm" }, when: { not: { day: "now", color: "rouge" } } },
    ]);
    const { loop } = openTestLoop({ rules, days, clock: { at: Date.parse("2026-11-22T13:05:00Z") } });
    const view = viewOf(loop, { rules });
    const [fr, en] = [readPage(view), readPage(view, "en")];
    expect(fr).toContain("OUI Libre ✓ oui règle « Rouge » : NON");
    expect(en).toContain("ON Free ✓ yes rule “Rouge”: OFF");
    expect(fr).toContain(
      "OUI Calme ✓ oui la condition suivante ne doit pas être remplie : le jour en cours : rouge ; en ce moment : dim. 22 nov. bleu",
    );
    expect(en).toContain(
      "ON Calm ✓ yes the condition that follows must not be met: the day in force: rouge; at present: Sun 22 Nov bleu",
    );
    // Nothing is needed of what must not be so.
    expect(en).toContain(
      "✓ yes the condition that follows must not be met ✗ no the day in force: rouge; at present: Sun 22 Nov bleu",
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

  test("that are OFF because a forecast says so are not drawn and not told as those that are OFF for certain", async () => {
    const days = knownDaysOf({
      "2026-11-22": official("bleu"),
      "2026-11-23": forecast("rouge", { confidence: 0.79 }),
      "2026-11-24": official("bleu"),
    });
    const rules = rulesOptions.parse([
      { id: "sure", when: { day: "now", color: "rouge", confidence: 95 } },
      { id: "night", when: { between: ["01:00", "02:00"] } },
    ]);
    const { loop } = openTestLoop({ rules, days, clock: { at: Date.parse("2026-11-22T13:05:00Z") } });
    const view = viewOf(loop, { rules });
    const page = renderPage(view, { language: "fr" });
    const bars = page.match(/<svg class="bar" aria-hidden="true" data-from.*?<\/svg>/gs) ?? [];
    // From Monday at 06:00 to Tuesday at 06:00.
    expect(bars[0]).toMatch(/<rect class="maybe-off" x="15.6%" width="12.5%"/);
    expect(bars[1]).not.toContain("maybe-off");
    const [fr, en] = [readPage(view), readPage(view, "en")];
    expect(fr).toContain("NON, selon la prévision");
    expect(fr).toContain("NON demain 06:00 → mar. 06:00 selon la prévision");
    expect(fr).toContain("inchangée jusqu’à demain 06:00 au moins");
    expect(en).toContain("OFF, by the forecast");
    expect(en).toContain("OFF tomorrow 06:00 → Tue 06:00 by the forecast");
  });

  test("are all there where there are 200 of them, the conditions of the first ones only", async () => {
    const rules = Array.from({ length: 200 }, (_, index) => ({
      ...HOUSE_RULES[index % 4],
      id: `rule_${index}`,
    }));
    const vigie = openPageVigie({ at: "2026-01-13T13:05:00Z", rules });
    vigie.know(knownDaysOf({ "2026-01-13": official("rouge") }));
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
      "Water heater on sent at 02:20 , because none of its rules was ON ✓ confirmed by the device",
    );
    expect(page).toContain("! did not obey, 120 tries · it answered 18");
    expect(page).toContain("Wall box OFF sent at 02:20 , because none of its rules was ON → sent");
  });

  test("say of a payload that nobody has taken so far that it is not taken, confirmed or not", async () => {
    const view = await viewOfState("bleu now");
    const [heater, ...others] = view.outputs;
    if (!heater?.sent) throw new Error("Expected a device that was sent something");
    const sent = sentAsShown(heater.sent, { acknowledged: false, tries: 2 });
    const read = (status: Partial<Parameters<typeof statusOf>[1]>, language: "fr" | "en") => {
      const outputs = [statusOf(heater.output, { sent, ...status }), ...others];
      return readMarkup(renderPage({ ...view, outputs }, { language }));
    };
    expect(read({}, "en")).toContain("… not taken yet, 2 tries");
    expect(read({}, "fr")).toContain("… pas encore accepté, 2 essais");
    expect(read({ isRefused: true }, "en")).toContain("! not taken, as far as vigie knows, 2 tries");
    expect(read({ isRefused: true }, "fr")).toContain("! pas accepté, pour autant que vigie sache, 2 essais");
    expect(read({ sent: { ...sent, acknowledged: true } }, "en")).toContain(
      "… awaits the confirmation, 2 tries",
    );
  });

  test("say what a simulation would send, and of what is true that it was sent", async () => {
    const view = await viewOfState("bleu now");
    const [heater, ...others] = view.outputs;
    if (!heater?.sent) throw new Error("Expected a device that was sent something");
    const outputs = [
      statusOf(heater.output, { sent: sentAsShown(heater.sent), would_send: "off" }),
      ...others,
    ];
    const read = (language: "fr" | "en") => readMarkup(renderPage({ ...view, outputs }, { language }));
    expect(read("en")).toContain(
      "on sent at 02:20 , because none of its rules was ON ○ simulation: nothing of it is sent would send off",
    );
    expect(read("fr")).toContain("○ simulation : rien n’en est envoyé enverrait off");
  });

  test("that are away say since when, and when vigie tries next, and have no tick", async () => {
    const view = await viewOfState("bleu now");
    const [heater, ...others] = view.outputs;
    if (!heater?.sent) throw new Error("Expected a device that was sent something");
    const { at } = view.facts;
    const away = statusOf(heater.output, {
      sent: sentAsShown(heater.sent, {
        answer: "heard",
        last_answer: "on",
        answered_at: at,
        away_since: at - 60 * 60_000,
      }),
      next_try: at + 5 * 60_000,
    });
    const outputs = [away, ...others];
    const read = (language: "fr" | "en") => readMarkup(renderPage({ ...view, outputs }, { language }));
    const [en, fr] = [read("en"), read("fr")];
    expect(en).toMatch(
      /Water heater on sent at [^→✓]*→ sent · away since \d\d:\d\d · it answered on at \d\d:\d\d · next try at \d\d:\d\d/,
    );
    expect(fr).toMatch(
      /→ envoyé · hors ligne depuis \d\d:\d\d · il a répondu on à \d\d:\d\d · prochain essai à \d\d:\d\d/,
    );
  });

  test.each([
    ["off", null, ["off"], "off"],
    ['{"state":"OFF"}', null, ["OFF"], 'OFF {"state":"OFF"}'],
    ['{"id":1,"params":{"on":false}}', "false", ["false"], 'false {"id":1,"params":{"on":false}}'],
    ['{"state":"OFF","transition":2}', '{"state":"OFF"}', ["OFF"], 'OFF {"state":"OFF","transition":2}'],
    ['{"id":1,"src":"vigie"}', null, [], '{"id":1,"src":"vigie"}'],
    ["heat the house to eighteen degrees", null, [], "heat the house to eighteen degrees"],
  ])("a payload %s with expect %s is in large type %j", async (payload, expected, large, words) => {
    const view = await viewOfState("rouge now");
    const outputs = view.outputs.map((status) => {
      const sent = status.sent && { ...status.sent, payload, expect: expected };
      return { ...status, sent };
    });
    const page = renderPage({ ...view, outputs }, { language: "en" });
    const found = [...page.matchAll(/<p class="payload"><code><bdi>(.*?)<\/bdi>/g)].map(([, word]) => word);
    expect(found.slice(0, 1)).toEqual(large);
    expect(readMarkup(page)).toContain(`Water heater ${words} sent`);
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

  test("has a dash for a day that nobody has named, and hatching for a forecast of any colour", async () => {
    const strokes = [
      ...PAGE_FILES["page.css"].text.matchAll(/^\.(?:d|in)\.(\S+) \{ stroke: url\("#(\S+)"\)/gm),
    ];
    const patterns = Object.fromEntries(strokes.map(([, kind, pattern]) => [kind, pattern]));
    expect(patterns).toEqual({
      "rouge.maybe": "h-rouge",
      "bleu.maybe": "h-bleu",
      "blanc.maybe": "h-blanc",
      lost: "h-dash",
    });
    expect(await markup("nothing known")).toMatch(/<pattern id="h-dash"/);
  });

  test("says how many days are left, and how fast the rouge days go beside those of earlier seasons", async () => {
    const page = await text("rouge now");
    expect(page).toMatch(/17 jours rouges restants sur 22/);
    expect(page).toMatch(/2025–2026 5 jusqu’ici 2024–2025 3 à cette date, 22 en tout/);
    // A part of it is unknown, and no season has a 23rd.
    expect(page).toMatch(/2023–2024 7 à cette date, 22 en tout/);
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
        expect(links.filter((link) => !/^(?:[\w.]+\?v=[0-9a-f]+|#state)$/.test(link))).toEqual([]);
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
      { numRuns: runs(50) },
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

test("no line in French can begin with a colon, or end with an opening quotation mark", async () => {
  const pages = await Promise.all(
    ["rouge now", "service down", "simulation running"].map((name) => markup(name)),
  );
  for (const page of pages) {
    const words = page.slice(page.indexOf("<main")).replaceAll(/<[^>]+>/g, "");
    expect(words).toContain("«\u00a0Rouge annoncé ou en cours\u00a0»\u00a0: OUI");
    expect(words).not.toMatch(/ [:;»]|« /);
  }
});

test("each text is there in both languages, and none is empty", () => {
  const keys = (texts: object): string[] =>
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === "object" ? keys(value).map((inner) => `${key}.${inner}`) : value === "" ? [] : [key],
    );
  expect(keys(TEXTS.en)).toEqual(keys(TEXTS.fr));
});

function markup(name: string, language: "fr" | "en" = "fr"): Promise<string> {
  return viewOfState(name).then((found) => renderPage(found, { language }));
}

function viewOfState(name: string): Promise<PageView> {
  const view = PAGE_STATES[name]?.();
  if (!view) throw new Error(`Expected a state of the page, got ${name}`);
  return view;
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
function replaceTexts(view: PageView, texts: readonly string[]): PageView {
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
