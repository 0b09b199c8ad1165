import { z } from "zod";
import type { Config } from "./config.ts";
import { homeAssistantOptions } from "./homeassistant-options.ts";
import { USUAL_INSTANCE } from "./id-word.ts";
import { mqttOptions, settleBroker } from "./mqtt-options.ts";
import { findClashes } from "./option-conflicts.ts";
import { findOutputClashes } from "./output-conflicts.ts";
import { outputsOptions, settleOutputs } from "./outputs-options.ts";
import { rulesOptions } from "./rules-options.ts";
import { serviceOptions } from "./service-options.ts";
import { tariffOptions } from "./tariff-options.ts";
import { idWord } from "./value-schemas.ts";

const log = z
  .strictObject({
    level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info").meta({
      description:
        "From which importance on something is said. Default info: one line for each thing that happened.",
    }),
    format: z.enum(["auto", "pretty", "journal", "json"]).default("auto").meta({
      description:
        "How lines look: pretty (for people), journal (systemd), json (containers), or auto. Default auto: pretty on a terminal, journal under systemd, else json.",
    }),
  })
  .prefault({})
  .meta({ description: "What vigie says while it runs." });

/** All options. What it says of each is the documentation; the JSON schema for editors is made of it. */
export const options = z.strictObject({
  instance: idWord.default(USUAL_INSTANCE).meta({
    description:
      "Names the device, the base topic and the ids: small letters and digits, joined by underscores. Default vigie. Choose once: under another name everything is another device.",
  }),
  service: serviceOptions,
  mqtt: mqttOptions,
  homeassistant: homeAssistantOptions,
  tariff: tariffOptions,
  rules: rulesOptions,
  outputs: outputsOptions,
  state: z
    .string({ error: "the path of a folder" })
    .min(1, { error: "the path of a folder" })
    .default("./state")
    .meta({
      description:
        "Folder for what must survive a restart, relative to the working directory. Default: $STATE_DIRECTORY, which systemd sets, else ./state.",
    }),
  log,
});

/** The same, checked for what options mean together, and as the rooms take it. */
export const configSchema = options
  .superRefine(
    (given, context) => {
      for (const { path, expected } of [...findClashes(given), ...findOutputClashes(given)]) {
        context.addIssue({ code: "custom", path, message: expected });
      }
    },
    // Also beside other problems: all are said at once.
    { when: () => true },
  )
  .transform(settle);

type Options = z.output<typeof options>;

function settle({ mqtt, outputs, ...rest }: Options): Config {
  return { ...rest, mqtt: settleBroker(mqtt, rest.instance), outputs: settleOutputs(outputs) };
}
