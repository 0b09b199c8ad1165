import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Command } from "../../src/cli/command-line.ts";
import { day } from "../../src/cli/day.ts";
import { history } from "../../src/cli/history.ts";
import { season } from "../../src/cli/season.ts";
import { addDays, civilDate, datesBetween, daysBetween, tariffDate } from "../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../src/core/calendar/tariff.ts";
import { seasonOf } from "../../src/core/calendar/tariff-season.ts";
import { emptyState } from "../../src/state/state.ts";
import { serialiseState } from "../../src/state/state-format.ts";
import { sendJson, serve } from "../service/rude-server.ts";
import { NOBODY } from "../support/ports.ts";
import { runCommand } from "../support/run-command.ts";
import { PARIS } from "../support/tariff.ts";

/** The owner's prices: these services say none. */
const RATES = [
  {
    from: "2025-09-01",
    bleu: { hp: 0.16, hc: 0.13 },
    blanc: { hp: 0.19, hc: 0.15 },
    rouge: { hp: 0.73, hc: 0.17 },
  },
];
const OLD_RATES = RATES.map((row) => ({ ...row, from: "2015-01-01" }));
const ONLY_RTE = /^date +2026-01-05\ncolour +blanc\nofficial +yes\nhp +0\.19\nhc +0\.15\nRTE says +blanc\n$/;
const BLEU = { color: "bleu", first_said: 0, confirmed: true } as const;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vigie-answers-"));
  await writeFile(join(folder, "vigie.yaml"), "service: { base_url: simulator }\nmqtt: { url: embedded }\n");
});
afterAll(() => rm(folder, { recursive: true }));

function run(command: Command, args: string[], color = false) {
  const given = args.includes("--config") ? args : [...args, "--config", "vigie.yaml"];
  return runCommand((io) => command(given, io), { cwd: folder, color });
}

describe("the endpoints of two sources for people", () => {
  test("vigie day leads with the colour that vigie uses, and shows what each source says, also where the other one does not answer", async () => {
    const server = createServer((request, response) => {
      const path = request.url ?? "";
      const isRte = path.startsWith("/tempo");
      if (!isRte && isServiceAway) {
        response.writeHead(400).end("{}");
        return;
      }
      const body = isRte ? { values: rte } : { date: "2026-01-05", color: "rouge", is_official };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    let isServiceAway = false;
    let rte: Record<string, string> = {};
    let is_official: boolean | null = true;
    const ask = async (service: string, ...args: string[]) => {
      const config = {
        service: { base_url: service },
        official: { source: address },
        mqtt: { url: "embedded" },
        tariff: { rates: RATES },
      };
      await writeFile(join(folder, "both.yaml"), JSON.stringify(config));
      return run(day, ["2026-01-05", ...args, "--config", "both.yaml"]);
    };
    try {
      const official_by = { service: "rouge", rte: "blanc" };
      const differs =
        "date +2026-01-05\\ncolour +blanc\\nofficial +yes\\n.*\\nhp +0\\.19\\nhc +0\\.15\\nRTE says +blanc\\n";
      for (const [word, official, said, color, table, more] of [
        ["RED", true, "rouge", "rouge", "[^]*\\nhp +0\\.73\\nhc +0\\.17\\nRTE says +rouge\\n", {}],
        ["unreadable", false, null, "rouge", "[^]*RTE says +nothing yet\\n", {}],
        [
          "WHITE",
          false,
          "blanc",
          "blanc",
          `${differs}the service says +rouge \\(forecast\\)\\n`,
          { is_official: true, service: "rouge" },
        ],
        [
          "WHITE",
          null,
          "blanc",
          "blanc",
          `${differs}the service says +rouge\\n`,
          { is_official: true, service: "rouge" },
        ],
        [
          "WHITE",
          true,
          "blanc",
          "blanc",
          `${differs}the service says +rouge\\ncontradiction +RTE named blanc, the service rouge; vigie uses blanc\\n`,
          { official_by },
        ],
      ] as const) {
        rte = { "2026-01-05": word };
        is_official = official;
        const { out } = await ask(address);
        expect(out).toMatch(new RegExp(`^${table}$`));
        const json = JSON.parse((await ask(address, "--json")).out);
        expect(json).toMatchObject({ color, is_official: official, rte: said, ...more });
        expect("official_by" in json).toBe("official_by" in more);
      }
      isServiceAway = true;
      for (const service of [address, "none"]) {
        const { code, out } = await ask(service);
        expect([code, out]).toEqual([0, expect.stringMatching(ONLY_RTE)]);
      }
      expect(JSON.parse((await ask("none", "--json")).out)).toEqual({
        date: "2026-01-05",
        color: "blanc",
        is_official: true,
        rates: { hp: 0.19, hc: 0.15 },
        rte: "blanc",
      });
    } finally {
      server.close();
      await once(server, "close");
    }
  });

  test("vigie day shows the colour that vigie publishes, by what it has learnt, where a source is away or says less than before", async () => {
    const today = civilDate(Date.now(), "Europe/Paris");
    const date = addDays(today, 1);
    const says = { service: "rouge" as string | null, rte: "WHITE" as string | null };
    const server = createServer((request, response) => {
      const isRte = request.url?.startsWith("/tempo") ?? false;
      const word = isRte ? says.rte : says.service;
      const body = isRte
        ? { values: { [today]: "BLUE", [date]: word } }
        : { date, color: word, is_official: true };
      response.writeHead(word === null ? 400 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sources = { service: { base_url: address }, official: { source: address } };
    // Tomorrow has no confirmed word before 11:30: what is stored decides at any time of the day.
    const keep = async (service: Color, rte: Color) => {
      const service_word = { ...BLEU, color: service, confirmed: false, rates: { hp: null, hc: null } };
      const book = { days: { [date]: { service_word } }, seasons: {}, updated_at: null };
      const state = emptyState("here");
      state.books = { [address]: book };
      state.official_words = { [address]: { [date]: { ...BLEU, color: rte } } };
      await mkdir(join(folder, "kept"), { recursive: true });
      await writeFile(join(folder, "kept", "state.json"), serialiseState(state));
    };
    const config = {
      ...sources,
      state: "kept",
      tariff: { laws: "off", rates: RATES },
      mqtt: { url: "embedded" },
    };
    await writeFile(join(folder, "kept.yaml"), JSON.stringify(config));
    const ask = async (service: string | null, rte: string | null) => {
      Object.assign(says, { service, rte });
      const { out, err } = await run(day, [date, "--config", "kept.yaml"]);
      const json = await run(day, [date, "--json", "--config", "kept.yaml"]);
      return { out: out.replaceAll(/ +/g, " "), err, json: json.out === "" ? null : JSON.parse(json.out) };
    };
    const contradiction = "contradiction RTE named blanc, the service rouge; vigie uses blanc\n";
    const official_by = { service: "rouge", rte: "blanc" };
    const prices = "hp 0.19\nhc 0.15\n";
    try {
      await keep("rouge", "blanc");
      const withoutRte = await ask("rouge", null);
      expect(withoutRte.out).toMatch(/\ncolour blanc\nofficial yes\n/);
      expect(withoutRte.out).toContain(`\nthe service says rouge\n${contradiction}`);
      expect(withoutRte.json).toMatchObject({ color: "blanc", is_official: true, official_by });
      const withoutService = await ask(null, "WHITE");
      expect(withoutService.out).toBe(
        `date ${date}\ncolour blanc\nofficial yes\n${prices}RTE says blanc\n${contradiction}`,
      );
      expect(withoutService.json).toMatchObject({ color: "blanc", rte: "blanc", official_by });
      const withNoWord = await ask(null, "unreadable");
      expect(withNoWord.out).toContain("\ncolour blanc\n");
      const withNeither = await ask(null, null);
      expect(withNeither.err).toMatch(/This is what vigie itself has learnt\n$/);
      expect(withNeither.out).toBe(`date ${date}\ncolour blanc\nofficial yes\n${prices}${contradiction}`);
      expect(withNeither.json).toMatchObject({ color: "blanc", official_by });
      // A rouge of the source that is away is not shown as bleu.
      await keep("bleu", "rouge");
      expect((await ask("bleu", null)).json).toMatchObject({ color: "rouge", service: "bleu" });
      await writeFile(join(folder, "kept", "state.json"), "{");
      const unreadable = await ask("bleu", null);
      expect(unreadable.json).toMatchObject({ color: "bleu", is_official: true });
      expect(unreadable.err).toMatch(/The state in .*kept cannot be read: it is damaged: /);
    } finally {
      server.close();
      await once(server, "close");
    }
  });

  test("vigie history counts a prediction once its day has begun, by the colour that vigie uses", async () => {
    const now = tariffDate(Date.now(), PARIS);
    const [right = "", corrected = "", ahead = ""] = [-1, 0, 1].map((days) => addDays(now, days));
    const entries = [right, corrected, ahead].map((date) => ({
      date,
      color: "rouge",
      predicted_color: "rouge",
    }));
    const { url } = await serve((_request, response) => sendJson(response, entries));
    const state = emptyState("here");
    state.official_words = { [url]: { [corrected]: { ...BLEU, color: "blanc" } } };
    await mkdir(join(folder, "counted"), { recursive: true });
    await writeFile(join(folder, "counted", "state.json"), serialiseState(state));
    const sources = { service: { base_url: url }, official: { source: url } };
    const config = { ...sources, tariff: { laws: "off" }, state: "counted", mqtt: { url: "embedded" } };
    await writeFile(join(folder, "counted.yaml"), JSON.stringify(config));
    const { out } = await run(history, ["--from", right, "--to", ahead, "--config", "counted.yaml"]);
    const rows = out.split("\n").map((line) => line.split(/ +/));
    expect(rows.slice(1, 4).map(([date, color, , , , , mark]) => [date, color, mark])).toEqual([
      [right, "rouge", undefined],
      [corrected, "blanc", "wrong"],
      [ahead, "rouge", undefined],
    ]);
    expect(out).toMatch(/\n1 of 2 predictions were right\n$/);
  });

  test("vigie history has the owner's prices where the service says none", async () => {
    const date = "2026-01-05";
    const { url } = await serve((_request, response) => sendJson(response, [{ date, color: "blanc" }]));
    const config = {
      service: { base_url: url },
      official: { source: "off" },
      mqtt: { url: "embedded" },
      tariff: { rates: RATES },
    };
    await writeFile(join(folder, "prices.yaml"), JSON.stringify(config));
    const { out } = await run(history, ["--from", date, "--to", date, "--config", "prices.yaml"]);
    expect(out).toMatch(/\n2026-01-05 +blanc +0\.19 +0\.15 /);
  });

  test("vigie day says of a Sunday that nobody has named what the laws say, with its price", async () => {
    const { url } = await serve((_request, response) => sendJson(response, { values: {} }));
    const config = {
      service: { base_url: "none" },
      official: { source: url },
      mqtt: { url: "embedded" },
      tariff: { rates: RATES },
    };
    await writeFile(join(folder, "sunday.yaml"), JSON.stringify(config));
    const ask = (...args: string[]) => run(day, ["2026-01-11", ...args, "--config", "sunday.yaml"]);
    expect((await ask()).out).toBe(
      [
        "date         2026-01-11",
        "colour       -",
        "hp           0.16",
        "hc           0.13",
        "by the laws  it can only be bleu",
        "RTE says     nothing yet",
        "",
      ].join("\n"),
    );
    expect(JSON.parse((await ask("--json")).out)).toMatchObject({
      color: null,
      rates: { hp: 0.16, hc: 0.13 },
    });
  });

  test("vigie day does not call RTE's what the simulator invents", async () => {
    const config = "service: { base_url: none }\nofficial: { source: simulator }\nmqtt: { url: embedded }\n";
    await writeFile(join(folder, "invented.yaml"), config);
    const { out } = await run(day, ["today", "--config", "invented.yaml"]);
    expect(out).toMatch(
      /^date +\S+\ncolour +(bleu|blanc|rouge)\nofficial +yes\nhp +0\.\d+\nhc +0\.\d+\nthe simulator says +\1\n$/,
    );
  });

  test("vigie history and season answer from what vigie has learnt where there is no service or it is dead, and say so", async () => {
    withoutPauses();
    const learnt = addDays(civilDate(Date.now(), "Europe/Paris"), -400);
    const { label, start, end } = seasonOf(learnt);
    const colorOf = (index: number): Color => (index < 22 ? "rouge" : index < 65 ? "blanc" : "bleu");
    const wordsOf = (from: IsoDate, to: IsoDate) =>
      Object.fromEntries(
        datesBetween(from, to).map((date, index) => [date, { ...BLEU, color: colorOf(index) }]),
      );
    const address = `http://${NOBODY}`;
    const state = { ...emptyState("here"), official_words: { [address]: wordsOf(start, end) } };
    await mkdir(join(folder, "learnt"));
    await writeFile(join(folder, "learnt", "state.json"), serialiseState(state));
    const config = {
      service: { base_url: "none" },
      official: { source: address },
      state: "learnt",
      tariff: { rates: OLD_RATES },
    };
    await writeFile(join(folder, "none.yaml"), JSON.stringify({ ...config, mqtt: { url: "embedded" } }));
    const none = ["--config", "none.yaml"];
    const days = await run(history, ["--from", start, "--to", addDays(start, 1), ...none]);
    expect(days.out.split("\n").map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ["date", "colour"],
      [start, "rouge"],
      [addDays(start, 1), "rouge"],
      [""],
    ]);
    // The owner's prices, which the page has, too.
    expect(days.out).toMatch(new RegExp(`\\n${start} +rouge +0\\.73 +0\\.17 `));
    const counted = await run(season, [label, ...none]);
    // All days of a season before are over.
    expect(counted.out).toMatch(/: 36[56] days over, 0 days left\n/);
    expect(counted.out).toMatch(/\nrouge +0 +22\nblanc +0 +43\nbleu +0 +30[01]\n$/);
    for (const { code, err } of [days, counted]) {
      expect([code, err]).toEqual([
        0,
        "vigie: there is no forecast service (service.base_url: none): this is what vigie itself has learnt\n",
      ]);
    }
    const now = tariffDate(Date.now(), PARIS);
    const current = seasonOf(now);
    state.official_words = { [address]: wordsOf(current.start, now) };
    await writeFile(join(folder, "learnt", "state.json"), serialiseState(state));
    // As the service counts them: the day in force is not over.
    const { out } = await run(season, none);
    const over = daysBetween(current.start, now);
    const color = colorOf(over);
    const rougeLeft = Math.max(0, 21 - over);
    expect(out).toMatch(
      new RegExp(`: ${over} days? over, ${daysBetween(now, current.end) + 1} days? left\\n`),
    );
    const dead = { ...config, service: { base_url: `http://${NOBODY}` }, mqtt: { url: "embedded" } };
    await writeFile(join(folder, "dead.yaml"), JSON.stringify(dead));
    const fromState = ["--config", "dead.yaml"];
    for (const [command, args, words] of [
      [season, [], new RegExp(`: ${over} days? over(?:.|\n)*\\nrouge +${rougeLeft} +22\\n`)],
      [history, ["--from", now, "--to", now], new RegExp(`\\n${now} +${color}`)],
      [
        day,
        [now],
        new RegExp(`^date +${now}\\ncolour +${color}\\nofficial +yes\\nhp +0\\.\\d+\\nhc +0\\.\\d+\\n$`),
      ],
    ] as const) {
      const { code, out, err } = await run(command, [...args, ...fromState]);
      expect([code, out]).toEqual([0, expect.stringMatching(words)]);
      expect(err).toMatch(/could not be reached(?:.|\n)*\. This is what vigie itself has learnt\n$/);
    }
    const unlearnt = await run(day, ["2014-11-05", ...fromState]);
    expect([unlearnt.code, unlearnt.out]).toEqual([1, ""]);
    const unknown = await run(season, ["2014-2015", ...none]);
    expect([unknown.code, unknown.out]).toEqual([1, ""]);
    expect(unknown.err).toContain("vigie does not know how many days are left of season 2014-2015");
  });

  test("a service that is away is said also where the state cannot be read either", async () => {
    withoutPauses();
    await mkdir(join(folder, "damaged"));
    await writeFile(join(folder, "damaged", "state.json"), "{");
    const config = { service: { base_url: `http://${NOBODY}` }, mqtt: { url: "embedded" }, state: "damaged" };
    await writeFile(join(folder, "damaged.yaml"), JSON.stringify(config));
    for (const [name, command, args] of [
      ["day", day, ["today"]],
      ["season", season, []],
    ] as const) {
      const { code, out, err } = await run(command, [...args, "--config", "damaged.yaml"]);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(/^vigie: The state in .*damaged cannot be read: it is damaged: /m);
      expect(err.trimEnd().split("\n").at(-1)).toMatch(new RegExp(`^vigie ${name}: .* could not be reached`));
    }
  });
});

/** A pause before the next try has a random length: here the shortest, which is none. */
function withoutPauses() {
  vi.spyOn(Math, "random").mockReturnValue(0);
}
