import { jsonSchema } from "../config/config-schema.ts";
import type { Io } from "./io.ts";

/** Prints the JSON schema of the configuration file. */
export async function schema(
  args: string[],
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
): Promise<number> {
  if (args.length > 0) {
    stderr.write(`vigie schema: expected no arguments, got ${args.join(" ")}\n`);
    return 2;
  }
  stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
  return 0;
}
