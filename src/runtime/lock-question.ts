import { connect, type Socket } from "node:net";
import { deadline } from "./wait.ts";

/** One line asked, one line answered. */
export type Answer = { alive: true; line: string } | { alive: false };

/** Asks whoever listens there. Nobody can, or does any more: not alive. Alive and silent: an empty line. */
export async function askSocket(address: string, question: string, parent: AbortSignal): Promise<Answer> {
  const { signal, clear } = deadline(PATIENCE, parent, () => new Error(SILENT));
  try {
    for (;;) {
      const answer = await askOnce(address, question, signal);
      if (answer) return answer;
    }
  } catch (error) {
    if (signal.aborted && !parent.aborted) return { alive: true, line: "" };
    throw error;
  } finally {
    clear();
  }
}

/** Answers each question with one line; whoever asks nothing keeps nothing alive. */
export function answerSocket(socket: Socket, answer: (question: string) => string): void {
  socket.unref();
  socket.on("error", () => socket.destroy());
  readLine(socket, (question) => socket.end(`${answer(question)}\n`));
}

/** Undefined where the other one left in the middle: asked again, it does not answer at all. */
function askOnce(address: string, question: string, signal: AbortSignal): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(address, () => socket.write(`${question}\n`));
    const finish = (settle: () => void) => {
      signal.removeEventListener("abort", stop);
      socket.destroy();
      settle();
    };
    const stop = () => finish(() => reject(signal.reason));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const { code = "" } = error;
      if (GONE.includes(code)) finish(() => resolve({ alive: false }));
      else if (LEFT.includes(code)) finish(() => resolve(undefined));
      else if (code === CROWDED) finish(() => resolve({ alive: true, line: "" }));
      else finish(() => reject(error));
    });
    socket.on("close", () => finish(() => resolve(undefined)));
    readLine(socket, (line) => finish(() => resolve({ alive: true, line })));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}

function readLine(socket: Socket, take: (line: string) => void): void {
  let text = "";
  const read = (part: string) => {
    text += part;
    const end = text.indexOf("\n");
    if (end < 0 && text.length <= LONGEST_LINE) return;
    socket.off("data", read);
    take(end < 0 ? "" : text.slice(0, end));
  };
  socket.setEncoding("utf8").on("data", read);
}

const GONE = ["ECONNREFUSED", "ENOENT"];
const LEFT = ["ECONNRESET", "EPIPE"];
/** More questions wait than the other one took up: it is alive, if only as a process. */
const CROWDED = "EAGAIN";
const LONGEST_LINE = 1000;
const PATIENCE = 60_000;
const SILENT = "The other vigie does not answer";
