import { rulesOptions } from "../../src/config/rules-options.ts";
import { memoize } from "../../src/core/calendar/memoize.ts";
import type { Color } from "../../src/core/calendar/tariff.ts";
import type { Output } from "../../src/core/outputs/output.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { confirmBy, statusOf, toTopic } from "./outputs.ts";
import { openPageVigie, sentTo } from "./page-vigie.ts";

/** Strings that would be markup, end a script, turn the text around, or fill the page. */
export const HOSTILE = [
  `"><img src=x onerror=alert(1)>`,
  "</script><script>alert(1)</script>",
  "\u202eright to left\u2066 mark\u200f",
  "long ".repeat(20_000),
];

const MINUTE = 60_000;
const CAR = { payload: '{"battery": 82, "plugged": true}', at: Date.parse("2026-01-13T12:57:00Z") };
/** As many days of each colour as a season has. */
const ROUGE: Record<string, Color> = {
  "2026-01-11": "bleu",
  "2026-01-12": "bleu",
  "2026-01-13": "rouge",
  "2026-01-14": "rouge",
  "2026-01-15": "rouge",
  "2026-01-16": "blanc",
  "2026-01-19": "blanc",
  "2026-01-20": "rouge",
  "2026-02-10": "rouge",
};
const AFTERNOON = "2026-01-13T13:05:00Z";

/** What a vigie has learnt in two winters, so that it knows earlier seasons. */
const earlier = async () => {
  const vigie = openPageVigie({ days: ROUGE, at: "2024-11-05T12:00:00Z" });
  await vigie.poll();
  for (const date of ["2025-04-10", "2025-09-10"]) await vigie.go(`${date}T12:00:00Z`);
  return vigie.days();
};
let learnt: ReturnType<typeof earlier> | undefined;

/** vigie since two winters. */
async function longLived(at: string, more: Partial<Parameters<typeof openPageVigie>[0]> = {}) {
  const heard = { "car/status": CAR };
  const vigie = openPageVigie({ days: ROUGE, heard, ...more, at });
  learnt ??= earlier();
  vigie.know(await learnt);
  await vigie.poll();
  return vigie;
}

type House = Awaited<ReturnType<typeof longLived>>;

/** A boiler that obeyed, a heat pump that does not, a wall box that cannot say. */
function houseDevices({ list, view }: House, at: number, failed = false): PageView["outputs"] {
  const [boiler, pump, wallbox] = list;
  if (!boiler || !pump || !wallbox) throw new Error("Expected three outputs");
  const begin = at - 8 * 60 * MINUTE;
  const isRouge = view().verdicts.some(({ rule, state }) => rule.id === "rouge_peak" && state === true);
  const off = isRouge ? { payload: "off", choice: "rouge_peak" } : { payload: "on", choice: "else" };
  const setpoint = isRouge ? { payload: "18", choice: "rouge_peak" } : { payload: "19.5", choice: "else" };
  return [
    statusOf(boiler, { sent: sentTo(boiler, begin, { ...off, answer: "heard" }) }),
    statusOf(pump, {
      sent: sentTo(pump, begin, {
        ...setpoint,
        answer: failed ? "missed" : "awaited",
        tries: failed ? 120 : 2,
        last_answer: isRouge ? "19.5" : "18",
      }),
    }),
    statusOf(wallbox, {
      sent: sentTo(wallbox, begin, { payload: "OFF", choice: "else", answer: "none" }),
    }),
  ];
}

/** The states that people and tests look at, each from a real loop, which is asked once. */
export const PAGE_STATES: Record<string, () => Promise<PageView>> = onceEach({
  "rouge now": async () => {
    const vigie = await longLived(AFTERNOON);
    return vigie.view({ outputs: houseDevices(vigie, vigie.clock.at) });
  },
  "bleu now": async () => {
    const vigie = await longLived("2026-01-12T09:20:00Z");
    return vigie.view({ outputs: houseDevices(vigie, vigie.clock.at, true) });
  },
  "blanc now": async () => {
    const vigie = await longLived("2026-01-16T19:20:00Z");
    return vigie.view({ outputs: houseDevices(vigie, vigie.clock.at) });
  },
  "first look": async () => {
    const vigie = openPageVigie({ at: "2026-11-22T13:05:00Z", kind: "invented", outputs: [] });
    await vigie.poll();
    return vigie.view({ homeAssistant: null, broker: { connected: true, url: "mqtt://127.0.0.1:1883" } });
  },
  "after midnight": async () => {
    const vigie = await longLived("2026-01-14T01:10:00Z");
    return vigie.view({ outputs: houseDevices(vigie, vigie.clock.at) });
  },
  "simulation running": async () => {
    const vigie = await longLived("2026-01-12T13:05:00Z");
    await vigie.pretend("rouge", "now");
    return vigie.view({ outputs: houseDevices(vigie, vigie.clock.at) });
  },
  "service down": async () => {
    const vigie = await longLived(AFTERNOON);
    vigie.setDown(true);
    await vigie.go("2026-01-14T11:00:00Z");
    await vigie.go("2026-01-14T14:30:00Z");
    return vigie.view({
      outputs: houseDevices(vigie, vigie.clock.at, true),
      broker: {
        connected: false,
        url: "mqtt://192.0.2.10:1883",
        away_since: vigie.clock.at - 20 * MINUTE,
      },
      unsaved: "/data: the disk is full. To fix it: free space on its disk (df -h /data)",
    });
  },
  "configuration refused, and no broker": async () => {
    const vigie = await longLived(AFTERNOON);
    return vigie.view({
      refused: [
        "Appareils 1, Topic de l’appareil\u00a0: attendu le début d’un topic, sans + ni #, sans / au début ni à la fin, reçu rien",
        'config/vigie.yaml:2:10 mqtt.grace: expected a duration from 0s to 168h in s, m or h, such as 5m, got "soon"',
      ],
      brokerIsUnknown: true,
      broker: {
        connected: false,
        url: "mqtt://core-mosquitto:1883",
        away_since: vigie.clock.at - 20 * MINUTE,
      },
    });
  },
  "service down for a week": async () => {
    const vigie = await longLived(AFTERNOON);
    vigie.setDown(true);
    await vigie.go("2026-01-20T14:30:00Z");
    await vigie.go("2026-01-21T14:30:00Z");
    return vigie.view();
  },
  "clock wrong": async () => {
    const vigie = await longLived(AFTERNOON);
    vigie.clock.steady = vigie.clock.at + 30 * MINUTE;
    vigie.clock.at = Date.parse("2024-05-01T03:00:00Z");
    vigie.loop.refresh();
    return vigie.view({ outputs: houseDevices(vigie, Date.parse(AFTERNOON)) });
  },
  "nothing known": async () => {
    const vigie = openPageVigie({ at: AFTERNOON });
    vigie.setDown(true);
    await vigie.poll();
    return vigie.view({ homeAssistant: null });
  },
  "without a service": async () => {
    const vigie = openPageVigie({ at: AFTERNOON, days: ROUGE, kind: "none", official: true });
    await vigie.poll();
    return vigie.view();
  },
  "RTE never answered": async () => {
    const vigie = openPageVigie({ at: AFTERNOON, kind: "none", official: true });
    vigie.setDown(true);
    await vigie.poll();
    return vigie.view();
  },
  "RTE down": async () => {
    const vigie = openPageVigie({ at: AFTERNOON, days: ROUGE, kind: "none", official: true });
    await vigie.poll();
    vigie.setDown(true);
    await vigie.go("2026-01-14T14:30:00Z");
    return vigie.view();
  },
  "sources contradict each other": async () => {
    const vigie = await longLived("2026-01-12T13:05:00Z", {
      official: true,
      officialDays: { "2026-01-13": "blanc" },
    });
    return vigie.view();
  },
  "no rules": async () => {
    const vigie = openPageVigie({ at: "2025-10-02T13:05:00Z", rules: [], outputs: [] });
    await vigie.poll();
    return vigie.view();
  },
  "30 rules": () => manyRules(30),
  "200 rules": () => manyRules(200),
  hostile: async () => hostileView(),
});

/** Each of these strings where somebody outside can put one. */
export async function hostileView(texts: readonly string[] = HOSTILE): Promise<PageView> {
  const rules = texts.map((name, index) => ({
    id: `hostile_${index}`,
    name: { fr: name, en: name },
    when: { mqtt: { topic: `house/${index}`, equals: "x" } },
  }));
  // The configuration limits names; the page must not depend on that.
  const short = rules.map((rule) => ({ ...rule, name: { fr: "x", en: "x" } }));
  rulesOptions.parse(short);
  const heard = Object.fromEntries(
    texts.map((payload, index) => [`house/${index}`, { payload, at: Date.parse(AFTERNOON) }]),
  );
  const vigie = await longLived(AFTERNOON, { rules: short, heard, outputs: [] });
  const view = vigie.view();
  const text = (index: number) => texts[index % texts.length] ?? "";
  const outputs = texts.map((payload, index): PageView["outputs"][number] => {
    const output: Output = {
      id: `o${index}`,
      name: { fr: payload, en: payload },
      language: "en",
      ...toTopic(payload),
      message: false,
      choose: [],
      confirm: confirmBy("t"),
    };
    const sent = sentTo(output, vigie.clock.at, {
      payload,
      choice: payload,
      answer: "missed",
      last_answer: payload,
    });
    return statusOf(output, { sent, would_send: payload });
  });
  const { moment, dated, service } = view.facts;
  if (!moment) throw new Error("Expected a clock that is right");
  const days = Object.entries(moment.days).map(([name, day], index) => [
    name,
    { ...day, explanation: text(index), source: text(index) },
  ]);
  return {
    ...view,
    version: text(0),
    instance: text(2),
    broker: { connected: false, url: text(0) },
    outputs,
    verdicts: view.verdicts.map((verdict, index) => ({
      ...verdict,
      rule: { ...verdict.rule, name: { fr: text(index), en: text(index) } },
    })),
    facts: {
      ...view.facts,
      moment: {
        ...moment,
        next: { ...moment.next, explanation: text(3) },
        days: Object.fromEntries(days) as typeof moment.days,
      },
      dated,
      service: { ...service, status: "down", last_error: text(0) },
    },
  };
}

/** With long names. */
async function manyRules(count: number): Promise<PageView> {
  const rules = Array.from({ length: count }, (_, index) => ({
    id: `rule_${index}`,
    name: {
      fr: `Ballon d’eau chaude et plancher chauffant du rez-de-chaussée, circuit n° ${index + 1}, sauf les jours de fête`,
      en: `Hot water tank and underfloor heating of the ground floor, circuit no. ${index + 1}, but not on holidays`,
    },
    when: {
      all: [
        { day: index % 2 ? "next" : "now", color: "rouge", confidence: 50 + (index % 50) },
        { between: [`${String(index % 24).padStart(2, "0")}:30`, "23:45"] },
      ],
    },
  }));
  const vigie = openPageVigie({ at: AFTERNOON, days: ROUGE, rules });
  await vigie.poll();
  return vigie.view();
}

function onceEach<Value extends NonNullable<unknown>>(
  open: Record<string, () => Value>,
): Record<string, () => Value> {
  const once = memoize((openOne: () => Value) => openOne());
  return Object.fromEntries(Object.entries(open).map(([name, openOne]) => [name, () => once(openOne)]));
}
