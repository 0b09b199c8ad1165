import {
  type Answer,
  type Asked,
  hasType,
  objectIn,
  refuse,
  type StrictServer,
  startStrictServer,
} from "./strict-server.ts";

/** A service that brings messages to a phone. */
export interface Messenger extends StrictServer {
  /** The texts that arrived on the phone. */
  delivered: string[];
}

export interface Documented {
  /** What `{secret}` stands for. */
  token: string;
  behave: (asked: Asked, deliver: (text: string) => void) => Answer;
}

const TOKEN = {
  ntfy: "house-Jt5vYqx2",
  gotify: "AhnWr.8xQz-4kLp",
  telegram: "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
  matrix: "syt_dmlnaWU_abcDEF_0a1B2c",
  webhook: "-f8Qd2hZcT0uXw9yLpKe",
};

/** By the title of its part in docs/messages.md; made anew for each test, because Matrix remembers what it has. */
export const MESSENGERS: Record<string, () => Documented> = {
  ntfy: () => ({
    token: TOKEN.ntfy,
    behave: ({ method, path, body }, deliver) => {
      if (!["POST", "PUT"].includes(method)) return refuse(404, method, { code: 40401, http: 404 });
      // To a server each topic exists; to the phone only its own.
      if (path !== `/${TOKEN.ntfy}`) return { ...taken(path), refused: `the phone does not read ${path}` };
      if (body.length > 4096) return refuse(400, "a file instead of a message");
      deliver(body);
      return taken(path);
      function taken(topic: string): Answer {
        const message = { id: "hwQ2YpKdmg", time: 1788945292, event: "message", topic: topic.slice(1) };
        return { status: 200, body: { ...message, message: body } };
      }
    },
  }),
  Gotify: () => ({
    token: TOKEN.gotify,
    behave: (asked, deliver) => {
      if (asked.method !== "POST" || asked.path !== "/message") return errorOfGotify(404, "page not found");
      if (asked.headers["x-gotify-key"] !== TOKEN.gotify) {
        return errorOfGotify(401, "you need to provide a valid access token");
      }
      const given = readGotify(asked);
      if (typeof given?.["message"] !== "string" || given["message"] === "") {
        return errorOfGotify(400, "Field 'message' is required");
      }
      if (!["undefined", "number"].includes(typeof given["priority"])) return errorOfGotify(400, "priority");
      const strange = Object.keys(given).filter(
        (key) => !["title", "message", "priority", "extras"].includes(key),
      );
      if (strange.length > 0) return errorOfGotify(400, strange.join());
      deliver(given["message"]);
      return { status: 200, body: { id: 25, appid: 5, ...given, date: "2026-11-24T06:00:00+01:00" } };
    },
  }),
  Telegram: () => ({
    token: TOKEN.telegram,
    behave: (asked, deliver) => {
      const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(asked.path) ?? [];
      if (token !== TOKEN.telegram) return errorOfTelegram(401, "Unauthorized");
      if (method !== "sendMessage") return errorOfTelegram(404, "Not Found");
      if (!["GET", "POST"].includes(asked.method)) return errorOfTelegram(405, "Method Not Allowed");
      const { chat_id, text, ...strange } = readTelegram(asked);
      if (String(chat_id) !== "123456789") return errorOfTelegram(400, "Bad Request: chat not found");
      if (typeof text !== "string" || text === "") {
        return errorOfTelegram(400, "Bad Request: message text is empty");
      }
      if (Object.keys(strange).length > 0) return errorOfTelegram(400, Object.keys(strange).join());
      deliver(text);
      return { status: 200, body: { ok: true, result: { message_id: 7, date: 1788945292, text } } };
    },
  }),
  Matrix: () => {
    const events = new Map<string, string>();
    return {
      token: TOKEN.matrix,
      behave: ({ method, path, headers, body }, deliver) => {
        const way = /^\/_matrix\/client\/v3\/rooms\/!abcdefg:example\.org\/send\/m\.room\.message\/([^/]+)$/;
        const [, transaction] = way.exec(path) ?? [];
        if (transaction === undefined) return errorOfMatrix(404, "M_UNRECOGNIZED", path);
        if (method !== "PUT") return errorOfMatrix(405, "M_UNRECOGNIZED", method);
        if (headers.authorization === undefined) return errorOfMatrix(401, "M_MISSING_TOKEN", "no token");
        if (headers.authorization !== `Bearer ${TOKEN.matrix}`) {
          return errorOfMatrix(401, "M_UNKNOWN_TOKEN", "another token");
        }
        const content = objectIn(body);
        if (content === undefined) return errorOfMatrix(400, "M_NOT_JSON", body);
        if (content["msgtype"] !== "m.text" || typeof content["body"] !== "string") {
          return errorOfMatrix(400, "M_BAD_JSON", body);
        }
        if (!events.has(transaction)) {
          events.set(transaction, `$event${events.size}`);
          deliver(content["body"]);
        }
        return { status: 200, body: { event_id: events.get(transaction) } };
      },
    };
  },
  Signal: () => ({
    token: "",
    behave: (asked, deliver) => {
      if (asked.method !== "POST" || asked.path !== "/v2/send")
        return refuse(404, "no such path", "404 page not found");
      const { message, number, recipients, ...strange } = objectIn(asked.body) ?? {};
      const isComplete = typeof message === "string" && message !== "" && isNumber(number);
      const wrong = !isComplete || !Array.isArray(recipients) || !recipients.every(isNumber);
      if (!hasType(asked, "application/json")) return errorOfSignal("Content-Type");
      if (wrong || recipients.length === 0) return errorOfSignal("Couldn't process request");
      if (Object.keys(strange).length > 0) return errorOfSignal(Object.keys(strange).join());
      deliver(message);
      return { status: 201, body: { timestamp: "1788945292000" } };
    },
  }),
  "Home Assistant": () => ({
    token: TOKEN.webhook,
    behave: (asked, deliver) => {
      const [, id] = /^\/api\/webhook\/([^/]+)$/.exec(asked.path) ?? [];
      if (id === undefined) return refuse(404, "no such path", "404: Not Found");
      // Nobody learns from the answer which webhooks there are.
      if (id !== TOKEN.webhook) return { status: 200, refused: `no webhook ${id}` };
      if (asked.method !== "POST") return refuse(405, asked.method, "405: Method Not Allowed");
      const text = hasType(asked, "application/json") ? objectIn(asked.body)?.["message"] : undefined;
      // The automation has no trigger.json.message then: the phone gets nothing.
      if (typeof text !== "string") return { status: 200, refused: "no message in JSON" };
      deliver(text);
      return { status: 200 };
    },
  }),
};

export async function startMessenger({ behave }: Documented): Promise<Messenger> {
  const delivered: string[] = [];
  const server = await startStrictServer((asked) => behave(asked, (text) => delivered.push(text)));
  return { ...server, delivered };
}

/** JSON, or a form as curl sends it with -F. */
function readGotify(asked: Asked): Record<string, unknown> | undefined {
  if (hasType(asked, "application/json")) return objectIn(asked.body);
  if (!hasType(asked, "multipart/form-data")) return undefined;
  const parts = asked.body.matchAll(/form-data; name="(\w+)"\r\n\r\n(.*)\r\n/g);
  return Object.fromEntries([...parts].map(([, name, value]) => [name, value]));
}

/** JSON, a form, or the query. */
function readTelegram(asked: Asked): Record<string, unknown> {
  if (hasType(asked, "application/json")) return objectIn(asked.body) ?? {};
  const isForm = hasType(asked, "application/x-www-form-urlencoded");
  return Object.fromEntries([...asked.query, ...(isForm ? new URLSearchParams(asked.body) : [])]);
}

function isNumber(value: unknown): boolean {
  return typeof value === "string" && /^\+\d{6,15}$/.test(value);
}

function errorOfGotify(errorCode: number, errorDescription: string): Answer {
  return refuse(errorCode, errorDescription, { error: "Error", errorCode, errorDescription });
}

function errorOfTelegram(error_code: number, description: string): Answer {
  return refuse(error_code, description, { ok: false, error_code, description });
}

function errorOfMatrix(status: number, errcode: string, error: string): Answer {
  return refuse(status, `${errcode} ${error}`, { errcode, error });
}

function errorOfSignal(error: string): Answer {
  return refuse(400, error, { error });
}
