import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endWithBench } from "./program.mjs";

const MOSQUITTO = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"].find(
  existsSync,
);

/** mosquitto where there is one; else the embedded broker, in a process of its own. */
export async function startBroker(folder) {
  const port = await freePort();
  const child = MOSQUITTO ? await spawnMosquitto(folder, port) : spawnEmbedded(port);
  endWithBench(child);
  await answers(port);
  const gone = new Promise((resolve) => child.once("exit", resolve));
  return {
    name: MOSQUITTO ? "mosquitto" : "the embedded broker (no mosquitto found)",
    port,
    end: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

async function spawnMosquitto(folder, port) {
  const file = join(folder, "mosquitto.conf");
  const user = process.getuid?.() === 0 ? ["user root"] : [];
  const lines = [`listener ${port} 127.0.0.1`, "allow_anonymous true", "persistence false", ...user];
  await writeFile(file, `${lines.join("\n")}\n`);
  return spawn(MOSQUITTO, ["-c", file], { stdio: "ignore" });
}

function spawnEmbedded(port) {
  return spawn(process.execPath, [fileURLToPath(new URL("embedded.mjs", import.meta.url)), String(port)], {
    stdio: "ignore",
  });
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function answers(port) {
  for (;;) {
    const open = await new Promise((resolve) => {
      const socket = createConnection({ port, host: "127.0.0.1" });
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
