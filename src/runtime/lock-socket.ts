import { open } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { deadline } from "./wait.ts";

/** A folder of unix sockets. Each socket has a path as a file, and an address to listen on and to connect to. */
export interface SocketFolder {
  folder: string;
  path(name: string): string;
  address(name: string): string;
  close(): Promise<void>;
}

/** The address is the path, unless the path is too long for a socket. */
export async function openSocketFolder(folder: string): Promise<SocketFolder> {
  const path = (name: string) => join(folder, name);
  if (Buffer.byteLength(path("x".repeat(LONGEST_NAME))) <= LONGEST_ADDRESS) {
    return { folder, path, address: path, close: () => Promise.resolve() };
  }
  if (process.platform !== "linux") {
    throw new Error(`Expected a path of at most ${LONGEST_ADDRESS - LONGEST_NAME - 1} bytes, got ${folder}`);
  }
  // Linux offers a short path to every open folder.
  const handle = await open(folder, "r");
  const address = (name: string) => `/proc/self/fd/${handle.fd}/${name}`;
  return { folder, path, address, close: () => handle.close() };
}

/** `alive: false`: no process listens there any more. An empty line: one listens, but did not answer in time. */
export type SocketAnswer = { alive: true; line: string } | { alive: false };

/** Sends one line to the process that listens there and reads one line of answer. */
export async function askSocket(
  address: string,
  question: string,
  parent: AbortSignal,
): Promise<SocketAnswer> {
  const timeout = deadline(ANSWER_TIMEOUT, parent, () => new Error("The other vigie does not answer"));
  try {
    for (;;) {
      const answer = await askOnce(address, question, timeout.signal);
      if (answer) return answer;
    }
  } catch (error) {
    if (timeout.signal.aborted && !parent.aborted) return { alive: true, line: "" };
    throw error;
  } finally {
    timeout.clear();
  }
}

/** Answers the one line of this connection. A connection that sends nothing does not keep this process running. */
export function answerSocket(socket: Socket, answer: (question: string) => string): void {
  socket.unref();
  socket.on("error", () => socket.destroy());
  readLine(socket, (question) => socket.end(`${answer(question)}\n`));
}

/** undefined where the other process ended while it was asked: a second attempt finds nobody. */
function askOnce(address: string, question: string, signal: AbortSignal): Promise<SocketAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(address, () => socket.write(`${question}\n`));
    const finish = (settle: () => void) => {
      signal.removeEventListener("abort", abort);
      socket.destroy();
      settle();
    };
    const abort = () => finish(() => reject(signal.reason));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const { code = "" } = error;
      if (NOBODY_LISTENS.includes(code)) finish(() => resolve({ alive: false }));
      else if (ENDED_MEANWHILE.includes(code)) finish(() => resolve(undefined));
      else if (code === QUEUE_IS_FULL) finish(() => resolve({ alive: true, line: "" }));
      else finish(() => reject(error));
    });
    socket.on("close", () => finish(() => resolve(undefined)));
    readLine(socket, (line) => finish(() => resolve({ alive: true, line })));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
}

/** Calls back once, with the first line; a line that is too long counts as empty. */
function readLine(socket: Socket, receive: (line: string) => void): void {
  let text = "";
  const read = (part: string) => {
    text += part;
    const end = text.indexOf("\n");
    if (end < 0 && text.length <= LONGEST_LINE) return;
    socket.off("data", read);
    receive(end < 0 ? "" : text.slice(0, end));
  };
  socket.setEncoding("utf8").on("data", read);
}

/** Some systems allow 103 bytes, and cut off the rest without an error. */
const LONGEST_ADDRESS = 100;
const LONGEST_NAME = 20;
const LONGEST_LINE = 1000;
const ANSWER_TIMEOUT = 60_000;
const NOBODY_LISTENS = ["ECONNREFUSED", "ENOENT"];
const ENDED_MEANWHILE = ["ECONNRESET", "EPIPE"];
/** The other process exists, for connections wait for it. It may be suspended. */
const QUEUE_IS_FULL = "EAGAIN";
