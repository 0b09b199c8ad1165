import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectAsync } from "mqtt";
import { startMosquitto } from "../../support/mosquitto.ts";
import { type Cleanup, createCleanup } from "../../support/vigie.ts";
import type { Scenario } from "../scenario.ts";
import { createAnswers, inventedBy, type SourceFault } from "../sources.ts";
import { type EventOf, isKind, type SourceName, type Trace } from "../trace.ts";
import { nearestMinute } from "./paris-time.ts";
import type { Scene } from "./scene.ts";
import { RTE_ADDRESS } from "./seams.ts";

/**
 * What the commands of an owner print, in the house as it was at each look: the built program, with the configuration and the state file
 * of the look, a real broker that holds the same topics, and sources that answer as they did then.
 */
export async function runCommands(trace: Trace, { commands = {}, scenario, title }: Scene): Promise<string> {
  let text = `${title}\n`;
  for (const look of trace.events.filter((event) => isKind(event, "look"))) {
    const wanted = commands[look.name] ?? [];
    if (wanted.length === 0) continue;
    text += `\n==== ${look.name}: ${nearestMinute(look.at)} ====\n`;
    const cleanup = createCleanup();
    try {
      const run = await openHouse(look, scenario, cleanup);
      for (const command of wanted) text += `\n$ vigie ${command}\n${await run(command)}`;
    } finally {
      await cleanup.run();
    }
  }
  return text;
}

/** Opens what is around a command. Returns how to run one, which gives what it prints. */
async function openHouse(
  look: EventOf<"look">,
  scenario: Scenario,
  cleanup: Cleanup,
): Promise<(command: string) => Promise<string>> {
  const folder = await cleanup.createFolder();
  const broker = await startMosquitto();
  cleanup.add(broker.remove);
  const service = await serveSource("service", look, scenario, cleanup);
  const rte = await serveSource("rte", look, scenario, cleanup);
  await holdTopics(broker.url, look.retained);
  // The state file has beside each day the address of the source that named it.
  const state = (look.stateFile ?? "").replaceAll(SERVICE, service).replaceAll(RTE_ADDRESS, rte);
  if (state !== "") await writeFile(join(folder, "state.json"), state);
  await writeFile(join(folder, "vigie.yaml"), look.yaml);
  const env = {
    PATH: process.env["PATH"],
    VIGIE_CONFIG: join(folder, "vigie.yaml"),
    VIGIE_STATE: folder,
    VIGIE_MQTT_URL: broker.url,
    ...(look.yaml.includes(SERVICE) && { VIGIE_SERVICE_BASE_URL: service }),
    ...(/source: rte/.test(look.yaml) && { VIGIE_OFFICIAL_SOURCE: rte }),
  };
  const names = { [broker.url]: "<broker>", [service]: "<service>", [rte]: "<rte>", [folder]: "<folder>" };
  return async (command) => {
    const { code, out, err } = await runProgram(command.split(" "), look.at, { cwd: folder, env });
    const printed = [out, err && `(for a person)\n${err}`, code !== 0 && `(code ${code})\n`];
    return nameAddresses(printed.filter(Boolean).join(""), names);
  };
}

/** With names in the place of addresses, which differ from run to run. Failures name an address without its protocol. */
function nameAddresses(text: string, names: Readonly<Record<string, string>>): string {
  let named = text;
  for (const [place, name] of Object.entries(names))
    named = named.replaceAll(place, name).replaceAll(place.replace(/^\w+:\/\//, ""), name);
  return named;
}

/** The built program. Its clock stands still at this instant. */
function runProgram(
  args: readonly string[],
  at: number,
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ code: number; out: string; err: string }> {
  const stopped = `data:text/javascript,Date.now=()=>${Math.round(at)}`;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--import", stopped, PROGRAM, ...args],
      options,
      (_, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

async function holdTopics(url: string, topics: ReadonlyMap<string, string>): Promise<void> {
  const client = await connectAsync(url);
  const options = { retain: true, qos: 1 } as const;
  await Promise.all([...topics].map(([topic, payload]) => client.publishAsync(topic, payload, options)));
  await client.endAsync();
}

/** Returns the address. */
async function serveSource(
  name: SourceName,
  { steady }: EventOf<"look">,
  scenario: Scenario,
  cleanup: Cleanup,
): Promise<string> {
  const answer = createAnswers(name, inventedBy(scenario));
  const now = Date.parse(scenario.from) + steady;
  const fault = faultAt(name, steady / 1000, scenario);
  const server = createServer((request, response) => {
    const { status, headers, body } = answer(request.url ?? "", "", now, fault);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  if (fault?.kind === "down") await stop();
  else cleanup.add(stop);
  return `http://127.0.0.1:${port}`;
}

/** What is wrong with a source, so many seconds after the beginning. */
function faultAt(name: SourceName, seconds: number, { events }: Scenario): SourceFault | null {
  const last = events.findLast(
    (event) => event.kind === "source" && event.source === name && event.at <= seconds,
  );
  return last?.kind === "source" && seconds < last.at + last.for ? last.fault : null;
}

const PROGRAM = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
/** In the configurations of all scenes. */
const SERVICE = "https://service.example";
