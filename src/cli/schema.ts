import { jsonSchema } from "../config/config-schema.ts";
import { toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readArgs } from "./usage.ts";

/** Prints the JSON schema of the configuration file. */
export function schema(args: string[], io: Io): Promise<number> {
  return toExitCode("schema", io, async () => {
    // `--config` is understood everywhere; the schema is the same for each file.
    readArgs({ args, options: { config: { type: "string" } } });
    io.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
  });
}
