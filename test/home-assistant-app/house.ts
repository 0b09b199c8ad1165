import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Container, openTree, startContainer } from "../docker/container.ts";
import { BROKER_PASSWORD, startGuardedBroker, watchGuardedBroker } from "../support/app-vigie.ts";
import type { Mosquitto } from "../support/mosquitto.ts";
import { lacking } from "../support/prepared.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { type Supervisor, startSupervisor, TOKEN } from "../support/supervisor.ts";
import type { Cleanup } from "../support/vigie.ts";

export const SUPERVISOR_ADDRESS = "172.30.32.2";
export const APP_ADDRESS = "172.30.33.9";

/** Says why the image cannot be run here; empty where it can. */
export const withoutImage = whyNotImage();

function whyNotImage(): string {
  if (process.getuid?.() !== 0) return "(a network of its own takes root)";
  if (!process.env["VIGIE_TREE"]) return "(VIGIE_CONTAINER names no folder with the programs build and run)";
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const isThere = own.some(({ address }) => address === SUPERVISOR_ADDRESS);
  return lacking(isThere, "(not in the network of test/home-assistant-app/in-network)");
}

/** The Supervisor's own validation; says why where it is missing. */
export const withoutCheck =
  process.env["VIGIE_SUPERVISOR"] && process.env["HASS"]
    ? ""
    : "(VIGIE_SUPERVISOR names no program that runs the Supervisor's validation, or HASS no Home Assistant)";

/** What the container gets as its options, or what the Supervisor says against them. */
export async function checkOptions(app: string, options?: object): Promise<{ given?: string; said: string }> {
  const file = join(tmpdir(), "given-options.json");
  if (options) await writeFile(file, JSON.stringify(options));
  const args = [dirname(process.env["HASS"] ?? ""), app, ...(options ? [file] : [])];
  try {
    return {
      given: execFileSync(process.env["VIGIE_SUPERVISOR"] ?? "", args, { stdio: "pipe" }).toString(),
      said: "",
    };
  } catch (error) {
    return { said: String((error as { stderr?: Buffer }).stderr) };
  }
}

export interface House {
  supervisor: Supervisor;
  data: string;
  config: string;
  /** As the Supervisor does before each start: for root alone. */
  writeOptions: (options: object | string) => Promise<void>;
  startBroker: () => Promise<Mosquitto>;
  watch: (broker: Mosquitto, app: Container) => ReturnType<typeof watchGuardedBroker>;
  /** The container as the Supervisor starts it. */
  start: (through?: string[]) => Promise<Container>;
}

/** Home Assistant's side of the house: Supervisor, broker, the folders of the app. */
export async function openHouse(cleanup: Cleanup): Promise<House> {
  const supervisor = await startSupervisor({ host: SUPERVISOR_ADDRESS, port: 80 });
  cleanup.add(supervisor.stop);
  const official = await serveBleuDays(cleanup);
  const folder = await cleanup.createFolder();
  const tree = await openTree(cleanup);
  const [data, config] = [join(folder, "data"), join(folder, "config")];
  for (const one of [data, config]) await mkdir(one);
  // As Docker names them there. The file is one of several trees.
  const hosts = join(tree, "etc/hosts");
  await rm(hosts, { force: true });
  await writeFile(hosts, `127.0.0.1 localhost core-mosquitto\n${SUPERVISOR_ADDRESS} supervisor hassio\n`);
  return {
    supervisor,
    data,
    config,
    writeOptions: async (options) => {
      const path = join(data, "options.json");
      if (existsSync(path)) await rm(path);
      await writeFile(path, typeof options === "string" ? options : JSON.stringify(options), { mode: 0o600 });
      await chown(path, 0, 0);
      await chmod(path, 0o600);
    },
    startBroker: async () => {
      const broker = await startGuardedBroker(cleanup, { port: 1883 });
      supervisor.names({ host: "core-mosquitto", port: 1883, password: BROKER_PASSWORD });
      return broker;
    },
    watch: (broker, app) => watchGuardedBroker(cleanup, broker, app.output),
    start: (through = []) =>
      startContainer(cleanup, {
        tree,
        through,
        hasPage: true,
        env: {
          ...{ SUPERVISOR_TOKEN: TOKEN, HASSIO_TOKEN: TOKEN, TZ: "Europe/Paris" },
          // So that the days are there without the internet, and the tests read lines.
          ...{ VIGIE_OFFICIAL_SOURCE: official, VIGIE_LOG_FORMAT: "json" },
        },
        volumes: { "/data": data, "/config": config },
      }),
  };
}

interface Answer {
  status: number;
  body: string;
}

/** What the app answers to whoever has this address. */
export function askApp(
  path: string,
  { from, port = 8099 }: { from: string; port?: number },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = get({ host: APP_ADDRESS, port, path, localAddress: from, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.on("error", reject);
  });
}
