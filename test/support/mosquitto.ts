import { type ChildProcess, spawn } from "node:child_process";
import { pbkdf2Sync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { lacking } from "./prepared.ts";

const BINARY = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"].find(
  existsSync,
);

/** Says why where the real broker is missing; empty where it is there. A machine that was prepared must have it. */
export const withoutMosquitto = lacking(
  BINARY !== undefined,
  "mosquitto is not installed (apt-get install mosquitto)",
);

export interface Mosquitto {
  url: string;
  port: number;
  /** Ends it (SIGTERM unless told) and waits. */
  end: (signal?: NodeJS.Signals) => Promise<void>;
  /** Starts it again on the same port. */
  start: () => Promise<void>;
  /** Loses what it kept on disk; it has to be ended by then. */
  forget: () => Promise<void>;
  /** Resolves when it has this text on disk, with `each change`. */
  untilSaved: (text: string) => Promise<void>;
  /** Other passwords or access lists take effect while it runs. */
  renew: (files: Record<string, string>) => Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze: () => void;
  thaw: () => void;
  remove: () => Promise<void>;
}

export interface MosquittoOptions {
  /**
   * `each change` is on its disk at once: a kill loses none. That takes milliseconds each, which are seconds of a fast clock.
   * `at its end`: SIGTERM loses none.
   */
  persistence?: "each change" | "at its end";
  /** More lines of its configuration; `FOLDER` stands for its folder. */
  lines?: string[];
  files?: Record<string, string>;
  port?: number;
  /** Not started until asked. */
  idle?: boolean;
}

/** A mosquitto of one's own: own configuration, own port, own folder. */
export async function startMosquitto(options: MosquittoOptions = {}): Promise<Mosquitto> {
  for (let attempt = 1; ; attempt += 1) {
    const broker = await prepareMosquitto(options);
    try {
      if (!options.idle) await broker.start();
      return broker;
    } catch (error) {
      await broker.remove();
      // The port was free a moment ago: somebody else took it meanwhile.
      if (options.port !== undefined || attempt === ATTEMPTS) throw error;
    }
  }
}

const ATTEMPTS = 3;

async function prepareMosquitto(options: MosquittoOptions): Promise<Mosquitto> {
  const folder = await mkdtemp(join(tmpdir(), "vigie-mosquitto-"));
  const port = options.port ?? (await freePort());
  const write = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { mode: 0o600 });
  };
  await write(options.files ?? {});
  const lines = (options.lines ?? ["allow_anonymous true"]).map((line) => line.replace("FOLDER", folder));
  const { persistence } = options;
  const config = [
    ...[
      `listener ${port} 127.0.0.1`,
      `persistence ${persistence !== undefined}`,
      `persistence_location ${folder}/`,
      // Else a message that follows another one closely waits until the client acknowledges that, often 40 ms later.
      "set_tcp_nodelay true",
    ],
    ...(persistence === "each change" ? ["autosave_interval 1", "autosave_on_changes true"] : []),
    ...(process.getuid?.() === 0 ? ["user root"] : []),
    ...lines,
  ];
  const path = join(folder, "mosquitto.conf");
  const database = join(folder, "mosquitto.db");
  await writeFile(path, `${config.join("\n")}\n`);
  let child: ChildProcess | undefined;
  const start = async () => {
    const starting = spawn(BINARY ?? "mosquitto", ["-c", path], { stdio: "ignore" });
    child = starting;
    await once(starting, "spawn");
    await answers(port, () => hasEnded(starting));
  };
  const end = async (signal: NodeJS.Signals = "SIGTERM") => {
    const dying = child;
    child = undefined;
    if (!dying || hasEnded(dying)) return;
    const gone = new Promise((resolve) => dying.once("exit", resolve));
    dying.kill(signal);
    await gone;
  };
  return {
    url: `mqtt://127.0.0.1:${port}`,
    port,
    start,
    end,
    forget: () => rm(database, { force: true }),
    untilSaved: async (text) => {
      const saved = () => readFile(database, "latin1").catch(() => "");
      while (!(await saved()).includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    renew: async (files) => {
      await write(files);
      child?.kill("SIGHUP");
    },
    freeze: () => child?.kill("SIGSTOP"),
    thaw: () => child?.kill("SIGCONT"),
    remove: async () => {
      child?.kill("SIGCONT");
      await end("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** A line of a password file, as mosquitto_passwd writes it. */
export function passwordLine(user: string, password: string): string {
  const salt = randomBytes(12);
  const hash = pbkdf2Sync(password, salt, 101, 64, "sha512");
  return `${user}:$7$101$${salt.toString("base64")}$${hash.toString("base64")}\n`;
}

async function answers(port: number, gone: () => boolean): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ port, host: "127.0.0.1" });
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (gone()) throw new Error(`mosquitto does not start on port ${port}`);
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
