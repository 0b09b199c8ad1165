import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { parseCommand } from "../../src/cli/command-line.ts";
import { options } from "../../src/config/config-schema.ts";
import { FORM_LABELS } from "../../src/config/form-labels.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { listOptions } from "../../src/config/option-list.ts";
import { outputTopics } from "../../src/core/topics/output-topics.ts";
import { renderTopics } from "../../src/core/topics/render-topics.ts";
import { rougeFacts } from "../support/facts.ts";
import { type Block, blocksOf, GUIDES, readPage } from "../support/guide.ts";
import { BOILER, statusOf } from "../support/outputs.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGES = [...GUIDES.en, ...GUIDES.fr];
const PASSWORD = { VIGIE_MQTT_PASSWORD: "kept elsewhere" };
const SHIPPED = parse(readPage("config/vigie.yaml"));

describe.each(PAGES)("%s", (path) => {
  const page = readPage(path);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vigie-pages-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("leads somewhere with every link", () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(link, path))).toEqual([]);
  });

  test("names only topics that there are", () => {
    expect(topicsNamed(page).filter((name) => !isTopic(name))).toEqual([]);
  });

  test("names only variables that there are", () => {
    const known = listOptions().flatMap(({ variable }) => [variable, `${variable}_FILE`]);
    const named = [...page.matchAll(/\bVIGIE_[A-Z_]+\b/g)].map(([name]) => name);
    expect(named.filter((name) => !(known.includes(name) || READ_BY_SOMEBODY.has(name)))).toEqual([]);
  });

  test("names only commands and options that there are", async () => {
    const help = await printHelp();
    const known = new Set(["help", ...[...help.matchAll(/^ {2}vigie (\w+)/gm)].map(([, name = ""]) => name)]);
    const flags = new Set(help.match(/--[\w-]+/g));
    const wrong = commandsNamed(page).filter(
      ({ command, given }) => !(known.has(command) && given.every((flag) => flags.has(flag))),
    );
    expect(wrong).toEqual([]);
  });

  test("shows only configurations that are right", async () => {
    for (const { text } of blocksOf(page).filter(isConfiguration)) {
      const file = join(folder, "vigie.yaml");
      // A file that is named there is another one here.
      await writeFile(file, text.replaceAll(/\/etc\/vigie\/[\w.]+/g, import.meta.filename));
      const { rules, service } = parse(text);
      // Without forecasts there is a warning of each shipped rule that asks for them.
      const usual = service?.base_url === "none" ? [] : SHIPPED.rules;
      const overrides = rules === undefined ? { rules: usual } : {};
      const loaded = await loadConfig({ file, env: PASSWORD, cwd: folder, overrides, inContainer: false });
      expect(loaded.warnings).toEqual([]);
    }
  });
});

test.each([
  // Without outputs of its own, a first look has those of its simulated devices.
  { start: "  # - id: car_low", ids: ["car_low", "boiler", "heating"] },
  { start: "# outputs:\n", ids: ["boiler"] },
])("config/vigie.yaml: the example '$start' is right once its # are removed", async ({ start, ids }) => {
  const text = readPage("config/vigie.yaml");
  const [example = ""] = text.slice(text.indexOf(start)).split(/\n\n/);
  const uncommented = text.replace(example, example.replaceAll(/^( *)# /gm, "$1"));
  const folder = await mkdtemp(join(tmpdir(), "vigie-pages-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "vigie.yaml");
  await writeFile(file, uncommented);
  const { config, warnings } = await loadConfig({ file, env: {}, cwd: folder, inContainer: false });
  expect(warnings).toEqual([]);
  const found = [...config.rules, ...config.outputs.list].map(({ id }) => id);
  expect(found.filter((id) => !SHIPPED.rules.some((rule: { id: string }) => rule.id === id))).toEqual(ids);
});

test("by the rates of config/vigie.yaml, a rouge peak hour costs four times a bleu one, as the README says", () => {
  expect(readPage("README.md")).toContain("four times the usual price from 06:00 to 22:00");
  for (const { bleu, rouge } of SHIPPED.tariff.rates) expect(Math.round(rouge.hp / bleu.hp)).toBe(4);
});

/** Pages for those who change vigie. */
const DEVELOPERS = ["docs/architecture.md", "docs/development.md", "docs/figures.md"];
const OWNERS = PAGES.filter((path) => !DEVELOPERS.includes(path));

test.each([
  ["README.md", "It needs no forecast service"],
  ["docs/fr/README.md", "Aucun service de prévision n'est nécessaire"],
])("%s is short, and names the way without a service before that with one", (path, sentence) => {
  const page = readPage(path);
  expect(page.split("\n").length).toBeLessThanOrEqual(250);
  expect(page).toContain(sentence);
  expect(page.indexOf(sentence)).toBeLessThan(page.indexOf("npm ci && npm start"));
  expect(page.indexOf("base_url: none")).toBeLessThan(page.indexOf("https://forecast.example.org"));
});

test.each(OWNERS)("%s names no test", (path) => {
  expect(readPage(path)).not.toMatch(/\btest\/|npm run (test|soak)|^\*?(Tried|Shown by)\b/m);
});

test.each(["en", "fr"] as const)(
  "the guide of the app names the fields as Home Assistant shows them: %s",
  (language) => {
    const page = readPage(language === "en" ? "docs/home-assistant-os.md" : "docs/fr/home-assistant-os.md");
    const {
      language: ofPage,
      official_colors,
      service_address,
      rules,
      outputs,
      rates,
    } = FORM_LABELS[language];
    const names = [ofPage, official_colors, service_address, rules, outputs, rates].map(
      (field) => field?.name,
    );
    expect(names.filter((name) => !page.includes(`| ${name} |`))).toEqual([]);
  },
);

/** The guides that a test follows word for word. */
const FOLLOWED = PAGES.filter((path) => blocksOf(readPage(path)).some(({ mark }) => mark !== ""));

describe.each(FOLLOWED)("%s", (path) => {
  const page = readPage(path);

  test("has no command that is neither run by a test nor marked as run by hand", () => {
    const bare = blocksOf(page).filter(({ language, mark }) => language === "sh" && mark === "");
    expect(bare.map(({ text }) => text)).toEqual([]);
  });

  test("is followed: every block that a test runs or reads is named there", () => {
    const marks = blocksOf(page).flatMap(({ mark }) => /^(?:run|file): (.*)/.exec(mark)?.[1] ?? []);
    const tests = ["test/guides", "test/page"].flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
    );
    const text = tests.map(readPage).join("\n");
    expect(marks.filter((name) => !text.includes(`"${name}"`))).toEqual([]);
  });
});

function linksOf(page: string): string[] {
  return [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link));
}

function leadsSomewhere(link: string, from: string): boolean {
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchorsOf(readPage(path)).includes(anchor);
}

/** As GitHub makes them of titles: the second one of a page that is the same ends with -1. */
function anchorsOf(page: string): string[] {
  const anchors = [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return anchors.map((anchor, index) => {
    const before = anchors.slice(0, index).filter((other) => other === anchor).length;
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

function withoutCode(page: string): string {
  return page.replaceAll(/^( *)```[\s\S]*?^\1```/gm, "");
}

/** Beside the options: what vigie or its tests read from the environment by name. */
const READ_BY_SOMEBODY = new Set(
  ["src", "test"]
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readPage(join(folder, name))),
    )
    .flatMap((text) => [...text.matchAll(/env\["(VIGIE_[A-Z_]+)"\]/g)].map(([, name = ""]) => name)),
);

const NAMES = [
  ...renderTopics(rougeFacts(), { grace: 0, laws: "off" }).keys(),
  ...["availability", "owner", "owner/ping", "event", "refresh/set", "simulation/set"],
  ...SHIPPED.rules.flatMap(({ id, threshold }: { id: string; threshold?: number }) => [
    `rules/${id}`,
    ...["state", "since", "next_on", "next_off", "plan", "enabled", "enabled/set"].map(
      (part) => `rules/${id}/${part}`,
    ),
    ...(threshold === undefined ? [] : [`rules/${id}/threshold`, `rules/${id}/threshold/set`]),
  ]),
  ...outputTopics([statusOf(BOILER)]).map(([topic]) => topic),
];
const HEADS = new Set(NAMES.filter((name) => name.includes("/")).map((name) => name.split("/")[0]));

/** With the base topic before them anywhere, without it between backticks. */
function topicsNamed(page: string): string[] {
  const whole = [...page.matchAll(/(?<![\w/~.-])vigie\/([\w/+#<>.-]+)/g)];
  const bare = [...withoutCode(page).matchAll(/`([a-z0-9_]+\/[\w/+#<>-]+)`/g)];
  return [...whole, ...bare.filter(([, name = ""]) => HEADS.has(name.split("/")[0] ?? ""))]
    .map(([, name = ""]) => name)
    .filter((name) => !/\/$|\.(yaml|md|ts|service)$/.test(name))
    .map((name) => name.replace(/\.$/, ""));
}

/** `<id>` and the wildcards of MQTT stand for one that there is. */
function isTopic(name: string): boolean {
  const pattern = name.replaceAll("<id>", "+").replaceAll("+", "[^/]+").replace(/#$/, ".*");
  return NAMES.some((known) => new RegExp(`^${pattern}$`).test(known));
}

interface Named {
  command: string;
  given: string[];
}

function commandsNamed(page: string): Named[] {
  const typed = [...page.matchAll(/(?:^\s*(?:\$ )?|`)npx vigie ([a-z-][^\n`#|&]*)/gm)];
  const quoted = [...page.matchAll(/`vigie ([a-z][^\n`]*)`/g)];
  return [...typed, ...quoted].map(([, words = ""]) => {
    const [first = ""] = words.split(/\s/);
    return { command: first.startsWith("-") ? "run" : first, given: words.match(/--[\w-]+/g) ?? [] };
  });
}

async function printHelp(): Promise<string> {
  let text = "";
  const place = { write: (part: string) => (text += part) };
  const { command, args } = parseCommand(["--help"]);
  const signal = new AbortController().signal;
  await command(args, { env: {}, cwd: "/", stdout: place, stderr: place, signal, color: false });
  return text;
}

function isConfiguration({ language, text }: Block): boolean {
  if (language !== "yaml" || text.includes("!input")) return false;
  const content: unknown = parse(text);
  if (typeof content !== "object" || content === null || Array.isArray(content)) return false;
  return Object.keys(content).every((key) => key in options.shape);
}
