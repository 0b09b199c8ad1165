import { createHash } from "node:crypto";
import { constants, openSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { devNull } from "node:os";
import { text } from "node:stream/consumers";
import { deadline } from "../runtime/wait.ts";

/** A file as it was read: the watch of its changes begins with what is in force. */
export interface ReadFile {
  /** Absolute. */
  path: string;
  fingerprint: string;
}

interface FileText {
  text: string;
  read: ReadFile;
}

/**
 * The text of a file, or of a pipe such as `/dev/stdin` and `<(…)` of a shell. Another special file is refused: a
 * terminal waits for somebody to type, and `/dev/zero` has no end.
 */
export async function readText(path: string, signal: AbortSignal = NEVER): Promise<FileText> {
  const found = await stat(path);
  if (found.isFIFO()) return { text: await readPipe(path, signal), read: { path, fingerprint: NO_FILE } };
  if (found.isCharacterDevice() && path !== devNull)
    throw new Error("it is a terminal or a device, not a file");
  if (found.isSocket() || found.isBlockDevice()) throw new Error("it is a socket or a device, not a file");
  const text = await readFile(path, "utf8");
  return { text, read: { path, fingerprint: found.isFile() ? hash(text) : NO_FILE } };
}

/** A pipe cannot be read twice: it never changes. */
export async function readFingerprint(path: string): Promise<string> {
  try {
    return (await stat(path)).isFile() ? hash(await readFile(path, "utf8")) : NO_FILE;
  } catch {
    return NO_FILE;
  }
}

export const NO_FILE = "no file";

/** The content itself is not kept: some of these files hold secrets. */
function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const NEVER = new AbortController().signal;

async function readPipe(path: string, signal: AbortSignal): Promise<string> {
  // A blocking open would wait for a writer, and no signal could end the process meanwhile.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const pipe = new Socket({ fd, readable: true, writable: false });
  const limit = deadline(PIPE_LIMIT, signal, () => {
    return new Error(`it is a pipe whose end did not come within ${PIPE_LIMIT / 1000} s`);
  });
  limit.signal.addEventListener("abort", () => {
    const stopped = new Error("it is a pipe, and vigie was stopped while it waited for the end of it");
    pipe.destroy(signal.aborted ? stopped : limit.signal.reason);
  });
  try {
    const content = await text(pipe);
    if (content === "") throw new Error("it is a pipe into which nobody writes, or no longer");
    return content;
  } finally {
    limit.clear();
    pipe.destroy();
  }
}

const PIPE_LIMIT = 10_000;
