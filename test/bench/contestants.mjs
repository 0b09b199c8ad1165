import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProgram, VIGIE } from "./program.mjs";

const FLOOR = fileURLToPath(new URL("floor.mjs", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../.build/main.js", import.meta.url));

/** Those that run: each is started with a service, a broker, a base topic of its own and a folder to keep things in. */
export function listContestants(nodeRed) {
  return {
    floor: { start: startFloor, isDone: isOnline },
    vigie: { start: startVigie(VIGIE), isDone: isFirstLookDone, isWhole },
    source: { start: startVigie(SOURCE), isDone: isFirstLookDone, isWhole },
    ...(nodeRed && { nodered: nodeRed.contestant }),
  };
}

/** Those of systemd/vigie.service and of the image. */
const START_FLAGS = ["--max-semi-space-size=1"];

/**
 * Settings of a vigie that is measured while no poll is due. In the hours of the announcement it would ask every five minutes, and
 * its page would change. So these hours are half a day away.
 */
export function withoutPolls() {
  const hour = String((new Date().getUTCHours() + 12) % 24).padStart(2, "0");
  return {
    VIGIE_SERVICE_POLL_EVERY: "6h",
    VIGIE_SERVICE_POLL_ANNOUNCEMENT_BETWEEN: JSON.stringify([`${hour}:00`, `${hour}:30`]),
  };
}

async function startFloor({ service, broker, base, env }) {
  return startProgram(process.execPath, [FLOOR, service, "127.0.0.1", String(broker.port), base], env);
}

/** vigie as an owner runs it: with a service, a broker and a state folder of its own. */
function startVigie(main) {
  return async ({ service, broker, base, folder, env = {} }) => {
    const state = join(folder, base);
    await mkdir(state, { recursive: true });
    const settings = {
      VIGIE_CONFIG: "",
      VIGIE_INSTANCE: base,
      VIGIE_STATE: state,
      VIGIE_LOG_FORMAT: "json",
      VIGIE_SERVICE_BASE_URL: service,
      VIGIE_MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
      XDG_RUNTIME_DIR: folder,
      RUNTIME_DIRECTORY: state,
      // Several run at once; the page is measured by itself.
      VIGIE_HTTP_LISTEN: "off",
    };
    const program = startProgram(process.execPath, [...START_FLAGS, main, "run"], { ...settings, ...env });
    const health = () => startProgram(process.execPath, [main, "health"], settings);
    return { ...program, health };
  };
}

function isOnline(retained, base) {
  return retained.get(`${base}/availability`) === "online";
}

/**
 * `service` is the last topic of every snapshot, and its `updated_at` comes with the first forecasts: with both there
 * and `online`, all topics of the forecasts are retained.
 */
function isFirstLookDone(retained, base) {
  const service = retained.get(`${base}/service`);
  return isOnline(retained, base) && service !== undefined && JSON.parse(service).updated_at !== null;
}

/** History is asked last. */
function isWhole(retained, base) {
  const isAnnounced = [...retained.keys()].some(
    (topic) => topic.startsWith("homeassistant/") && topic.includes(base),
  );
  return isAnnounced && (retained.get(`${base}/season/used/bleu`) ?? "None") !== "None";
}
