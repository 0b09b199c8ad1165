import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The bundle, as it is shipped. */
export const VIGIE = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Nothing outlives a bench that fails, or is ended. */
export function endWithBench(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
}

/** A program of its own: what it writes is kept, should it fail. */
export function startProgram(command, args, env = {}) {
  const started = performance.now();
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithBench(child);
  let said = "";
  const heard = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      said += text;
      for (const hear of heard) hear();
    });
  }
  const gone = new Promise((resolve) => {
    child.once("exit", resolve);
  });
  return {
    started,
    pid: child.pid,
    gone,
    said: () => said,
    /** Resolves with the match of what it says. */
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(said);
          if (match) resolve(match);
        };
        heard.add(look);
        look();
        void gone.then(() => reject(new Error(`Expected ${args[0]} to say ${pattern}, got: ${said}`)));
      }),
    end: async () => {
      child.kill("SIGTERM");
      await gone;
    },
  };
}
