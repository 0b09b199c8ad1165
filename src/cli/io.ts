import type { Terminal } from "../setup/person.ts";

/** What a command may touch of the world: handed in by main, so that commands can be run by tests. */
export interface Io {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Data. */
  stdout: Output;
  /** Words for a person. */
  stderr: Output;
  /** Aborts at SIGINT and SIGTERM. */
  signal: AbortSignal;
  /** Whether colours may be used on stdout. */
  color: boolean;
  /** Where a person can be asked; undefined where there is nobody. */
  readonly terminal?: Terminal | undefined;
}

export interface Output {
  /**
   * Escapes what would control a terminal. `painted`: the text holds escape sequences of vigie's own, and what came from
   * outside is escaped already.
   */
  write(text: string, how?: "painted"): unknown;
  /** A person sits there. */
  isTTY?: boolean;
}
