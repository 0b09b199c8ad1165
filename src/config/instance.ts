import { type FileRequest, readConfigFile } from "./file.ts";
import { valueAt } from "./value.ts";

/**
 * The instance alone: whoever looks after a running vigie asks for it every 30 s, and the whole configuration takes longer
 * to read than all the rest. Undefined where only the whole can tell.
 */
export async function readInstance(request: FileRequest): Promise<string | undefined> {
  const { env } = request;
  const isElsewhere = env["VIGIE_INSTANCE_FILE"] || env["CREDENTIALS_DIRECTORY"];
  const named = env["VIGIE_INSTANCE"] || (isElsewhere ? undefined : await namedInFile(request));
  return typeof named === "string" && A_NAME.test(named) ? named : undefined;
}

async function namedInFile(request: FileRequest): Promise<unknown> {
  const { value, problems } = await readConfigFile(request);
  return problems.length > 0 ? undefined : (valueAt(value, ["instance"]) ?? "vigie");
}

const A_NAME = /^[a-z\d_]{1,40}$/;
