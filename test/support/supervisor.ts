import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers the one question of the app as Home Assistant's Supervisor does. */
export interface Supervisor {
  url: string;
  /** Of the questions with the right token. */
  asked: () => number;
  /** What it answers from now on. */
  names: (broker: { port: number; password?: string; host?: string }) => void;
  namesNone: () => void;
  answers: (status: number, body: string, headers?: Record<string, string>) => void;
  /** It takes the question and says nothing. */
  isSilent: () => void;
  stop: () => Promise<void>;
}

export const TOKEN = "token-of-the-supervisor-4711";

export async function startSupervisor({ host = "127.0.0.1", port = 0 } = {}): Promise<Supervisor> {
  let asked = 0;
  let answer: [status: number, body: string, headers?: Record<string, string> | undefined] | null;
  const namesNone = () => {
    answer = [400, '{"result":"error","message":"Service not enabled"}'];
  };
  namesNone();
  const server: Server = createServer((request, response) => {
    const { authorization } = request.headers;
    const isRight = request.url === "/services/mqtt" && authorization === `Bearer ${TOKEN}`;
    if (isRight) asked += 1;
    if (isRight && answer === null) return;
    const [status, body, headers] = isRight && answer ? answer : [401, "401: Unauthorized"];
    response.writeHead(status, { "Content-Type": "application/json; charset=utf-8", ...headers }).end(body);
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: given } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${given}`,
    asked: () => asked,
    names: ({ port: brokerPort, password = "", host: brokerHost = "127.0.0.1" }) => {
      const data = {
        ...{ addon: "core_mosquitto", host: brokerHost, port: brokerPort, ssl: false },
        ...{ username: "addons", password, protocol: "3.1.1" },
      };
      answer = [200, JSON.stringify({ result: "ok", data })];
    },
    namesNone,
    answers: (...given) => {
      answer = given;
    },
    isSilent: () => {
      answer = null;
    },
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
