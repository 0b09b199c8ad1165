import { destination, pino } from "pino";
import { systemClock } from "./clock.ts";
import { escapeControls } from "./escape-controls.ts";
import { isReadByJournal, journalLine, plainDetails, prettyLine } from "./log-lines.ts";
import { maskSecrets } from "./mask-secrets.ts";

/** One line for each thing that happened, as a sentence for the household; `details` hold what helps to find a fault. */
export interface Log {
  debug(sentence: string, details?: object): void;
  info(sentence: string, details?: object): void;
  warn(sentence: string, details?: object): void;
  error(sentence: string, details?: object): void;
}

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
type WrittenFormat = "pretty" | "journal" | "json";
export type LogFormat = "auto" | WrittenFormat;

export interface LogOptions {
  level: LogLevel;
  format: LogFormat;
  /** `2026-01-05T06:00:00` for people, as the page and the sentences have it: a container is often in no zone. */
  wallTime: (at: number) => string;
  /** Masked wherever they appear; read again for each line. */
  secrets?: readonly string[];
}

/** Where the lines go, and what decides about their format. */
export interface LogOutput {
  write(text: string): void;
  terminal: boolean;
  env: NodeJS.ProcessEnv;
}

export function createLog(options: LogOptions, output: LogOutput = openOutput(1)): Log {
  const format: WrittenFormat = options.format === "auto" ? chooseFormat(output) : options.format;
  const isColored = output.terminal && !output.env["NO_COLOR"];
  // pino decides about levels and writes JSON; the other formats are written directly.
  const logger = pino(
    {
      level: options.level,
      base: null,
      nestedKey: "details",
      formatters: { level: (level) => ({ level }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    { write: (line) => output.write(escapeControls(line)) },
  );
  const timeNow = () => options.wallTime(systemClock.now()).replace("T", " ");
  const mask = (text: string) => maskSecrets(text, options.secrets);
  const logAt = (level: keyof Log) => (text: string, given?: object) => {
    if (!logger.isLevelEnabled(level)) return;
    const sentence = mask(text);
    const details = plainDetails(given ?? {}, mask);
    switch (format) {
      case "pretty":
        return output.write(prettyLine({ level, sentence, details }, timeNow(), isColored));
      case "journal":
        return output.write(journalLine({ level, sentence, details }));
      case "json":
        // As an argument of "%s", a sentence with a % in it is no pattern.
        return logger[level](details, "%s", sentence);
    }
  };
  return { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") };
}

/** Standard output (1) or error (2). Written synchronously: the last lines before a crash matter most. */
export function openOutput(fd: 1 | 2): LogOutput {
  const stream = destination({ dest: fd, sync: true });
  const terminal = (fd === 1 ? process.stdout : process.stderr).isTTY === true;
  return { write: (text) => stream.write(text), terminal, env: process.env };
}

export interface HeldOutput extends LogOutput {
  /** Writes what was kept, and from then on each line at once. */
  release: () => void;
}

/** Keeps the lines until they are released, at most for this long, or until the process ends: none is lost. */
export function holdOutput(output: LogOutput, longest: number): HeldOutput {
  let kept: string[] | undefined = [];
  const release = () => {
    clearTimeout(limit);
    process.off("exit", release);
    for (const text of kept ?? []) output.write(text);
    kept = undefined;
  };
  const limit = setTimeout(release, longest).unref();
  process.once("exit", release);
  return { ...output, release, write: (text) => (kept ? void kept.push(text) : output.write(text)) };
}

function chooseFormat(output: LogOutput): WrittenFormat {
  if (output.terminal) return "pretty";
  return isReadByJournal(output) ? "journal" : "json";
}
