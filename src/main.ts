#!/usr/bin/env node
import { parseCommand } from "./cli/command-line.ts";
import type { Io } from "./cli/io.ts";

/** argv → command → exit code; the only place that ends the process. */
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());
// A reader that went away (`vigie show | head`) is no reason to fail.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(1));

const io: Io = {
  env: process.env,
  cwd: process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
  color: process.stdout.isTTY === true && !process.env["NO_COLOR"],
};

const { command, args } = parseCommand(process.argv.slice(2));
process.exit(await command(args, io));
