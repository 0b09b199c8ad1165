import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explain } from "../../src/cli/explain.ts";
import { emptyState } from "../../src/state/state.ts";
import { serialiseState } from "../../src/state/state-format.ts";
import { folderWith } from "../config/folder.ts";
import { knownDaysOf as daysOf, official, officialDays } from "../support/known-days.ts";
import { runCommand } from "../support/run-command.ts";

const CONFIG = `rules:
  - { id: rouge_now, when: { day: now, color: rouge } }
  - { id: night, when: { period: hc } }
`;
const knownDays = daysOf({
  "2026-01-04": official("bleu"),
  "2026-01-05": official("rouge"),
  "2026-01-06": official("bleu"),
});
const STATE = serialiseState({ ...emptyState("here"), books: { simulator: knownDays }, clients: {} });

async function run(args: string[], files: Record<string, string> = { "state/state.json": STATE }) {
  return runIn(await folderWith({ "config/vigie.yaml": CONFIG, ...files }), args);
}

function runIn(cwd: string, args: string[]) {
  return runCommand((io) => explain(args, io), { cwd });
}

describe("vigie explain", () => {
  test("shows each rule as a tree, at a time on the wall", async () => {
    const { code, out } = await run(["--at", "2026-01-05T05:59"]);
    expect(code).toBe(0);
    expect(out).toBe(`2026-01-05 05:59, Europe/Paris

rouge_now  OFF  next ON at 2026-01-05 06:00
  ✘ needed: now is rouge; found: 2026-01-04 bleu, official

night  ON  next OFF at 2026-01-05 06:00
  ✔ in off-peak hours; found: the period is hc
`);
  });

  test.each([
    ["2026-03-29T05:59", "2026-03-29 05:59", "OFF  next ON at 2026-03-29 06:00"],
    ["2026-03-29T06:00", "2026-03-29 06:00", "ON  next OFF at 2026-03-30 06:00"],
    // There is no such time on the wall.
    ["2026-03-29T02:30", "2026-03-29 03:00", "OFF  next ON at 2026-03-29 06:00"],
    // There are two of these.
    ["2026-10-25T02:30", "2026-10-25 02:30", "OFF  next ON at 2026-10-25 06:00"],
    ["2026-10-25T01:30Z", "2026-10-25 02:30", "OFF  next ON at 2026-10-25 06:00"],
    ["2026-10-25T05:00Z", "2026-10-25 06:00", "ON  next OFF at 2026-10-26 06:00"],
  ])(
    "on the weekends on which clocks are moved, %s is %s on the wall, and rouge is %s",
    async (at, wall, rouge) => {
      const days = {
        ...officialDays("2026-03-27", "2026-03-31"),
        ...officialDays("2026-10-23", "2026-10-27"),
      };
      const moved = daysOf({ ...days, "2026-03-29": official("rouge"), "2026-10-25": official("rouge") });
      const state = serialiseState({ ...emptyState("here"), books: { simulator: moved }, clients: {} });
      const { out } = await run(["--at", at, "rouge_now"], { "state/state.json": state });
      expect(out).toContain(`${wall}, Europe/Paris\n\nrouge_now  ${rouge}\n`);
    },
  );

  test("takes an instant, and the rules that are asked for", async () => {
    const { out } = await run(["--at", "2026-01-05T05:00:00Z", "rouge_now"]);
    expect(out).toContain("rouge_now  ON");
    expect(out).not.toContain("night");
  });

  test("shows a rule that refers to others alone, too", async () => {
    const rules = `${CONFIG}  - { id: both, when: { all: [ { rule: rouge_now }, { rule: night } ] } }\n`;
    const files = { "config/vigie.yaml": rules, "state/state.json": STATE };
    const { out } = await run(["--at", "2026-01-05T23:00", "both"], files);
    expect(out).toBe(`2026-01-05 23:00, Europe/Paris

both  ON  next OFF at 2026-01-06 06:00
  ✔ all of
    ✔ rule rouge_now is ON; found: it is ON
    ✔ rule night is ON; found: it is ON
`);
  });

  test("follows off-peak hours that change at 00:00", async () => {
    const rows = `tariff: { off_peak: [{ weekdays: tue, windows: ["02:00-03:00"] }, { windows: ["22:00-06:00"] }] }\n`;
    const files = { "config/vigie.yaml": rows + CONFIG, "state/state.json": STATE };
    const shown = await Promise.all(
      ["2026-01-05T23:00", "2026-01-06T00:00"].map((at) => run(["--at", at, "night"], files)),
    );
    expect(shown.map(({ out }) => out)).toEqual([
      expect.stringContaining("night  ON  next OFF at 2026-01-06 00:00"),
      expect.stringContaining("night  OFF  next ON at 2026-01-06 02:00"),
    ]);
  });

  test("--json is the same as data", async () => {
    const { out } = await run(["--at", "2026-01-05T07:00", "rouge_now", "--json"]);
    expect(JSON.parse(out)).toEqual([
      {
        id: "rouge_now",
        state: true,
        sure: true,
        at: "2026-01-05T06:00:00Z",
        next_on: null,
        next_off: "2026-01-06T05:00:00Z",
        notes: [],
        tree: { state: true, asks: "now is rouge", saw: "2026-01-05 rouge, official", parts: [] },
      },
    ]);
  });

  test("a time that the book does not cover is said", async () => {
    const { code, err } = await run(["--at", "2026-02-05T07:00"]);
    expect([code, err]).toEqual([
      1,
      "vigie explain: Expected --at to be within the days that are known, 2026-01-04 to 2026-01-06, got 2026-02-05\n",
    ]);
    expect((await run(["--at", "2026-01-05T07:00"], {})).err).toContain("No day is known yet");
  });

  describe("--pretend", () => {
    const OUTPUTS = `${CONFIG}  - { id: peak, when: { rule: rouge_now, period: hp }, lead: 5m }
outputs:
  - topic: relay/boiler
    choose: [{ when: peak, payload: "off {now.color}" }]
    else: "on"
  - { topic: relay/night, name: Night, choose: [{ when: night, payload: "low" }] }
`;
    const files = { "config/vigie.yaml": OUTPUTS, "state/state.json": STATE };
    const AT = ["--at", "2026-01-06T14:00"];

    test("shows verdicts, their plan and what outputs would send if the day were of that colour", async () => {
      const { code, out, err } = await run([...AT, "--pretend", "rouge", "rouge_now", "peak"], files);
      expect([code, err]).toEqual([0, ""]);
      expect(out).toBe(`2026-01-06 14:00, Europe/Paris
If the tariff day 2026-01-06 were rouge (shown until 2026-01-07 06:00)

rouge_now  ON
  ✔ now is rouge; found: 2026-01-06 rouge, simulated

peak  ON  next OFF at 2026-01-06 22:00
  ✔ all of
    ✔ in peak hours; found: the period is hp
    ✔ rule rouge_now is ON; found: it is ON
  → 2026-01-06 22:00  OFF
  → 2026-01-07 05:55  unknown

output relay/boiler
  → 2026-01-06 14:00  sends off rouge: peak is ON
  → 2026-01-06 22:00  sends on: peak is OFF
`);
    });

    test("takes the next day, and now in words", async () => {
      const next = await run([...AT, "--pretend", "rouge:next", "rouge_now"], files);
      expect(next.out).toContain("If the tariff day 2026-01-07 were rouge");
      expect(next.out).toContain("rouge_now  OFF  next ON at 2026-01-07 06:00");
      const now = await run([...AT, "--pretend", "rouge:now", "rouge_now"], files);
      expect(now.out).toContain("If the tariff day 2026-01-06 were rouge");
      const past = await run(["--at", "2026-01-05T03:00", "--pretend", "blanc:next", "rouge_now"], files);
      expect(past.out).toContain("If the tariff day 2026-01-05 were blanc");
    });

    test("sends nothing again that was sent last, and says where nothing is sent", async () => {
      const sent = {
        payload: "off rouge",
        expect: null,
        at: 0,
        acknowledged: true,
        stands: true,
        answer: "none",
      };
      const state = JSON.stringify({ ...JSON.parse(STATE), outputs: { "relay/boiler": sent } });
      const { out } = await run([...AT, "--pretend", "rouge"], { ...files, "state/state.json": state });
      expect(out).toContain(
        "output relay/boiler\n  sends nothing at first: peak is ON, and off rouge was sent already\n  → 2026-01-06 22:00  sends on: peak is OFF\n",
      );
      expect(out).toContain(
        "output Night (relay/night)\n  sends nothing at first: night is OFF, and there is no else\n",
      );
      const bleu = await run([...AT, "--pretend", "bleu", "peak"], files);
      expect(bleu.out).toContain(
        "output relay/boiler\n  sends nothing: peak is OFF, and else is not sent before a choice was\n",
      );
    });

    test("shows when a placeholder says something else, though no rule changes", async () => {
      const screen = `${CONFIG}outputs: [{ topic: screen/say, choose: [{ when: rouge_now, payload: "{today.date}" }] }]\n`;
      const config = { "config/vigie.yaml": screen, "state/state.json": STATE };
      const { out } = await run([...AT, "--pretend", "rouge", "rouge_now"], config);
      expect(out).toContain(`output screen/say
  → 2026-01-06 14:00  sends 2026-01-06: rouge_now is ON
  → 2026-01-07 00:00  sends 2026-01-07: rouge_now is ON
`);
    });

    test("says of a message that was given up, or was sent already, that it is not sent", async () => {
      const message = `${CONFIG}outputs: [{ topic: phone/say, message: true, choose: [{ when: night, payload: "Night" }] }]\n`;
      const last = {
        ...{
          text: "Night",
          choice: "night",
          because: "night is ON",
          day: null,
          color: null,
          pretended: false,
        },
        ...{ at: 0, tries: 6, tried_at: 0, taken: false },
      };
      const sayOf = async (change: object) => {
        const record = {
          id: "phone_say",
          last: { ...last, ...change },
          stands: true,
          due: null,
          tried: [],
          told_days: {},
        };
        const messages = { "phone/say": record };
        const state = JSON.stringify({ ...JSON.parse(STATE), messages });
        const config = { "config/vigie.yaml": message, "state/state.json": state };
        const { out } = await run(["--at", "2026-01-06T23:00", "--pretend", "bleu", "night"], config);
        return out;
      };
      const sentence = "output phone/say\n  sends nothing: night is ON, and Night was";
      expect(await sayOf({})).toContain(`${sentence} given up\n`);
      expect(await sayOf({ taken: true })).toContain(`${sentence} sent already\n`);
    });

    test("says that nothing is sent while the rule that decides is unknown", async () => {
      const late = {
        "config/vigie.yaml": `${OUTPUTS}`.replace("day: now", "day: d3"),
        "state/state.json": STATE,
      };
      const { out } = await run([...AT, "--pretend", "rouge", "peak"], late);
      expect(out).toContain("sends nothing: peak is unknown, so what was sent last stands\n");
    });

    test("never hides an announced rouge day, and says so", async () => {
      const { out } = await run(["--at", "2026-01-05T14:00", "--pretend", "bleu", "rouge_now"], files);
      expect(out).toContain("2026-01-05 is announced rouge, and stays so");
      expect(out).toContain("rouge_now  ON");
    });

    test("counts in place of the colour that the running vigie pretends, and writes nothing", async () => {
      const begun = Date.parse("2026-01-06T12:30:00Z");
      const simulation = { color: "rouge", from: "now", date: "2026-01-06", begun, until: begun + 3_600_000 };
      const state = JSON.stringify({ ...JSON.parse(STATE), simulation });
      const cwd = await folderWith({ ...files, "state/state.json": state });
      const { out } = await runIn(cwd, [...AT, "--pretend", "blanc", "rouge_now"]);
      expect(out).toContain("✘ needed: now is rouge; found: 2026-01-06 blanc, simulated");
      expect(await readFile(join(cwd, "state/state.json"), "utf8")).toBe(state);
      expect(await readdir(join(cwd, "state"))).toEqual(["state.json"]);
    });

    test("is data with --json", async () => {
      const { out } = await run([...AT, "--pretend", "rouge", "peak", "--json"], files);
      expect(JSON.parse(out)).toMatchObject({
        pretended: { color: "rouge", from: "now", date: "2026-01-06" },
        until: "2026-01-07T05:00:00Z",
        rules: [
          {
            id: "peak",
            state: true,
            plan: [
              { at: "2026-01-06T21:00:00Z", state: false },
              { at: "2026-01-07T04:55:00Z", state: null },
            ],
          },
        ],
        outputs: [
          {
            id: "relay_boiler",
            topic: "relay/boiler",
            device: "relay/boiler",
            sends: [
              { at: "2026-01-06T13:00:00Z", payload: "off rouge", because: "peak is ON" },
              { at: "2026-01-06T21:00:00Z", payload: "on", because: "peak is OFF" },
            ],
            nothing: null,
          },
        ],
        notes: [],
      });
    });

    const FORM =
      "Expected --pretend to be bleu, blanc, rouge, alone or with :now or :next, such as rouge:next";
    test.each([
      ["red", `${FORM}, got red (did you mean rouge?)`],
      ["rogue", `${FORM}, got rogue (did you mean rouge?)`],
      ["rouge:nxt", `${FORM}, got rouge:nxt (did you mean next?)`],
      ["rouge:next:1h", `${FORM}, got rouge:next:1h`],
      ["rouge:", `${FORM}, got rouge:`],
      ["", `${FORM}, got `],
    ])("--pretend '%s' is wrong usage", async (given, words) => {
      const { code, out, err } = await run(["--pretend", given], files);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(words);
    });
  });

  test("without a state it says so, and what can be told all the same", async () => {
    const { code, out, err } = await run([], {});
    expect(code).toBe(0);
    expect(err).toContain("so no day is known");
    expect(out).toContain("now is rouge; found: ");
  });

  test.each([
    [["--at", ""], "Expected --at to be a time like 2026-01-04T23:00"],
    [["--at", "2026-02-30T10:00"], "got 2026-02-30T10:00"],
    [["--at", "2026-01-05T6:00"], "got 2026-01-05T6:00"],
    [["constructor"], "Expected the id of a rule (rouge_now, night), got constructor\n"],
    [["--at", "tomorrow"], "Expected --at to be a time like 2026-01-04T23:00"],
    [
      ["rouge_noww"],
      "Expected the id of a rule (rouge_now, night), got rouge_noww (did you mean rouge_now?)",
    ],
    [["--att"], "--att"],
  ])("%j is wrong usage", async (args, words) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  test("without a broker no value is known, which is not the same as a value that is not retained", async () => {
    const config = `service: { allow_simulator: true }
mqtt: { url: "mqtt://127.0.0.1:1" }
rules: [{ id: cold, when: { mqtt: { topic: garden, below: 3 } } }]
`;
    const { code, out, err } = await run([], { "config/vigie.yaml": config, "state/state.json": STATE });
    expect(code).toBe(0);
    expect(err).toContain("no value of the house is known");
    expect(out).toContain("? needed: garden is below 3; found: the broker could not be asked\n");
  });

  test("a damaged state file is left as it is, and said", async () => {
    const { code, err } = await run([], { "state/state.json": "{" });
    expect([code, err]).toEqual([1, expect.stringContaining("is damaged")]);
  });
});
