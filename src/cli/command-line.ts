import { nearest } from "../config/nearest-word.ts";
import { hearReloadSignal } from "../runtime/reload-signal.ts";
import { keepBuffersSmall } from "../runtime/small-buffers.ts";
import type { Io } from "./io.ts";
import { nearestOption } from "./usage.ts";

export type Command = (args: string[], io: Io) => Promise<number>;

/**
 * The command that a command line names; options may stand before it. Each command is imported only when it is used: a
 * small machine starts sooner.
 */
export function parseCommand(argv: string[]): { command: Command; args: string[] } {
  const before = countOptionsBefore(argv);
  const name = argv[before];
  const args = [...argv.slice(0, before), ...argv.slice(before + 1)];
  const isGiven = (...names: string[]) => args.some((arg) => names.includes(arg));
  const [topic] = args;
  const isAboutNothing = name === "help" && topic !== undefined && !findCommand(topic);
  if (isAboutNothing) return { command: refuse(topic, []), args: [] };
  if (name === "help") return { command: printHelp, args };
  if (name === undefined && isGiven("--help", "-h")) return { command: printHelp, args: [] };
  if (name === undefined && isGiven("--version", "-V")) return { command: printVersion, args: [] };
  if (name === undefined) return { command: run, args };
  const row = findCommand(name);
  if (!row) return { command: refuse(name, argv.slice(0, before)), args };
  if (isGiven("--help", "-h")) return { command: printHelp, args: [name] };
  if (isGiven("--version")) return { command: printVersion, args: [] };
  return { command: row.load, args };
}

function findCommand(word: string): CommandRow | undefined {
  return COMMANDS.find(({ name }) => name === word);
}

/** How many words before the command are options, or the file of `--config`. */
function countOptionsBefore(argv: readonly string[]): number {
  const index = argv.findIndex((word, at) => !word.startsWith("-") && argv[at - 1] !== "--config");
  return index < 0 ? argv.length : index;
}

const run: Command = async (args, io) => {
  // Before anything else is loaded: until then SIGHUP ends the process.
  const reloadSignal = hearReloadSignal();
  keepBuffersSmall();
  return (await import("./run.ts")).run(args, io, reloadSignal);
};

interface CommandRow {
  name: string;
  usage: string;
  does: string;
  /** Each option, where one line is not enough: shown by `--help` of this command. */
  options?: readonly (readonly [option: string, does: string])[];
  load: Command;
}

const SIMULATOR_OPTIONS = [
  ["--port 8787", "where it listens, on 127.0.0.1; 0 takes a free port"],
  ["--seed N", "other invented days; the same number always gives the same days (default 1)"],
  ["--from TIME", "what its clock shows at the start: 2026-01-04T23:00 (Paris time) or 2026-01-04T22:00:00Z"],
  ["--speed N", "how many times as fast as real time its clock runs, at most 100000"],
  ["--days FILE.csv", "days given by hand: a first line date,color, then lines such as 2026-01-06,rouge"],
  ["", "(bleu, blanc or rouge); every other day is invented"],
  ["--official-at 10:30", "when the colour of the next day becomes official (Paris time)"],
  ["", "--from and --speed move only the simulator's clock: vigie goes on by the clock of its machine"],
] as const;

const SIMULATE_OPTIONS = [
  ["--for 1h", "how long, 1s to 24h (default 1h); it ends with the pretended day at the latest"],
] as const;

const DEMO_OPTIONS = [
  [
    "--from TIME",
    "what its clock shows at the start: 2026-01-20T20:00 (time of the tariff) or 2026-01-20T19:00:00Z;",
  ],
  ["", "default: the evening before a rouge day"],
  [
    "--speed N",
    "how many times as fast as real time it runs, 1 to 100000 (default 720: a day in two minutes)",
  ],
  ["--config FILE", "shows the rules, outputs and tariff of this file; nothing else of it is used"],
] as const;

const SETUP_OPTIONS = [
  ["--service ADDRESS", "the address of a forecast service, or none: official colours only"],
  ["--official rte", "where official colours are read: rte (default), off, or an address"],
  ["--broker ADDRESS", "mqtt://192.0.2.10:1883, mqtts://…, or only a host name"],
  ["--username NAME", "the user at the broker"],
  ["--password-file FILE", "holds the password at the broker"],
  ["--ca-file FILE", "the certificate of your own authority, for mqtts://"],
  ["--language fr|en", "of the set-up, and of the names in Home Assistant (default: the system's)"],
  ["--device DEVICE", "a device to switch off; may be given several times:"],
  ["", "use=boiler,kind=tasmota,place=boiler"],
  ["", "use=car,kind=shelly_gen1,place=shellies/garage,relay=1,id=car,name=Wallbox"],
  ["", "use=heating,kind=other,topic=heating/set,payload=17,else=20,report=heating/state"],
  ["", "use: boiler, car, heating or other. kind: shelly_gen1, shelly_gen2, tasmota, zigbee2mqtt, esphome,"],
  ["", "openbeken (with place, and relay if it has several) or other (with topic, payload, else, report)"],
  ["--message MESSAGE", "a message to a phone before each rouge day; may be given several times:"],
  ["", "kind=ntfy,server=https://ntfy.example.org,secret_file=/etc/vigie/ntfy"],
  [
    "",
    "kind: ntfy, gotify, home_assistant, matrix (with to), telegram (with to), signal (with from and to),",
  ],
  ["", "mqtt (with to, a topic)"],
  [
    "--try",
    "switches each of these devices off and on again, and says whether it confirms; sends a test to each phone",
  ],
  ["--config FILE", "the file that is written (default: the one that vigie reads)"],
  ["--yes", "asks nothing, and replaces a file that exists; a copy of it is kept"],
] as const;

const COMMANDS: readonly CommandRow[] = [
  {
    name: "run",
    usage: "[--take-over]",
    does: "poll the service and publish topics until it is stopped (the daemon)",
    load: run,
  },
  {
    name: "once",
    usage: "[--dry-run]",
    does: "poll once, publish, print each topic that changes, and end; --dry-run only prints, also beside a running vigie",
    load: async (args, io) => (await import("./once.ts")).once(args, io),
  },
  {
    name: "check",
    usage: "[--live]",
    does: "check the configuration; --live also sends requests to both sources and the broker",
    load: async (args, io) => (await import("./check.ts")).check(args, io),
  },
  {
    name: "show",
    usage: "[--watch] [--json]",
    does: "show what a running vigie has published, as a page for people",
    load: async (args, io) => (await import("./show.ts")).show(args, io),
  },
  {
    name: "explain",
    usage: "[--at TIME] [--pretend COLOR[:next]] [RULE…] [--json]",
    does: "show the verdict of each rule as a tree, with the value of each condition; --pretend: as if the day were of that colour",
    load: async (args, io) => (await import("./explain.ts")).explain(args, io),
  },
  {
    name: "simulate",
    usage: "COLOR[:next]|auto [--for 1h]",
    does: "let the running vigie pretend a colour, to try rules and devices: of the tariff day in force, or of the next one (rouge:next); auto ends that",
    options: SIMULATE_OPTIONS,
    load: async (args, io) => (await import("./simulate.ts")).simulate(args, io),
  },
  {
    name: "season",
    usage: "[LABEL] [--json]",
    does: "show how many days of each colour are left, as the service says",
    load: async (args, io) => (await import("./season.ts")).season(args, io),
  },
  {
    name: "history",
    usage: "[--from D] [--to D] [--json]",
    does: "show official colours beside what the service had predicted",
    load: async (args, io) => (await import("./history.ts")).history(args, io),
  },
  {
    name: "day",
    usage: "DATE|today|tomorrow [--json]",
    does: "show what the sources say of one date; what vigie itself has learnt where they do not answer",
    load: async (args, io) => (await import("./day.ts")).day(args, io),
  },
  {
    name: "demo",
    usage: "[--from TIME] [--speed N]",
    does: "show winter days go by, one in two minutes: invented days on a fast clock, with your rules or the example's; nothing is sent to a device",
    options: DEMO_OPTIONS,
    load: async (args, io) => (await import("./demo.ts")).demo(args, io),
  },
  {
    name: "setup",
    usage:
      "[--service ADDRESS|none] [--official rte] [--broker ADDRESS] [--username NAME] [--password-file FILE] [--ca-file FILE] [--language fr|en] [--device DEVICE]… [--message MESSAGE]… [--try] [--yes]",
    does: "ask for service, broker, devices and messages, try each answer at once, and write the configuration; each question is also an option",
    options: SETUP_OPTIONS,
    load: async (args, io) => (await import("./setup.ts")).setup(args, io),
  },
  {
    name: "simulator",
    usage: "[--port 8787] [--seed N] [--from TIME] [--speed N] [--days FILE.csv] [--official-at 10:30]",
    does: "serve invented days, as a forecast service and as RTE does, to try any client against",
    options: SIMULATOR_OPTIONS,
    load: async (args, io) => (await import("./simulator.ts")).simulator(args, io),
  },
  {
    name: "health",
    usage: "",
    does: "show in one line, and by exit code, whether the running vigie is well",
    load: async (args, io) => (await import("./health.ts")).health(args, io),
  },
  {
    name: "purge",
    usage: "[--instance NAME]",
    does: "clear everything of this instance from the broker",
    load: async (args, io) => (await import("./purge.ts")).purge(args, io),
  },
  {
    name: "schema",
    usage: "",
    does: "print the JSON schema of the configuration file",
    load: async (args, io) => (await import("./schema.ts")).schema(args, io),
  },
  {
    name: "home-assistant-app",
    usage: "",
    does: "what the container of the Home Assistant app runs: run, with the options of its form and the broker of Home Assistant",
    load: async (args, io) => {
      const reloadSignal = hearReloadSignal();
      keepBuffersSmall();
      return (await import("./home-assistant-app.ts")).homeAssistantApp(args, io, reloadSignal);
    },
  },
];

const printHelp: Command = async ([name], io) => {
  const rows = name === undefined ? COMMANDS : COMMANDS.filter((row) => row.name === name);
  io.stdout.write(`usage: vigie [${name ?? "command"}] [options]\n\n`);
  for (const { name: word, usage, does, options } of rows) {
    io.stdout.write(`  vigie ${`${word} ${usage}`.trim()}\n      ${does}\n`);
    for (const [option, words] of name === undefined ? [] : (options ?? []))
      io.stdout.write(`      ${option.padEnd(21)}${words}\n`);
  }
  io.stdout.write(`\n${EVERYWHERE}\n`);
  return 0;
};

const EVERYWHERE = `Everywhere: --config FILE, --help, --version.
Without a command: run. Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 another vigie owns this base topic or this state folder.`;

const printVersion: Command = async (_args, io) => {
  const { VERSION } = await import("../runtime/version.ts");
  io.stdout.write(`${VERSION}\n`);
  return 0;
};

function refuse(word: string, before: readonly string[]): Command {
  return async (_args, io) => {
    io.stderr.write(`vigie: ${describeRefusal(word, before)}\n`);
    return 2;
  };
}

function describeRefusal(word: string, before: readonly string[]): string {
  const options = [...`${COMMANDS.map(({ usage }) => usage)} ${EVERYWHERE}`.matchAll(/--([a-z-]+)/g)];
  const known = options.map(([, name = ""]) => name);
  const unknown = before.find((one) => one.startsWith("-") && !known.includes(optionName(one)));
  if (unknown !== undefined) {
    const near = nearestOption(optionName(unknown), known);
    const meant = near === undefined ? "" : ` (did you mean --${near}?)`;
    return `Unknown option '${unknown}'${meant} (vigie --help lists the commands and their options)`;
  }
  const near = nearest(
    word,
    COMMANDS.map(({ name }) => name),
  );
  const meant = near === undefined ? "" : `; did you mean '${near}'?`;
  const hasOwnOptions = before.some((one) => one.startsWith("-") && optionName(one) !== "config");
  const order = hasOwnOptions ? ". Write the options of a command after it" : "";
  return `there is no command '${word}'${meant} (vigie --help lists them)${order}`;
}

/** `config` of `--config=FILE`. */
function optionName(word: string): string {
  return word.replace(/^-+/, "").replace(/=.*$/s, "");
}
