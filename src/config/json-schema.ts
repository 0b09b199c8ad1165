import { z } from "zod";
import { options } from "./config-schema.ts";

/** The JSON schema of the configuration file, for editors. */
export function jsonSchema(): object {
  const schema = z.toJSONSchema(options, { io: "input", target: "draft-7" });
  return {
    ...schema,
    title: "vigie",
    description: "Configuration of vigie, the lookout for three-colour electricity days.",
  };
}
