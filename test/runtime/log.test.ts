import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { wallTime } from "../../src/core/calendar/dates.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createLog, holdOutput, type LogOptions, type LogOutput } from "../../src/runtime/log.ts";
import { anyText } from "../support/any-text.ts";

const inFrance = (at: number) => wallTime(at, "Europe/Paris");
const logInto = (options: Partial<LogOptions>, place: Partial<LogOutput> = {}) => {
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const log = createLog(
    { level: "info", format: "auto", wallTime: inFrance, ...options },
    { write, terminal: false, env: {}, ...place },
  );
  return { log, lines };
};
const ESCAPE = "\u001b";
const isControl = (character: string) => /[\p{Cc}\u2028\u2029]/u.test(character);

describe("the format", () => {
  it.each([
    ["pretty on a terminal", { terminal: true }, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}Hello\n$/],
    [
      "pretty on a terminal that inherited the journal's variable",
      { terminal: true, env: { JOURNAL_STREAM: "8:1" } },
      /^\d{4}-\d\d-\d\d \d\d:/,
    ],
    ["the journal's where systemd takes the lines", { env: { JOURNAL_STREAM: "8:1" } }, /^<6>Hello\n$/],
    ["JSON elsewhere", {}, /^\{"level":"info","time":"[\d-]+T[\d:.]+Z","msg":"Hello"\}\n$/],
  ])("by default is %s", (_, place, expected) => {
    const { log, lines } = logInto(
      {},
      { ...place, env: { NO_COLOR: "1", ...("env" in place ? place.env : {}) } },
    );
    log.info("Hello");
    expect(lines).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    ["Europe/Paris", "2026-01-05 06:00:00  Hello\n"],
    ["America/Martinique", "2026-01-05 01:00:00  Hello\n"],
  ])("shows a person the time of %s, whatever the zone of this machine", (zone, line) => {
    vi.spyOn(systemClock, "now").mockReturnValue(Date.parse("2026-01-05T05:00:00Z"));
    const { log, lines } = logInto({ format: "pretty", wallTime: (at) => wallTime(at, zone) });
    log.info("Hello");
    expect(lines).toEqual([line]);
  });

  it.each([
    ["debug", 7],
    ["info", 6],
    ["warn", 4],
    ["error", 3],
  ] as const)("tells journald that %s has priority %d", (level, priority) => {
    const { log, lines } = logInto({ format: "journal", level: "debug" });
    log[level]("Hello");
    expect(lines).toEqual([`<${priority}>Hello\n`]);
  });

  it("has the stack of an error on one line, also for a person and for journald", () => {
    for (const format of ["pretty", "journal"] as const) {
      const { log, lines } = logInto({ format });
      log.error("An error", { error: new TypeError("a bug") });
      expect(lines.join("")).toMatch(/An error \(error TypeError: a bug at .*log\.test\.ts:\d+.*\)\n$/);
    }
  });

  it("shows the level to a person only for warnings and errors", () => {
    const { log, lines } = logInto({ format: "pretty" });
    log.info("One");
    log.warn("Two");
    log.error("Three");
    expect(lines.map((line) => line.slice("2026-01-05 06:00:00  ".length))).toEqual([
      "One\n",
      "warning: Two\n",
      "error: Three\n",
    ]);
  });

  it("has colours on a terminal only, and never with NO_COLOR", () => {
    const coloured = (place: Partial<LogOutput>) => {
      const { log, lines } = logInto({ format: "pretty" }, place);
      log.warn("Hello");
      return lines.join().includes(ESCAPE);
    };
    expect(coloured({ terminal: true })).toBe(true);
    expect(coloured({ terminal: false })).toBe(false);
    expect(coloured({ terminal: true, env: { NO_COLOR: "1" } })).toBe(false);
  });

  it("leaves out what is below its level", () => {
    const { log, lines } = logInto({ level: "warn" });
    log.info("One");
    log.warn("Two");
    expect(lines).toHaveLength(1);
    const silent = logInto({ level: "silent" });
    silent.log.error("Three");
    expect(silent.lines).toEqual([]);
  });
});

describe("details", () => {
  it("are appended to the sentence when they are short; JSON has all of them", () => {
    const details = { topic: "vigie/now", count: 3, ok: true, long: "x".repeat(100), deep: { a: 1 } };
    const pretty = logInto({ format: "journal" });
    pretty.log.info("Sent", details);
    expect(pretty.lines).toEqual(["<6>Sent (topic vigie/now, count 3, ok true)\n"]);
    const json = logInto({ format: "json" });
    json.log.info("Sent", details);
    expect(JSON.parse(json.lines.join())).toMatchObject({ msg: "Sent", details });
  });

  it("show an error with its message and cause, under any key", () => {
    const { log, lines } = logInto({ format: "json" });
    const error = new Error("outer", { cause: Object.assign(new Error("inner"), { code: "ECONNREFUSED" }) });
    log.warn("Failed", { error });
    expect(JSON.parse(lines.join()).details).toEqual({
      error: {
        name: "Error",
        message: "outer",
        cause: { name: "Error", message: "inner", code: "ECONNREFUSED" },
      },
    });
  });

  it("may be circular, deep, or of kinds that JSON does not have", () => {
    const { log, lines } = logInto({ format: "json" });
    const circle: Record<string, unknown> = {
      big: 10n,
      run: () => 1,
      map: new Map([["a", 1]]),
      at: new URL("http://u:p@h/"),
    };
    circle["self"] = circle;
    log.info("Odd", circle);
    expect(JSON.parse(lines.join()).details).toMatchObject({ big: "10", map: { a: 1 }, at: "http://***@h/" });
  });

  it("never replace the sentence, its level or its time", () => {
    const { log, lines } = logInto({ format: "json" });
    log.info("100 %s %d %", { msg: "x", level: "fatal", time: 0 });
    expect(JSON.parse(lines.join())).toMatchObject({
      level: "info",
      msg: "100 %s %d %",
      details: { msg: "x" },
    });
  });
});

describe("secrets", () => {
  const formats = ["pretty", "journal", "json"] as const;

  it("appear in no line, in no form", () => {
    // Not one that is a part of the words around it: these would be masked too, and rightly.
    const around = "mqtt://user:@host name message error text deep Error details";
    const secret = anyText({ minLength: 3, maxLength: 20 }).filter(
      (password) => !/[<>*]|^[.\s]*$/.test(password) && !around.includes(password),
    );
    fc.assert(
      fc.property(secret, fc.constantFrom(...formats), (password, format) => {
        const { log, lines } = logInto({ format, secrets: [password] });
        const address = `mqtt://user:${encodeURIComponent(Buffer.from(password).toString())}@host`;
        log.error(`<<${password}>> ${address}`, {
          text: `<<${password}>>`,
          deep: [{ error: new Error(`<<${password}>>`) }],
          [`<<${password}>>`]: 1,
        });
        const hidden = logInto({ format });
        hidden.log.error("<<***>> mqtt://***@host", {
          text: "<<***>>",
          deep: [{ error: new Error("<<***>>") }],
          "<<***>>": 1,
        });
        const still = (line = "") => line.replaceAll(/\d\d:\d\d:\d\d(\.\d+)?|"stack":"(\\.|[^"\\])*"/g, "");
        expect(still(lines[0])).toBe(still(hidden.lines[0]));
      }),
    );
  });

  it("of an address are masked without being registered", () => {
    const { log, lines } = logInto({ format: "journal" });
    log.info(
      "Connecting to mqtts://me:p@ss@broker.lan:8883 and https://u@h/x?q=a@b, not to mail me@home.org",
    );
    expect(lines).toEqual([
      "<6>Connecting to mqtts://***@broker.lan:8883 and https://***@h/x?q=a@b, not to mail me@home.org\n",
    ]);
  });

  it("are masked as an address encodes them, too", () => {
    const { log, lines } = logInto({ format: "journal", secrets: ["pä/ss wörd"] });
    log.info("Asked for ?password=p%C3%A4%2Fss%20w%C3%B6rd");
    expect(lines).toEqual(["<6>Asked for ?password=***\n"]);
  });

  it("are read again for each line, and an empty one masks nothing", () => {
    const secrets = [""];
    const { log, lines } = logInto({ format: "journal", secrets });
    log.info("one two");
    secrets.push("two");
    log.info("one two");
    expect(lines).toEqual(["<6>one two\n", "<6>one ***\n"]);
  });
});

it("any text stays on one line and moves no cursor", () => {
  const text = fc.oneof(anyText(), fc.constantFrom("a\nb", "a\r\nb", `${ESCAPE}[2J`, "\u2028", "\u0085"));
  fc.assert(
    fc.property(text, text, fc.constantFrom("pretty", "journal", "json"), (sentence, detail, format) => {
      const { log, lines } = logInto({ format });
      log.info(sentence, { detail });
      expect(lines).toHaveLength(1);
      const [line = ""] = lines;
      expect(line.endsWith("\n")).toBe(true);
      const forbidden = format === "json" ? ["\n", "\r", ESCAPE] : [...line.slice(0, -1)].filter(isControl);
      for (const character of forbidden) expect(line.slice(0, -1)).not.toContain(character);
    }),
  );
});

describe("an output that is held", () => {
  const hold = (longest: number) => {
    const lines: string[] = [];
    const write = (text: string) => void lines.push(text);
    return { lines, output: holdOutput({ write, terminal: true, env: {} }, longest) };
  };

  it("writes its lines once it is released, in their order, and the next ones at once", () => {
    const { lines, output } = hold(60_000);
    for (const text of ["a", "b"]) output.write(text);
    expect(lines).toEqual([]);
    output.release();
    output.release();
    output.write("c");
    expect(lines).toEqual(["a", "b", "c"]);
  });

  it("is released after a time, or when the process ends", async () => {
    const late = hold(1);
    late.output.write("a");
    await expect.poll(() => late.lines).toEqual(["a"]);
    const ended = hold(60_000);
    ended.output.write("a");
    const listener = process.listeners("exit").at(-1);
    listener?.(0);
    expect(ended.lines).toEqual(["a"]);
  });
});
