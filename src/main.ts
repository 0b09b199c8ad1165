#!/usr/bin/env node
import { parseCommand } from "./cli/command-line.ts";
import type { Io, Output } from "./cli/io.ts";
import { escapeControls } from "./runtime/escape-controls.ts";
import { aborted } from "./runtime/wait.ts";

/** argv → command → exit code; the only place that ends the process. */
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());
// A reader that went away (`vigie show | head`) is no reason to fail. Where a terminal was closed, a command still has to end
// in order: a set-up sets back the device that it tries.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", () => (stream.isTTY ? stop.abort() : process.exit(1)));

const open = (stream: NodeJS.WriteStream): Output => ({
  isTTY: stream.isTTY === true,
  write: (text, how) => stream.write(how === "painted" ? text : escapeControls(text)),
});
const io: Io = {
  env: process.env,
  cwd: process.cwd(),
  stdout: open(process.stdout),
  stderr: open(process.stderr),
  signal: stop.signal,
  color: process.stdout.isTTY === true && !process.env["NO_COLOR"],
  // Only who asks opens the input.
  get terminal() {
    const { stdin: input, stdout: output } = process;
    return input.isTTY && output.isTTY ? { input, output } : undefined;
  },
};

const { command, args } = parseCommand(process.argv.slice(2));
const code = await command(args, io);
// A pipe takes 64 KiB at once: what still waits for its reader would be lost with the process.
const written = [process.stdout, process.stderr].map((stream) => new Promise((end) => stream.write("", end)));
await Promise.race([Promise.all(written), aborted(stop.signal)]);
process.exit(code);
