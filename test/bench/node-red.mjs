import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "./broker.mjs";
import { describeFlow, FLOW_TOPICS } from "./flow.mjs";
import { startProgram } from "./program.mjs";

/** Node-RED as `.ci/node-red DIR` installs it, or as its owner did; undefined where none is named. */
export function findNodeRed(folder) {
  if (!folder) return undefined;
  const place = join(folder, "node_modules", "node-red");
  if (!existsSync(place))
    throw new Error(`Expected Node-RED in ${folder} (.ci/node-red ${folder}), got none`);
  const { version } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  return { version, contestant: { start: (surroundings) => startNodeRed(place, surroundings), isDone } };
}

async function startNodeRed(place, { service, broker, base, folder, env = {} }) {
  const home = join(folder, base);
  const port = await freePort();
  await mkdir(home, { recursive: true });
  const flow = describeFlow({ service, host: "127.0.0.1", port: broker.port, base });
  await writeFile(join(home, "flows.json"), JSON.stringify(flow));
  await writeFile(join(home, "settings.cjs"), `module.exports = ${JSON.stringify(SETTINGS)};\n`);
  const args = [
    "--settings",
    join(home, "settings.cjs"),
    "--userDir",
    home,
    "--port",
    String(port),
    "flows.json",
  ];
  return startProgram(process.execPath, [join(place, "red.js"), ...args], env);
}

/** As installed; only that it listens on loopback, and asks nobody whether there is a newer one. */
const SETTINGS = {
  uiHost: "127.0.0.1",
  flowFile: "flows.json",
  credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false },
};

function isDone(retained, base) {
  return [...FLOW_TOPICS, "availability"].every((topic) => retained.has(`${base}/${topic}`));
}
