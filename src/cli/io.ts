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
}

export interface Output {
  write(text: string): unknown;
  /** A person sits there. */
  isTTY?: boolean;
}
