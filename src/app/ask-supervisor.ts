import { z } from "zod";
import type { NamedBroker } from "../config/form-settings.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { isSuccess, requestDevice } from "../http-devices/request-device.ts";
import { deadline } from "../runtime/wait.ts";

/** `none`: Home Assistant has no broker. `failed`: why it did not say. */
export type SupervisorAnswer = { broker: NamedBroker } | { none: true } | { failed: string };

/** Asks Home Assistant's Supervisor for the broker of this house. */
export async function askSupervisor(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<SupervisorAnswer> {
  const token = env["SUPERVISOR_TOKEN"];
  if (!token) return { failed: "it has given no SUPERVISOR_TOKEN" };
  const url = `${env["SUPERVISOR_URL"] || "http://supervisor"}/services/mqtt`;
  const headers = { authorization: `Bearer ${token}` };
  const limit = deadline(LONGEST_WAIT, signal, () => new Error("it does not answer"));
  try {
    const request = { method: "GET", url, headers, readsBody: true } as const;
    const { status, body } = await requestDevice(request, limit.signal);
    return readAnswer(status, body);
  } catch (error) {
    const { message } = limit.signal.aborted ? limit.signal.reason : (error as Error);
    return { failed: message };
  } finally {
    limit.clear();
  }
}

function readAnswer(status: number, body: Uint8Array): SupervisorAnswer {
  // "Service not enabled": there is none, or it has not told the Supervisor yet.
  if (status === 400) return { none: true };
  if (!isSuccess(status)) return { failed: `it answers with status ${status}` };
  const { data: answer } = answerSchema.safeParse(parseJson(new TextDecoder().decode(body)));
  if (!answer) return { failed: "its answer names no host and port" };
  const { host, port, ssl, username, password } = answer.data;
  return {
    broker: {
      url: `${ssl ? "mqtts" : "mqtt"}://${host}:${port}`,
      username: username || undefined,
      password: password || undefined,
    },
  };
}

const answerSchema = z.object({
  data: z.object({
    host: z.string().regex(/^[\w.-]+$/),
    port: z.int().min(1).max(65_535),
    ssl: z.boolean().nullish(),
    username: z.string().nullish(),
    password: z.string().nullish(),
  }),
});

const LONGEST_WAIT = 5_000;
