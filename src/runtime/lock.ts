import { randomBytes } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { describeDiskError } from "./disk-errors.ts";
import { hasCode } from "./error-code.ts";
import { answerSocket, askSocket } from "./lock-question.ts";
import { makeFolder } from "./make-folder.ts";
import { openSocketFolder, type SocketFolder } from "./socket-folder.ts";

/** `none`: this folder cannot hold a lock, and why. */
export type Lock = { release(): Promise<void> } | { heldBy: string } | { none: string };

/**
 * One vigie a state folder on a host, until released or until this process ends in whatever way. Every candidate listens
 * on a socket of its own in the folder, then asks all the others there: one that refuses belongs to the dead and is
 * removed, the living answer. As each asks only once its own socket can be seen, of two at least one sees the other; of
 * those still asking the smaller name goes first. It needs no clock, and containers that share the folder see each other.
 * `words` name this one to those that it keeps out.
 */
export async function takeLock(folder: string, words: string, signal = NEVER): Promise<Lock> {
  let place: SocketFolder | undefined;
  let candidate: Candidate | undefined;
  try {
    await makeFolder(folder);
    place = await openSocketFolder(folder);
    candidate = await stand(place, words.replaceAll(/\s+/g, " "));
    await askOthers(candidate, place, signal);
  } catch (error) {
    await leave(candidate, place);
    if (!(error instanceof Error) || signal.aborted) throw error;
    return { none: describeDiskError(error) };
  }
  if (candidate.rank === "out") {
    await leave(candidate, place);
    return { heldBy: candidate.lostTo || "another vigie that does not answer" };
  }
  candidate.rank = "holder";
  candidate.server.unref();
  await removeHidden(place, signal);
  return { release: () => leave(candidate, place) };
}

interface Candidate {
  id: string;
  words: string;
  server: Server;
  rank: "asking" | "holder" | "out";
  /** Whom it gave way to, in that one's words. */
  lostTo: string;
}

/** A socket gets the name under which it is looked for once it listens: one that refuses there is dead for ever. */
async function stand(place: SocketFolder, words: string): Promise<Candidate> {
  const id = randomBytes(6).toString("hex");
  const server = createServer((socket) => answerSocket(socket, (question) => answer(candidate, question)));
  const candidate: Candidate = { id, words, server, rank: "asking", lostTo: "" };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(place.address(HIDDEN + id), resolve);
  });
  try {
    await rename(place.path(HIDDEN + id), place.path(SHOWN + id));
    return candidate;
  } catch (error) {
    server.close();
    // A holder that swept the folder at this moment took it for a dead one's.
    if (hasCode(error, "ENOENT")) return stand(place, words);
    throw error;
  }
}

async function askOthers(candidate: Candidate, place: SocketFolder, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(place.folder)) {
    if (!SHOWN_NAME.test(name) || name === SHOWN + candidate.id) continue;
    const other = await askSocket(place.address(name), `${candidate.id} ${candidate.words}`, signal);
    if (!other.alive) await rm(place.path(name), { force: true });
    else if (other.line !== FREE) giveWay(candidate, other.line.slice(TAKEN.length));
    if (candidate.rank === "out") return;
  }
}

/** One that is still asking gives way to a smaller name, and tells a greater one that the place is taken. */
function answer(candidate: Candidate, question: string): string {
  const [id = ""] = question.split(" ", 1);
  if (candidate.rank === "asking" && id < candidate.id) giveWay(candidate, question.slice(id.length + 1));
  return candidate.rank === "out" ? FREE : TAKEN + candidate.words;
}

function giveWay(candidate: Candidate, words: string): void {
  candidate.rank = "out";
  candidate.lostTo = words;
}

/** What a death between listening and being seen left behind. */
async function removeHidden(place: SocketFolder, signal: AbortSignal): Promise<void> {
  const names = (await readdir(place.folder)).filter((name) => HIDDEN_NAME.test(name));
  for (const name of names) {
    const { alive } = await askSocket(place.address(name), HIDDEN, signal);
    if (!alive) await rm(place.path(name), { force: true });
  }
}

async function leave(candidate: Candidate | undefined, place: SocketFolder | undefined): Promise<void> {
  if (candidate && place) await rm(place.path(SHOWN + candidate.id), { force: true });
  candidate?.server.close();
  await place?.close();
}

const NEVER = new AbortController().signal;
const SHOWN = "lock-";
const HIDDEN = ".lock-";
const SHOWN_NAME = /^lock-[\da-f]{12}$/;
const HIDDEN_NAME = /^\.lock-[\da-f]{12}$/;
const FREE = "free";
const TAKEN = "taken by ";
