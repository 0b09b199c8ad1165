import { randomBytes } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { describeDiskError, hasCode } from "./disk-errors.ts";
import { makeFolder } from "./files.ts";
import { answerSocket, askSocket, openSocketFolder, type SocketFolder } from "./lock-socket.ts";

/** `none`: this folder cannot hold a lock, and why. */
export type Lock = { release(): Promise<void> } | { heldBy: string } | { none: string };

/**
 * At most one vigie for each state folder, until it releases the lock or its process ends in whatever way.
 *
 * The lock is an election among processes, by unix sockets in the folder:
 * 1. Each candidate listens on a socket of its own, first under a hidden name, then under a visible one.
 * 2. Then it asks every other visible socket. One that refuses the connection belongs to a process that has ended: its
 *    file is removed. The others answer "taken by …" or "free".
 * 3. A holder answers "taken". Between two candidates, the one with the smaller random id wins. As each asks only after
 *    its own socket is visible, at least one of any two sees the other.
 *
 * This needs no clock and no process ids, and works between containers that share the folder. `words` describe this
 * process to the ones that it keeps out.
 */
export async function takeLock(folder: string, words: string, signal = NEVER): Promise<Lock> {
  let sockets: SocketFolder | undefined;
  let candidate: Candidate | undefined;
  try {
    await makeFolder(folder);
    sockets = await openSocketFolder(folder);
    candidate = await becomeCandidate(sockets, words.replaceAll(/\s+/g, " "));
    await askOtherCandidates(candidate, sockets, signal);
  } catch (error) {
    await withdraw(candidate, sockets);
    if (!(error instanceof Error) || signal.aborted) throw error;
    return { none: describeDiskError(error) };
  }
  if (candidate.state === "lost") {
    await withdraw(candidate, sockets);
    return { heldBy: candidate.lostTo || "another vigie that does not answer" };
  }
  candidate.state = "holder";
  candidate.server.unref();
  await removeHiddenSockets(sockets, signal);
  return { release: () => withdraw(candidate, sockets) };
}

interface Candidate {
  id: string;
  words: string;
  server: Server;
  state: "asking" | "holder" | "lost";
  /** The words of the process that won. */
  lostTo: string;
}

/** A socket is made visible only once it listens. So a visible one that refuses has no process any more. */
async function becomeCandidate(sockets: SocketFolder, words: string): Promise<Candidate> {
  const id = randomBytes(6).toString("hex");
  const server = createServer((socket) => answerSocket(socket, (question) => answer(candidate, question)));
  const candidate: Candidate = { id, words, server, state: "asking", lostTo: "" };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(sockets.address(HIDDEN + id), resolve);
  });
  try {
    await rename(sockets.path(HIDDEN + id), sockets.path(VISIBLE + id));
    return candidate;
  } catch (error) {
    server.close();
    // A holder that was just removing hidden sockets took this one for a leftover.
    if (hasCode(error, "ENOENT")) return becomeCandidate(sockets, words);
    throw error;
  }
}

async function askOtherCandidates(
  candidate: Candidate,
  sockets: SocketFolder,
  signal: AbortSignal,
): Promise<void> {
  for (const name of await readdir(sockets.folder)) {
    if (!VISIBLE_NAME.test(name) || name === VISIBLE + candidate.id) continue;
    const other = await askSocket(sockets.address(name), `${candidate.id} ${candidate.words}`, signal);
    if (!other.alive) await rm(sockets.path(name), { force: true });
    else if (other.line !== FREE) lose(candidate, other.line.slice(TAKEN.length));
    if (candidate.state === "lost") return;
  }
}

/** The question is the id and the words of another candidate. */
function answer(candidate: Candidate, question: string): string {
  const [id = ""] = question.split(" ", 1);
  if (candidate.state === "asking" && id < candidate.id) lose(candidate, question.slice(id.length + 1));
  return candidate.state === "lost" ? FREE : TAKEN + candidate.words;
}

function lose(candidate: Candidate, lostTo: string): void {
  candidate.state = "lost";
  candidate.lostTo = lostTo;
}

/** Removes the sockets of processes that were killed before theirs became visible. */
async function removeHiddenSockets(sockets: SocketFolder, signal: AbortSignal): Promise<void> {
  const names = (await readdir(sockets.folder)).filter((name) => HIDDEN_NAME.test(name));
  for (const name of names) {
    const { alive } = await askSocket(sockets.address(name), HIDDEN, signal);
    if (!alive) await rm(sockets.path(name), { force: true });
  }
}

async function withdraw(candidate: Candidate | undefined, sockets: SocketFolder | undefined): Promise<void> {
  if (candidate && sockets) await rm(sockets.path(VISIBLE + candidate.id), { force: true });
  candidate?.server.close();
  await sockets?.close();
}

const NEVER = new AbortController().signal;
const VISIBLE = "lock-";
const HIDDEN = ".lock-";
const VISIBLE_NAME = /^lock-[\da-f]{12}$/;
const HIDDEN_NAME = /^\.lock-[\da-f]{12}$/;
const FREE = "free";
const TAKEN = "taken by ";
