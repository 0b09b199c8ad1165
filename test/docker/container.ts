import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Cleanup, createCleanup, startVigie, type Vigie } from "../support/vigie.ts";
import { runner, TREE } from "./builder.ts";

const run = promisify(execFile);

/** A file tree of one's own: which container runs from a tree is written beside it. */
export async function openTree(cleanup: Cleanup): Promise<string> {
  const folder = await cleanup.createFolder();
  const image = process.env[TREE] ?? "";
  const tree = join(folder, "tree");
  // Nothing is written to it: the same files under other names.
  await run("cp", ["-al", image, tree]);
  await cp(`${image}.json`, `${tree}.json`);
  return tree;
}

export interface ContainerOptions {
  tree: string;
  env: Record<string, string>;
  /** Folders of the machine by where they are mounted. */
  volumes?: Record<string, string>;
  /** Words before the command that starts it. */
  through?: string[];
  /** What runs in place of the image's entry point. */
  command?: string[];
  /** It has a network of its own: its page is where the image has it. */
  hasPage?: boolean;
}

export interface Container extends Vigie {
  /** Process 1 as the machine calls it. */
  first: () => Promise<number>;
  health: () => Promise<Answer>;
}

interface Answer {
  code: number;
  words: string;
}

/** The containers of all tests share the network of this machine, where one alone could have the port. */
const NO_PAGE = { VIGIE_HTTP_LISTEN: "off" };

/** The image's own entry point, its root read-only; process 1 is killed by the cleanup. */
export async function startContainer(cleanup: Cleanup, options: ContainerOptions): Promise<Container> {
  const { tree, env, volumes = {}, through = [], command = [], hasPage = false } = options;
  await rm(`${tree}.pid`, { force: true });
  const vigie = await startVigie({
    folder: await cleanup.createFolder(),
    through,
    program: [
      runner(),
      tree,
      ...Object.entries({ ...(hasPage ? {} : NO_PAGE), ...env }).flatMap(([name, value]) => [
        "-e",
        `${name}=${value}`,
      ]),
      ...Object.entries(volumes).flatMap(([path, folder]) => ["-v", `${folder}:${path}`]),
      ...(command.length > 0 ? ["--", ...command] : []),
    ],
  });
  let ended = false;
  void vigie.ended.then(() => {
    ended = true;
  });
  const first = async (): Promise<number> => {
    const pid = Number(await readFile(`${tree}.pid`, "utf8").catch(() => "0"));
    if (pid > 0) return pid;
    if (ended) throw new Error(`The container is gone:\n${vigie.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
    return first();
  };
  cleanup.add(async () => {
    if (ended) return;
    process.kill(await first(), "SIGKILL");
    await vigie.ended;
  });
  return { ...vigie, first, health: () => askHealth(tree) };
}

/** The image's health check, as its engine would ask. */
export async function askHealth(tree: string): Promise<Answer> {
  const child = spawn(runner(), [tree, "--health"], { stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (words += String(part)));
  const [code] = await once(child, "close");
  return { code: Number(code), words };
}

/** A folder of the machine, as an owner who mounts one has it. */
export async function openVolume(): Promise<string> {
  return mkdtemp(join(tmpdir(), "volume-"));
}

/** The runner gives each mounted folder to the image's user; Docker leaves a folder its owner. */
export async function keepingOwners(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "shim-"));
  await writeFile(join(folder, "chown"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  return ["env", `PATH=${folder}:${process.env["PATH"]}`];
}

/** A disk of one's own below the container: mounted for the container alone, and gone with it. */
export async function onDisk(folder: string, options: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  return ["unshare", "--mount", "sh", "-c", `mount -t tmpfs -o ${options} tmpfs "$0" && exec "$@"`, folder];
}

interface ImageConfig {
  User: string;
  Env: string[];
  ExposedPorts: Record<string, object>;
  Entrypoint: string[];
  Cmd: string[] | null;
  Volumes: Record<string, object>;
  Labels: Record<string, string>;
  Healthcheck: { Test: string[]; Interval: number; Timeout: number; StartPeriod: number; Retries: number };
}

export async function readImage(tree = process.env[TREE] ?? ""): Promise<ImageConfig> {
  return JSON.parse(await readFile(`${tree}.json`, "utf8"));
}

export { createCleanup };
