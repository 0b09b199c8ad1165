import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WrittenMessage } from "../config/message-templates.ts";
import { type Output, templateText } from "../core/outputs/output.ts";
import { composeSending, NotComposable } from "../http-devices/compose-request.ts";
import { isSuccess, RequestFailed, requestDevice } from "../http-devices/request-device.ts";
import { inventId } from "../runtime/random-id.ts";
import { VERSION } from "../runtime/version.ts";
import { deadline } from "../runtime/wait.ts";
import { type GivenBroker, openBroker } from "./broker.ts";
import { type NetworkProblem, networkDetail, networkProblem } from "./network-problem.ts";
import { parsePart } from "./parse-part.ts";
import { rulesFor } from "./rules-for.ts";

/** Why a service has not taken a message, for words in the language of the person. */
export type MessageProblem =
  | NetworkProblem
  | "not_found"
  | "no_access"
  | "refused"
  | "failed"
  | "secret_unread";

/** `detail`: what helps in any language, such as `HTTP 503`. */
export type Delivery = { taken: true } | { taken: false; problem: MessageProblem; detail: string | null };

/**
 * Sends a text as the running vigie would send it. Rejects with a BrokerError if it goes over MQTT and fails. `secret` is what a
 * file will hold that is not written yet.
 */
export async function tryMessage(
  written: WrittenMessage,
  secret: string | undefined,
  broker: GivenBroker,
  signal: AbortSignal,
): Promise<Delivery> {
  if (secret === undefined) return send(readOutput(written), broker, signal);
  const folder = await mkdtemp(join(tmpdir(), "vigie-setup-"));
  try {
    const secret_file = join(folder, "secret");
    await writeFile(secret_file, secret, { mode: 0o600 });
    return await send(readOutput({ ...written, secret_file }), broker, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function send(output: Output, broker: GivenBroker, signal: AbortSignal): Promise<Delivery> {
  const { to, access } = output;
  const [{ payload } = { payload: "" }] = output.choose;
  const text = templateText(payload);
  if (to.kind === "mqtt") {
    const connection = await openBroker(broker, { signal });
    try {
      await connection.publish({ topic: to.topic, payload: text, retain: false });
    } finally {
      await connection.close();
    }
    return { taken: true };
  }
  const limit = deadline(LIMIT, signal, () => new Error("too late"));
  try {
    const id = inventId(Math.random);
    const due = { number: 1, output: output.id, payload: text, by: { kind: "http" as const, id } };
    const request = await composeSending(to, access, due, { version: VERSION, signal: limit.signal });
    return judge((await requestDevice(request, limit.signal)).status);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NotComposable) return { taken: false, problem: "secret_unread", detail: null };
    if (!(error instanceof RequestFailed)) throw error;
    const problem = limit.signal.aborted ? "silent" : networkProblem(error.code);
    return { taken: false, problem, detail: networkDetail(problem, error) };
  } finally {
    limit.clear();
  }
}

function judge(status: number): Delivery {
  if (isSuccess(status)) return { taken: true };
  return { taken: false, problem: problemOf(status), detail: `HTTP ${status}` };
}

function problemOf(status: number): MessageProblem {
  if (status === 401 || status === 403) return "no_access";
  if (status === 404) return "not_found";
  return status >= 500 || status === 429 ? "failed" : "refused";
}

/** As the configuration reads it. */
function readOutput(written: WrittenMessage): Output {
  const { config, problems } = parsePart({ rules: rulesFor([written]), outputs: [written] });
  const [output] = config?.outputs.list ?? [];
  if (!output) throw new Error(`Expected a message that was checked, got: ${problems.join("; ")}`);
  return output;
}

const LIMIT = 10_000;
