import { writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { withoutPolls } from "./contestants.mjs";
import { readAnonymous } from "./memory.mjs";
import { startProgram } from "./program.mjs";
import { readSpent } from "./spent.mjs";
import { startOnce } from "./start.mjs";

const BARE = fileURLToPath(new URL("bare-server.mjs", import.meta.url));
const CONNECTIONS = 10;
const ROUNDS = 5;
const ROUND = 2_000;
const MEMORY_RUNS = 3;
const OPENINGS = 100;
const SETTLING = 80_000;
const STARTS = 9;

/** The views over HTTP beside bare node:http that sends the same bytes, what they cost in memory, and at the start. */
export async function measurePage(surroundings, report) {
  await measureRequests(surroundings, report);
  await measurePageMemory(surroundings, report);
  await measurePageStart(surroundings, report);
}

async function measureRequests({ contestants, services: [service], broker, folder }, report) {
  const port = await freePort();
  const vigie = await contestants.vigie.start({ service, broker, folder, base: "page", env: listenOn(port) });
  await vigie.says(/The page is at/);
  const { path, type, etag, body } = await readFirst(port);
  const file = join(folder, "page.bytes");
  await writeFile(file, body);
  const bare = startProgram(process.execPath, [BARE, file, type]);
  const [, barePort] = await bare.says(/port (\d+)/);
  const times = { vigie: [], bare: [] };
  // The first round of each is for its compiler.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, { pid }, at] of [
      ["vigie", vigie, port],
      ["bare", bare, Number(barePort)],
    ]) {
      const time = await timeRequests(pid, at, path);
      if (round > 0) times[name].push(time);
    }
  }
  const unchanged = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    unchanged.push(await timeRequests(vigie.pid, port, path, etag));
  }
  await Promise.all([vigie.end(), bare.end()]);
  report.text(`${path}, ${body.length} bytes, over ${CONNECTIONS} connections`);
  report.beside("page", times);
  report.alone("pageUnchanged", unchanged);
}

/** The page where there is one, else the state. */
async function readFirst(port) {
  for (const path of ["/", "/api/state"]) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const body = Buffer.from(await response.arrayBuffer());
    if (response.ok)
      return { path, type: response.headers.get("content-type"), etag: response.headers.get("etag"), body };
  }
  throw new Error(`Expected / or /api/state at port ${port}, got neither`);
}

/**
 * Microseconds of CPU for an answer, while each of some connections always waits for one. `known`: the ETag of what they
 * have, which is to be unchanged.
 */
async function timeRequests(pid, port, path, known) {
  const ends = performance.now() + ROUND;
  const before = await readSpent(pid);
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => countAnswers(port, path, ends, known)),
  );
  const spent = (await readSpent(pid)) - before;
  return (spent / counts.reduce((sum, count) => sum + count, 0)) * 1000;
}

function countAnswers(port, path, ends, known) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const condition = known ? `If-None-Match: ${known}\r\n` : "";
    const question = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${condition}\r\n`;
    let count = 0;
    let missing = 0;
    socket.once("error", reject);
    socket.on("data", (part) => {
      if (missing === 0) missing = lengthOf(part, known ? 304 : 200);
      missing -= part.length;
      if (missing > 0) return;
      count += 1;
      if (performance.now() < ends) socket.write(question);
      else socket.end(() => resolve(count));
    });
    socket.write(question);
  });
}

/** Of an answer with its head, which arrives in one part. */
function lengthOf(part, status) {
  const head = part.toString("latin1", 0, part.indexOf("\r\n\r\n") + 4);
  if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`Expected ${status}, got ${head}`);
  return head.length + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
}

async function measurePageMemory({ contestants, services, ...place }, report) {
  const runs = [];
  for (const [run, service] of services.slice(0, MEMORY_RUNS).entries()) {
    const port = await freePort();
    const floor = await contestants.floor.start({ ...place, service, base: `pageFloor${run}` });
    const env = listenOn(port);
    const vigie = await contestants.vigie.start({ ...place, service, base: `page_memory${run}`, env });
    await vigie.says(/The page is at/);
    for (let opening = 0; opening < OPENINGS; opening += 1) await openPage(port);
    runs.push({ floor, vigie });
  }
  await pause(SETTLING);
  const memory = { floor: [], vigie: [] };
  for (const run of runs) {
    for (const name of ["floor", "vigie"]) {
      memory[name].push(await readAnonymous(run[name].pid));
      await run[name].end();
    }
  }
  report.beside("pageMemory", memory);
}

/** As a browser opens it, asks whether it has changed, and leaves it. */
async function openPage(port) {
  const get = async (path, headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    await response.arrayBuffer();
    return response;
  };
  for (const path of ["/page.css", "/page.js", "/api/state"]) await get(path);
  const page = await get("/");
  await get("/", { "If-None-Match": page.headers.get("etag") });
}

async function measurePageStart({ contestants: { vigie }, services, ...place }, report) {
  const times = { vigie: [], off: [] };
  for (let turn = 0; turn < STARTS; turn += 1) {
    for (const name of ["vigie", "off"]) {
      const service = services[turn % services.length];
      const env = name === "off" ? {} : listenOn(await freePort());
      const run = await startOnce(vigie, { ...place, service, base: `page_start${turn}${name}`, env });
      times[name].push(run.first);
    }
  }
  report.beside("pageStart", times);
}

function listenOn(port) {
  return { ...withoutPolls(), VIGIE_HTTP_LISTEN: `127.0.0.1:${port}` };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
