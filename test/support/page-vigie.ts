import { finishOutputs, outputsOptions } from "../../src/config/outputs-options.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { tariffDate } from "../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../src/core/calendar/tariff.ts";
import { seasonOf } from "../../src/core/calendar/tariff-season.ts";
import type { Output } from "../../src/core/outputs/output.ts";
import { recordAcknowledgement, recordSending, type Sent } from "../../src/core/outputs/outputs-state.ts";
import type { HeardValue } from "../../src/core/rules/value-readings.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import type { Transport } from "../../src/service/http-transport.ts";
import { createOfficialClient } from "../../src/service/official-client.ts";
import { createServiceClient } from "../../src/service/service-client.ts";
import { createService } from "../../src/simulator/answer-request.ts";
import { announceAt } from "../../src/simulator/official-colors.ts";
import { SILENT_LOG } from "./logs.ts";
import { sendingOf, statusOf } from "./outputs.ts";
import { PARIS } from "./tariff.ts";
import { openTestLoop } from "./test-loop.ts";

/** The rules of a house with three devices. */
export const HOUSE_RULES = [
  {
    id: "rouge_ahead",
    name: { fr: "Rouge annoncé ou en cours", en: "Rouge ahead or now" },
    when: {
      any: [
        { day: "next", color: "rouge", confidence: 80 },
        { day: "now", color: "rouge" },
      ],
    },
  },
  {
    id: "rouge_peak",
    name: { fr: "Heures pleines rouges", en: "Rouge peak hours" },
    when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] },
    lead: "5m",
  },
  {
    id: "preheat",
    name: { fr: "Préchauffage avant rouge", en: "Preheat before rouge" },
    when: {
      all: [
        { day: "next", color: "rouge", confidence: 95 },
        { period: "hc" },
        { between: ["03:30", "06:00"] },
      ],
    },
  },
  {
    id: "rouge_this_week",
    name: { fr: "Rouge dans la semaine", en: "Rouge this week" },
    threshold: 60,
    when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
  },
  {
    id: "charge",
    name: { fr: "Charger la voiture", en: "Charge the car" },
    when: {
      all: [
        { mqtt: { topic: "car/status", path: "battery", below: 80, max_age: "2h" } },
        { period: "hc" },
        { not: { rule: "rouge_ahead" } },
      ],
    },
  },
];

const HOUSE_OUTPUTS = [
  {
    topic: "shellies/boiler/relay/0/command",
    name: { fr: "Chauffe-eau", en: "Water heater" },
    choose: [{ when: "rouge_peak", payload: "off" }],
    else: "on",
    confirm: { topic: "shellies/boiler/relay/0" },
  },
  {
    topic: "heatpump/setpoint/set",
    name: { fr: "Pompe à chaleur", en: "Heat pump" },
    choose: [
      { when: "rouge_peak", payload: "18" },
      { when: "preheat", payload: "20.5" },
    ],
    else: "19.5",
    confirm: { topic: "heatpump/setpoint" },
  },
  {
    topic: "wallbox/enable/set",
    name: { fr: "Borne de recharge", en: "Wall box" },
    choose: [{ when: "charge", payload: "ON" }],
    else: "OFF",
  },
];

interface PageVigieOptions {
  /** ISO 8601. */
  at: string;
  /** Days given by hand; the others are invented from the seed. */
  days?: Record<IsoDate, Color>;
  rules?: readonly object[];
  outputs?: readonly object[];
  kind?: "real" | "invented" | "none";
  /** Whether there is an official source. */
  official?: boolean;
  /** What the official source says of these dates, against the service. */
  officialDays?: Record<IsoDate, Color>;
  heard?: Record<string, HeardValue>;
  /** The same, as the test changes them. */
  heardNow?: Map<string, HeardValue>;
}

/** A real loop with the real clients between the simulated sources and a view; nothing runs by itself. */
export function openPageVigie(options: PageVigieOptions) {
  const { at, days = {}, kind = "real", official = false, heard = {} } = options;
  const { heardNow = new Map(Object.entries(heard)) } = options;
  const clock: { at: number; steady?: number } = { at: Date.parse(at) };
  /** The time outside, which a wrong clock of the machine does not change. */
  const time = () => clock.steady ?? clock.at;
  const world = { seed: 11, announcements: announceAt("10:30") };
  const transportOf = (named: Record<IsoDate, Color>): Transport => {
    const service = createService({ ...world, days: new Map(Object.entries(named)) }, { now: time });
    return {
      get: async (url) => {
        if (isDown?.test(url)) throw new Error(`connect ECONNREFUSED 192.0.2.20:443`);
        const { status, headers, body } = service({ method: "GET", url, ifNoneMatch: "", client: "" });
        const all = { ...headers, date: new Date(time()).toUTCString() };
        return { status, headers: new Map(Object.entries(all)), body: new TextEncoder().encode(body) };
      },
      close: async () => undefined,
    };
  };
  let isDown: RegExp | null = null;
  const rules = rulesOptions.parse(options.rules ?? HOUSE_RULES);
  const polite = {
    base: "http://192.0.2.20",
    version: "0",
    log: SILENT_LOG,
    clock: {
      ...systemClock,
      now: () => clock.at,
      steady: time,
      // A wait is over at once.
      after: (_: number, run: () => void) => {
        queueMicrotask(run);
        return () => undefined;
      },
    },
    random: () => 0.5,
    patience: { retries: 0, longestWait: 0 },
  };
  const test = openTestLoop({
    rules,
    clock,
    checkClock: "auto",
    isInvented: kind === "invented",
    heard: heardNow,
    ask: kind === "none" ? null : (request, ways) => client.ask(request, ways),
    askOfficial: official ? (request, ways) => officialClient.ask(request, ways) : null,
  });
  const client = createServiceClient({
    ...polite,
    memory: test.memories.service,
    transport: transportOf(days),
    config: { colors: {}, confidence: "auto", rate_unit: "EUR/kWh", history_parameters: "auto" },
  });
  const officialClient = createOfficialClient({
    ...polite,
    memory: test.memories.official,
    transport: transportOf({ ...days, ...options.officialDays }),
    tariff: PARIS,
  });
  const poll = async () => {
    await test.loop.poll({ essential: true, recheck: true });
    if (official) {
      const label = seasonOf(tariffDate(time(), PARIS)).label;
      const requests = [{ kind: "light" } as const, { kind: "season", label } as const];
      const due = requests.map((request) => ({ request, essential: true }));
      await test.loop.pollOfficial(due);
    }
    test.loop.refresh();
  };
  const { list } = finishOutputs(outputsOptions.parse(options.outputs ?? HOUSE_OUTPUTS), "fr");
  const view = (more: Partial<PageView> = {}): PageView => {
    return {
      ...test.loop.view(),
      version: "0.3.0",
      instance: "vigie",
      tariff: PARIS,
      rules,
      values: new Map(heardNow),
      outputs: list.map((output) => statusOf(output)),
      broker: { connected: true, url: "mqtt://192.0.2.10:1883" },
      homeAssistant: "online",
      ...more,
    };
  };
  return {
    clock,
    list,
    poll,
    view,
    loop: test.loop,
    days: test.days,
    know: test.know,
    /** The values are those of `heardNow` now. */
    noticeValues: test.noticeValues,
    /** The sources do not answer these requests any more; all of them, or none. */
    setDown: (down: boolean | RegExp) => {
      isDown = down === true ? /./ : down || null;
    },
    /** Goes on in time, polls now and then, and refreshes. */
    go: async (to: string) => {
      clock.at = Date.parse(to);
      await poll();
    },
    pretend: async (color: Color, from: "now" | "next", hours = 1) => {
      await test.command({ kind: "simulation", request: { color, from, for: hours * 3_600_000 } });
    },
  };
}

/** What was sent to an output, as the state file has it. */
export function sentTo(
  { key }: Pick<Output, "key">,
  at: number,
  { payload, choice, ...more }: Partial<Sent> & { payload: string; choice: string },
): Sent {
  const sending = { ...sendingOf(key, payload, payload), choice, because: `${choice} is ON` };
  const state = recordAcknowledgement(recordSending({}, sending, at), key, payload);
  return { ...(state[key] as Sent), ...more };
}
