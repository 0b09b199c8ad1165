import { destination, pino } from "pino";
import { isForJournal } from "./journal.ts";
import { plainDetails } from "./log-details.ts";
import { journalLine, prettyLine } from "./log-line.ts";
import { maskSecrets } from "./mask-secrets.ts";

/** One line a thing that happened, in words an owner understands; `details` for those who look closer. */
export interface Log {
  debug(sentence: string, details?: object): void;
  info(sentence: string, details?: object): void;
  warn(sentence: string, details?: object): void;
  error(sentence: string, details?: object): void;
}

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
export type LogFormat = "auto" | "pretty" | "journal" | "json";

export interface LogOptions {
  level: LogLevel;
  format: LogFormat;
  /** Masked wherever they appear; read anew at each line. */
  secrets?: readonly string[];
}

/** Where the lines go, and what of the surroundings decides how they look. */
export interface LogPlace {
  write(text: string): void;
  terminal: boolean;
  env: NodeJS.ProcessEnv;
}

export function createLog(options: LogOptions, place: LogPlace = logPlace(1)): Log {
  const format = chooseFormat(options.format, place);
  const colored = place.terminal && !place.env["NO_COLOR"];
  const write = (json: string) => place.write(present(json, format, colored));
  const logger = pino(
    {
      level: options.level,
      base: null,
      nestedKey: "details",
      formatters: { level: (level) => ({ level }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    { write },
  );
  const mask = (text: string) => maskSecrets(text, options.secrets);
  const say = (level: keyof Log) => (sentence: string, details?: object) => {
    if (!logger.isLevelEnabled(level)) return;
    // An empty object leaves no trace; the arguments keep a % in a sentence from being a placeholder.
    logger[level](plainDetails(details ?? {}, mask), "%s", mask(sentence));
  };
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}

/** Standard output or error. Written at once: the last words before a death are the ones that matter. */
export function logPlace(fd: 1 | 2): LogPlace {
  const stream = destination({ dest: fd, sync: true });
  const terminal = (fd === 1 ? process.stdout : process.stderr).isTTY === true;
  return { write: (text) => stream.write(text), terminal, env: process.env };
}

function chooseFormat(format: LogFormat, { terminal, env }: LogPlace): Exclude<LogFormat, "auto"> {
  if (format !== "auto") return format;
  if (terminal) return "pretty";
  return isForJournal(terminal, env) ? "journal" : "json";
}

function present(json: string, format: Exclude<LogFormat, "auto">, colored: boolean): string {
  switch (format) {
    case "pretty":
      return prettyLine(json, colored);
    case "journal":
      return journalLine(json);
    case "json":
      return json;
  }
}
