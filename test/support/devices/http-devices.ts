import {
  type Answer,
  type Asked,
  hasLogin,
  refuse,
  type StrictServer,
  startStrictServer,
} from "./strict-server.ts";

/** A relay with an interface over HTTP. */
export interface HttpRelay extends StrictServer {
  isOn: () => boolean;
  /** Somebody presses the button on it. */
  press: () => void;
  /** It comes back ON. */
  returnPower: () => Promise<void>;
}

interface State {
  isOn: boolean;
}

/** What a device answers, and does. */
type Behaviour = (asked: Asked, state: State, password: string | undefined) => Answer;

/** By the title of its part in docs/devices.md. */
export const HTTP_DEVICES: Record<string, Behaviour> = {
  "Shelly, first generation": (asked, state, password) => {
    if (password !== undefined && !hasLogin(asked, `admin:${password}`)) return askForBasic("Shelly");
    if (asked.path !== "/relay/0") return refuse(404, "no such path", "Not Found");
    if (asked.method !== "GET" && asked.method !== "POST") return refuse(400, "GET or POST");
    const turn = asked.query.get("turn");
    const unknown = unknownKeys(asked, ["turn", "timer"]);
    if (unknown !== "") return refuse(400, `unknown ${unknown}`);
    if (turn !== null && !["on", "off"].includes(turn)) return refuse(400, `turn=${turn}`);
    if (turn !== null) state.isOn = turn === "on";
    const timer = { has_timer: false, timer_started: 0, timer_duration: 0, timer_remaining: 0 };
    return { status: 200, body: { ison: state.isOn, ...timer, overpower: false, source: "http" } };
  },
  "Shelly, second generation and later": (asked, state, password) => {
    if (password !== undefined) return askForDigest();
    const method = /^\/rpc\/(\w+\.\w+)$/.exec(asked.path)?.[1];
    if (asked.method !== "GET") return refuse(405, "here: parameters in the address");
    if (method === undefined) return refuse(404, "no such path", "Not Found");
    if (asked.query.get("id") !== "0")
      return errorOfGen2(-105, `Argument 'id', value ${asked.query.get("id")}`);
    if (method === "Switch.GetStatus") {
      const part = { id: 0, source: "HTTP_in", output: state.isOn, apower: state.isOn ? 2000.5 : 0 };
      return { status: 200, body: { ...part, voltage: 231.2, temperature: { tC: 41.5, tF: 106.7 } } };
    }
    if (method !== "Switch.Set") {
      return refuse(404, `no method ${method}`, { code: 404, message: `No handler for ${method}` });
    }
    const on = asked.query.get("on");
    if (on !== "true" && on !== "false") return errorOfGen2(-103, `Argument 'on' is ${on}`);
    const was_on = state.isOn;
    state.isOn = on === "true";
    return { status: 200, body: { was_on } };
  },
  Tasmota: (asked, state, password) => {
    if (asked.path !== "/cm") return refuse(404, "no such path", "File Not Found");
    const { query } = asked;
    const isAllowed = query.get("user") === "admin" && query.get("password") === password;
    if (password !== undefined && !isAllowed) {
      return refuse(200, "password", { WARNING: "Need user=<username>&password=<password>" });
    }
    return takeCommand(query.get("cmnd"), state, { WARNING: "Enter command cmnd=" });
  },
  ESPHome: (asked, state, password) => {
    if (password !== undefined && !hasLogin(asked, `admin:${password}`)) return askForBasic("Login Required");
    const action = /^\/switch\/Boiler relay(?:\/(\w+))?$/.exec(asked.path);
    if (action === null) return refuse(404, "no such path", "Not Found");
    const [, word] = action;
    if (word === undefined) {
      if (asked.method !== "GET") return refuse(405, "the state is for GET");
      const value = state.isOn;
      return { status: 200, body: { id: "switch/Boiler relay", state: value ? "ON" : "OFF", value } };
    }
    if (asked.method !== "POST") return refuse(405, "an action is for POST");
    if (asked.headers["content-length"] === undefined) return refuse(411, "no Content-Length");
    const type = asked.headers["content-type"];
    if (type !== undefined && type !== "application/x-www-form-urlencoded") return refuse(400, type);
    if (!["turn_on", "turn_off"].includes(word)) return refuse(404, `no action ${word}`);
    state.isOn = word === "turn_on";
    return { status: 200 };
  },
  OpenBeken: (asked, state, password) => {
    if (password !== undefined && !hasLogin(asked, `admin:${password}`)) {
      return askForBasic("OpenBeken HTTP Server");
    }
    if (asked.path !== "/cm") return refuse(404, "no such path", "Not found");
    return takeCommand(asked.query.get("cmnd"), state, { ERROR: "Unknown command" });
  },
};

export async function startHttpRelay(behaviour: Behaviour, password?: string): Promise<HttpRelay> {
  const state = { isOn: true };
  const server = await startStrictServer((asked) => behaviour(asked, state, password));
  return {
    ...server,
    isOn: () => state.isOn,
    press: () => {
      state.isOn = !state.isOn;
    },
    returnPower: () => {
      state.isOn = true;
      return server.returnPower();
    },
  };
}

/** `Power OFF`, as Tasmota takes it. */
function takeCommand(command: string | null, state: State, empty: object): Answer {
  if (command === null || command === "") return refuse(200, "no cmnd", empty);
  const [, word] = /^power1?(?: (on|off|1|0))?$/i.exec(command) ?? [command, null];
  if (word === null) return refuse(200, `cmnd=${command}`, { Command: "Unknown" });
  if (word !== undefined) state.isOn = ["on", "1"].includes(word.toLowerCase());
  return { status: 200, body: { POWER: state.isOn ? "ON" : "OFF" } };
}

function askForBasic(realm: string): Answer {
  return refuse(401, "login", "401 Unauthorized", { "www-authenticate": `Basic realm="${realm}"` });
}

function askForDigest(): Answer {
  const challenge =
    'Digest qop="auth", realm="shellyplus1pm-a8032ab12345", nonce="60dc59c6", algorithm=SHA-256';
  return refuse(401, "login", "", { "www-authenticate": challenge });
}

function errorOfGen2(code: number, message: string): Answer {
  return refuse(500, message, { code, message });
}

function unknownKeys({ query }: Asked, known: string[]): string {
  return [...query.keys()].filter((key) => !known.includes(key)).join();
}
