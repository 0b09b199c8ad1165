import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface PlainAnswer {
  status?: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A forecast service written by hand: what it says is the test's, word for word, and owes the simulator nothing. */
interface PlainService {
  url: string;
  /** The paths asked for so far. */
  asked: string[];
  stop: () => Promise<void>;
}

/** `null` leaves the question without an answer. Without a `Date` unless the answer brings one. */
export async function startPlainService(answer: (path: string) => PlainAnswer | null): Promise<PlainService> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const said = answer(path);
    if (said) send(response, said);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}

function send(response: ServerResponse, { status = 200, body, headers = {} }: PlainAnswer): void {
  response.sendDate = false;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
