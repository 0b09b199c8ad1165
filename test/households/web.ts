import type { Devices } from "./devices.ts";
import { WRITTEN_OUT } from "./generate-outputs.ts";
import type { HttpAnswer, NoAnswer } from "./http-answer.ts";
import type { Machine } from "./machine.ts";
import { nest } from "./nest.ts";
import type { WebFault } from "./scenario.ts";
import type { Seen } from "./trace.ts";

/** Devices and services that are reached over HTTP, without sockets and in virtual time. */
export interface Web {
  /** vigie sends a request. `answered` is called once, or never if the process ends first. */
  request: (
    request: WebRequest,
    signal: AbortSignal,
    answered: (answer: HttpAnswer | NoAnswer) => void,
  ) => void;
  /** `device`: only this one of the host; null: nothing is wrong there. */
  setFault: (host: string, device: string | undefined, fault: WebFault | null) => void;
}

/** A request as it goes out. */
interface WebRequest {
  method: string;
  /** The whole address, without user and password. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** The body of the answer is wanted, not only its status. */
  readsBody: boolean;
}

interface WebOptions {
  machine: Machine;
  tell: (seen: Seen) => void;
  devices: Devices;
}

export function createWeb({ machine, tell, devices }: WebOptions): Web {
  const faults = new Map<string, WebFault>();
  let requests = 0;
  const faultOf = ({ host, output }: Asked): WebFault | undefined => {
    const own = faults.get(`${host} ${output}`) ?? faults.get(host);
    return devices.hasPower(output) ? own : { kind: "is unreachable" };
  };
  const request: Web["request"] = (given, signal, answered) => {
    const process = machine.process();
    if (process === null) return;
    requests += 1;
    const id = requests;
    const asked = readRequest(given);
    tell({ kind: "web request", id, url: given.url, ...asked });
    const fault = faultOf(asked);
    let isOver = false;
    let isConnected = false;
    const once = (run: () => void) => {
      if (isOver) return;
      isOver = true;
      run();
    };
    const fail = (why: string, isAborted = false) =>
      once(() => {
        tell({ kind: "web failure", id, wasWritten: isConnected, isAborted });
        answered({ why, wasSent: isConnected });
      });
    const answer = (response: HttpAnswer) =>
      once(() => {
        const { status, headers, body } = response;
        const isRead = given.readsBody && status < 300;
        const text = isRead && headers["content-encoding"] === undefined ? body : null;
        const retryAfter = headers["retry-after"];
        tell({
          kind: "web answer",
          id,
          status,
          body: text,
          retryAfter: retryAfter === undefined ? null : Number(retryAfter),
        });
        answered({ status, headers, body: isRead ? body : "" });
      });
    const ifSameProcess = (run: () => void) => () => {
      if (!isOver && machine.process() === process) run();
    };
    const { arrive, later } = machine;
    signal.addEventListener("abort", () => fail("aborted", true), { once: true });
    if (signal.aborted) return fail("aborted", true);
    if (fault?.kind === "is unreachable") return;
    if (fault?.kind === "refuses") return arrive(CONNECTS, () => fail("it refuses the connection"));
    later(
      CONNECTS,
      ifSameProcess(() => {
        isConnected = true;
        if (fault?.kind === "closes before") return arrive(0, () => fail("it broke the connection"));
        tell({ kind: "web arrival", id });
        if (fault?.kind === "status") return arrive(ANSWERS, () => answer(refusal(fault, given)));
        if (asked.what === "sending") devices.obey(asked.output, asked.payload, asked.host);
        if (fault?.kind === "closes after" && asked.what === "sending")
          return arrive(ANSWERS, () => fail("it closed the connection before the end of its answer"));
        if (fault?.kind === "hangs" && fault.seconds === null) return;
        const wait = fault?.kind === "hangs" ? (fault.seconds ?? 0) * 1000 : ANSWERS;
        const isLong = fault?.kind === "long" && given.readsBody;
        if (isLong) return arrive(wait, () => fail("its answer is longer than 64 KB"));
        // What it does when the answer is made.
        arrive(wait, () => answer(answerOf(asked, given, fault, devices.answer(asked.output))));
      }),
    );
  };
  return {
    request,
    setFault: (host, device, fault) => {
      const place = device === undefined ? host : `${host} ${device}`;
      if (fault) faults.set(place, fault);
      else faults.delete(place);
    },
  };
}

interface Asked {
  output: string;
  what: "sending" | "question";
  host: string;
  payload: string;
  sendingId: string | undefined;
}

/** By the addresses that households have: `http://host/device1/set?turn=off&id=7`, `http://host/device1/state`. */
function readRequest({ url, body }: WebRequest): Asked {
  const { origin, pathname, searchParams } = new URL(url);
  const [, output = "", what] = pathname.split("/");
  return {
    output,
    what: what === "state" ? "question" : "sending",
    host: origin,
    payload: searchParams.get("turn") ?? body ?? "",
    sendingId: searchParams.get("id") ?? undefined,
  };
}

function refusal({ status, retryAfter }: WebFault & { kind: "status" }, { url }: WebRequest): HttpAnswer {
  return {
    status,
    headers: {
      location: url,
      "www-authenticate": `Digest realm="${url}"`,
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
    body: "",
  };
}

function answerOf(
  { what }: Asked,
  given: WebRequest,
  fault: WebFault | undefined,
  state: string,
): HttpAnswer {
  const all = JSON.stringify(given);
  if (what === "sending")
    return fault?.kind === "echo" ? { status: 200, headers: { "x-echo": all }, body: all } : ok("ok");
  switch (fault?.kind) {
    case "no json":
      return ok("<html>not what you look for</html>");
    case "no value":
      return ok(nest("other", 1));
    case "compressed":
      return { status: 200, headers: { "content-encoding": "gzip" }, body: state };
    case "echo":
      return { status: 200, headers: { "x-echo": all }, body: withEcho(state, given) };
    default:
      return ok(state);
  }
}

/**
 * In JSON the echo is beside what is asked for. Another answer is shown as a whole, and vigie masks only the secret of a file in it: an
 * echo that holds more stays away.
 */
function withEcho(state: string, { url, headers }: WebRequest): string {
  const echo = JSON.stringify({ url, headers });
  if (state.startsWith("{")) return JSON.stringify({ echo, ...JSON.parse(state) });
  return WRITTEN_OUT.test(echo) ? state : echo;
}

function ok(body: string): HttpAnswer {
  return { status: 200, headers: {}, body };
}

/** Milliseconds. */
const CONNECTS = 5;
const ANSWERS = 40;
