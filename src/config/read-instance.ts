import { valueAt } from "../runtime/value-at.ts";
import { type FileRequest, readConfigFile } from "./config-file.ts";
import { ID_WORD, LONGEST_ID_WORD, USUAL_INSTANCE } from "./id-word.ts";

/**
 * The instance alone: that something else in the file became wrong is no illness of the vigie that runs, and the whole takes
 * longer to read than all the rest. Undefined where only the whole can tell.
 */
export async function readInstance(request: FileRequest): Promise<string | undefined> {
  const { env } = request;
  const isElsewhere = env["VIGIE_INSTANCE_FILE"] || env["CREDENTIALS_DIRECTORY"];
  const named = env["VIGIE_INSTANCE"] || (isElsewhere ? undefined : await namedInFile(request));
  const isName = typeof named === "string" && named.length <= LONGEST_ID_WORD && ID_WORD.test(named);
  return isName ? named : undefined;
}

async function namedInFile(request: FileRequest): Promise<unknown> {
  const { value, problems } = await readConfigFile(request);
  return problems.length > 0 ? undefined : (valueAt(value, ["instance"]) ?? USUAL_INSTANCE);
}
