import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeHealth, judgeHealth } from "../../src/app/judge-health.ts";
import { NO_KNOWN_DAYS } from "../../src/core/days/known-days.ts";
import { deriveFacts } from "../../src/core/facts/derive-facts.ts";
import { blocksOf, isSame, quotedOn, readPage, sectionOf, sectionsOf } from "../support/guide.ts";
import { factsInputAt } from "../support/known-days.ts";
import { PARIS } from "../support/tariff.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGE = readPage("docs/what-if.md");
const SECTIONS = sectionsOf(PAGE);
const FILLED_IN = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
const HOLE = "\u0000";
const KNOWN_BY = 15;
/** So many signs in a row. */
const QUOTED = 24;
const TESTS = textsOfTests();
const TEXTS = textsOfSource();
const SENTENCES = sentencesOf(TEXTS);
const WORDS = TEXTS.join("\n");

describe("docs/what-if.md", () => {
  test("each section is named by the title of a test that shows it, and no title names another one", () => {
    expect(namedByTitles("what-if")).toEqual(SECTIONS.map(({ title }) => title).toSorted());
  });

  test("each line of the log is one that vigie can say", () => {
    const quoted = logOf(PAGE);
    expect(quoted).not.toEqual([]);
    expect(quoted.filter((line) => !isInSource(line))).toEqual([]);
  });

  test("each line of the log stands in a test whose title names its section, or is compared with what vigie says", () => {
    const compared = readPage("test/guides/guide-what-if.test.ts");
    const others = SECTIONS.filter(({ title }) => !compared.includes(`expectLog("${title}"`));
    const missing = others.flatMap(({ title, text }) => {
      const start = `what-if: ${title}`;
      const tests = TESTS.filter((test) => test.includes(`${start} · `)).map(withoutTitles);
      return logOf(text).filter((line) => !tests.some((test) => quotes(test, line)));
    });
    expect(missing).toEqual([]);
  });

  test("what-if: The forecast service is down · it is a problem from the status on that is given", () => {
    const text = sectionOf(PAGE, "The forecast service is down");
    const [bullet = ""] = text.split(/\n(?=- )/).filter((part) => part.includes("`service/problem` is `ON`"));
    const [, written] = /`service\/status` is `(\w+)`/.exec(bullet) ?? [];
    const at = Date.parse("2026-01-05T12:00:00Z");
    const statuses = [5, 4 * 60].map((minutes) => {
      const polls = { failing: { since: at - minutes * 60_000, sentence: "No route" }, answered_at: null };
      const { service } = deriveFacts(factsInputAt(at, NO_KNOWN_DAYS, polls), PARIS);
      return service.problem_code === "service" ? service.status : "no problem";
    });
    expect(statuses).toEqual([written, "down"]);
    expect(bullet).not.toContain("`down`");
  });

  test("what-if: vigie hangs · the answer of health is the one that is given", () => {
    const broker = { connected: true, url: "mqtt://192.0.2.10:1883", port: null };
    const data = { last_success: 0, newest: null, official_success: null, service: "real" as const };
    const health = { at: 0, pid: 1, broker, data };
    const verdict = judgeHealth({ health, running: true }, 95_000);
    expect(verdict.healthy).toBe(false);
    const written = PAGE.split("\n").filter((line) => line.includes("last report is"));
    expect(written).toHaveLength(1);
    expect(isSame(written[0] ?? "", `vigie health: ${describeHealth(verdict)}`)).toBe(true);
  });
});

test.each(["docs/mosquitto.md", "docs/home-assistant-os.md"])("%s quotes only what vigie can say", (path) => {
  const sentences = quotedOn(readPage(path)).filter((text) => /^[A-Z][a-z]+ .*\w+ \w+ \w+/.test(text));
  expect(sentences).not.toEqual([]);
  expect(sentences.filter((sentence) => !isInSource(sentence))).toEqual([]);
});

test.each(["docs/raspberry-pi.md", "docs/docker-nas.md"])(
  "%s quotes only words of vigie in its tables of messages",
  (path) => {
    const quoted = messagesOn(readPage(path));
    expect(quoted).not.toEqual([]);
    expect(quoted.filter((text) => !partsOf(text).every((part) => WORDS.includes(part)))).toEqual([]);
  },
);

test("each sentence that the README says first is named by the title of a test that shows it, and no title names another one", () => {
  const said = [...readPage("README.md").matchAll(/^- \*\*([^*]+)\.\*\* /gm)].map(([, sentence]) => sentence);
  expect(said.slice(0, 2)).toEqual(["A command is obeyed", "No account"]);
  expect(namedByTitles("readme")).toEqual(said.toSorted());
});

/** A title is "what-if: The broker is down · what the test shows". */
function namedByTitles(page: "what-if" | "readme"): string[] {
  const title = new RegExp(`(?<=["\`]|· )${page}: (.+?) · `, "g");
  const named = TESTS.flatMap((text) => [...text.matchAll(title)]).map(([, name = ""]) => name);
  return [...new Set(named)].toSorted();
}

function textsOfTests(): string[] {
  return readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => readPage(join("test", path)));
}

function logOf(text: string): string[] {
  const logs = blocksOf(text).filter(({ language }) => language === "log");
  return logs.flatMap((block) => block.text.trim().split("\n"));
}

/** And without what escapes a sign in a regular expression. */
function withoutTitles(test: string): string {
  return test.replaceAll(/what-if: .*? · /g, "").replaceAll("\\", "");
}

/** A test seldom has a whole line, as a part of it differs from run to run. */
function quotes(test: string, line: string): boolean {
  const starts = Array.from({ length: line.length - QUOTED + 1 }, (_, index) => index);
  return starts.some((start) => test.includes(line.slice(start, start + QUOTED)));
}

/** What stands between backticks in the first cells of tables of messages, without commands. */
function messagesOn(page: string): string[] {
  const tables = page.matchAll(/^\| (?:message|the log says|le journal dit) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm);
  return [...tables]
    .flatMap(([, rows = ""]) => rows.trim().split("\n"))
    .flatMap((row) => quotedOn(row.split(" | ")[0] ?? ""))
    .filter((text) => !text.startsWith("vigie "));
}

/** Without paths, numbers and what is left out. A line of health is put together of parts, each after its name. */
function partsOf(message: string): string[] {
  return message
    .split(/…|: |\/\S+|[\d:.()]+/)
    .map((part) => part.trim().replace(/^(?:loop|broker|data) /, ""))
    .filter((part) => part !== "");
}

/** How long a trouble has lasted is put behind the sentence that ends it. */
function isInSource(line: string): boolean {
  const sentence = line.replace(/, after …$/, "");
  // A refusal is put behind the broker's name.
  const words = [sentence, sentence.replace(/^The broker at \S+ /, "")];
  return SENTENCES.some((pattern) => words.some((one) => pattern.test(one)));
}

/** Every text of the source, with a hole where something is filled in. */
function textsOfSource(): string[] {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const text = readFileSync(join(ROOT, "src", name), "utf8").replaceAll(/` \+\s*"([^"\n]*)"/g, "$1`");
      return [...text.matchAll(/`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g)];
    })
    .map(([, template = "", plain = ""]) => template.replaceAll(FILLED_IN, HOLE) + plain);
}

/** Those that are long enough to be known by; what is filled in stands for anything. */
function sentencesOf(texts: string[]): RegExp[] {
  return texts
    .filter((text) => text.replaceAll(HOLE, "").length >= KNOWN_BY)
    .map((text) => new RegExp(`^${text.replaceAll(/[.*+?^$()|[\]\\{}]/g, "\\$&").replaceAll(HOLE, ".+")}$`));
}
