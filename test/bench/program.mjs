import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const VIGIE = fileURLToPath(new URL("../../.build/main.js", import.meta.url));
export const FLOOR = fileURLToPath(new URL("floor.mjs", import.meta.url));

/** A program of its own: what it writes is kept, should it fail. */
export function startProgram(command, args, env = {}) {
  const started = performance.now();
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const heard = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      said += text;
      for (const hear of heard) hear();
    });
  }
  const gone = new Promise((resolve) => child.once("exit", resolve));
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

/** The floor, and vigie as a house has it: a real service, a real broker, a state folder of its own. */
export const CONTESTANTS = {
  floor: {
    start: ({ service, broker, base }) =>
      startProgram(process.execPath, [FLOOR, service, "127.0.0.1", String(broker.port), base]),
    isDone: (retained, base) => retained.get(`${base}/availability`) === "online",
  },
  vigie: {
    start: ({ service, broker, base, folder }) =>
      startProgram(process.execPath, [VIGIE, "run"], {
        VIGIE_CONFIG: "",
        VIGIE_SERVICE_BASE_URL: service,
        VIGIE_MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
        VIGIE_MQTT_BASE_TOPIC: base,
        VIGIE_STATE: `${folder}/${base}`,
        VIGIE_LOG_FORMAT: "json",
        XDG_RUNTIME_DIR: folder,
        RUNTIME_DIRECTORY: `${folder}/${base}`,
      }),
    isDone: isFirstLookDone,
  },
};

/**
 * `service` is the last topic of every snapshot, and its `updated_at` comes with the first forecasts: with both there
 * and `online`, all that the forecasts tell is retained.
 */
function isFirstLookDone(retained, base) {
  if (retained.get(`${base}/availability`) !== "online") return false;
  const service = retained.get(`${base}/service`);
  return service !== undefined && JSON.parse(service).updated_at !== null;
}
