import { createServer } from "node:net";

/** Where nobody listens: no system gives a port below 1024 to a program by itself, and this one is out of use. */
export const NOBODY = "127.0.0.1:9";

/**
 * A port for a program that cannot choose one itself. Below 32768, so that no other program is given it meanwhile: systems
 * choose from the ports above, for connections as well.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (asked % SHARE);
    asked += 1;
    if (await isFree(port)) return port;
  }
}

// Each worker of a run has its own ports, and takes one after the other: none is given twice before its program listens. A worker
// is a new process for each file; its number in the run stays, and the process that began the run tells two runs apart.
const SHARE = 300;
const WORKERS = 4;
const WORKER = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
const FIRST = 20_000 + SHARE * ((process.ppid % 10) * WORKERS + WORKER);
let asked = 0;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
