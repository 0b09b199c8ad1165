import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { constants, openSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { devNull } from "node:os";
import { buffer } from "node:stream/consumers";
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

interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** Bytes. */
  largest?: number;
}

/**
 * The text of a file, or of a pipe such as `/dev/stdin` and `<(…)` of a shell. Another special file is refused: a
 * terminal waits for somebody to type, and `/dev/zero` has no end.
 */
export async function readText(
  path: string,
  { signal = NEVER, largest = Number.POSITIVE_INFINITY }: ReadOptions = {},
): Promise<FileText> {
  const found = await stat(path);
  if (found.size > largest) throw new Error(`it is larger than ${largest / 1024} KB`);
  if (found.isFIFO())
    return { text: decode(await readPipe(path, signal)), read: { path, fingerprint: NO_FILE } };
  if (found.isCharacterDevice() && path !== devNull)
    throw new Error("it is a terminal or a device, not a file");
  if (found.isSocket() || found.isBlockDevice()) throw new Error("it is a socket or a device, not a file");
  const content = await readFile(path);
  return { text: decode(content), read: { path, fingerprint: found.isFile() ? hash(content) : NO_FILE } };
}

/** In another encoding each letter beyond ASCII would become another one, also in a name, a topic or a password. */
function decode(content: Buffer): string {
  const text = content.toString("utf8");
  if (content.includes(0)) throw new Error("it is in UTF-16: save it as UTF-8");
  if (isUtf8(content)) return text;
  const line = text.slice(0, text.indexOf("\uFFFD")).split("\n").length;
  throw new Error(`it is not in UTF-8, first in line ${line}: save it as UTF-8`);
}

/** The one value that a file holds: its text without the line end that editors add. */
export async function readValue(path: string, signal?: AbortSignal): Promise<FileText> {
  const { text, read } = await readText(path, { signal });
  return { text: text.replace(/\r?\n$/, ""), read };
}

/** A pipe cannot be read twice: it never changes. */
export async function readFingerprint(path: string): Promise<string> {
  try {
    return (await stat(path)).isFile() ? hash(await readFile(path)) : NO_FILE;
  } catch {
    return NO_FILE;
  }
}

export const NO_FILE = "no file";

/** The content itself is not kept: some of these files hold secrets. */
function hash(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

const NEVER = new AbortController().signal;

async function readPipe(path: string, signal: AbortSignal): Promise<Buffer> {
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
    const content = await buffer(pipe);
    if (content.length === 0) throw new Error("it is a pipe into which nobody writes, or no longer");
    return content;
  } finally {
    limit.clear();
    pipe.destroy();
  }
}

const PIPE_LIMIT = 10_000;
