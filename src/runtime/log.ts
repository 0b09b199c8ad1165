import type { LogFormat, LogLevel } from "../config/config.ts";

/** One line a thing that happened, in words an owner understands; `details` for those who look closer. */
export interface Log {
  debug(sentence: string, details?: object): void;
  info(sentence: string, details?: object): void;
  warn(sentence: string, details?: object): void;
  error(sentence: string, details?: object): void;
}

export interface LogOptions {
  level: LogLevel;
  format: LogFormat;
}
