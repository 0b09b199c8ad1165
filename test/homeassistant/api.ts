import { fetch, WebSocket } from "undici";

/** What Home Assistant answers over HTTP and over its WebSocket. */
export interface Api {
  get: (path: string) => Promise<unknown>;
  post: (path: string, body: unknown) => Promise<unknown>;
  /** The same, where the answer is no JSON. */
  text: (path: string, body: unknown) => Promise<string>;
  /** Removes what is at this path. */
  discard: (path: string) => Promise<void>;
  /** A command of the WebSocket and its result. */
  ask: (type: string, more?: Record<string, unknown>) => Promise<unknown>;
  close: () => void;
}

export async function openApi(base: string, token: string): Promise<Api> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const socket = await openSocket(base, token);
  const send = async (path: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
    const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  };
  return {
    get: async (path) => JSON.parse(await send(path)),
    post: async (path, body) => JSON.parse(await send(path, body)),
    text: send,
    discard: async (path) => void (await send(path, undefined, "DELETE")),
    ...socket,
  };
}

interface Message {
  id?: number;
  type: string;
  success?: boolean;
  result?: unknown;
  error?: unknown;
}

async function openSocket(base: string, token: string): Promise<Pick<Api, "ask" | "close">> {
  const socket = new WebSocket(`${base.replace("http", "ws")}/api/websocket`);
  const waiting = new Map<number, (message: Message) => void>();
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("error", () => reject(new Error("the WebSocket failed")));
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.type === "auth_required")
        socket.send(JSON.stringify({ type: "auth", access_token: token }));
      else if (message.type === "auth_ok") resolve();
      else if (message.type === "auth_invalid") reject(new Error("the token is refused"));
      else if (message.type === "result") waiting.get(message.id ?? 0)?.(message);
    });
  });
  socket.addEventListener("close", () => {
    for (const tell of waiting.values()) tell({ type: "result", success: false, error: "closed" });
  });
  let last = 0;
  const ask: Api["ask"] = (type, more = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      const id = last;
      waiting.set(id, ({ success, result, error }) => {
        waiting.delete(id);
        if (success) resolve(result);
        else reject(new Error(`${type}: ${JSON.stringify(error)}`));
      });
      socket.send(JSON.stringify({ id, type, ...more }));
    });
  return { ask, close: () => socket.close() };
}
