import { z } from "zod";
import { DEFAULT_STATE } from "./config-file.ts";
import { findConflicts } from "./conflicts.ts";
import { finishHttp, httpOptions } from "./http-options.ts";
import { DEFAULT_INSTANCE, ID_PATTERN } from "./id-word.ts";
import { finishMqtt, mqttOptions } from "./mqtt-options.ts";
import { finishOfficial, officialOptions } from "./official-options.ts";
import { finishOutputs, outputsOptions } from "./outputs-options.ts";
import { rulesOptions } from "./rules-options.ts";
import { serviceOptions } from "./service-options.ts";
import { finishTariff, tariffOptions } from "./tariff-options.ts";
import { idWord, topic } from "./value-schemas.ts";

const A_KEY = "the key of a component, such as now_slot";

const homeAssistant = z
  .strictObject({
    discovery: z.enum(["device", "components", "off"]).default("device").meta({
      description:
        "How Home Assistant learns of vigie's entities: device (in one message), components (one by one, for Domoticz and openHAB before 5.2) or off. Default device. Changing it keeps every entity with its history.",
    }),
    prefix: topic.default("homeassistant").meta({
      description:
        "Topic under which Home Assistant looks for discovery messages. Default homeassistant, its own default: change it only where it was changed there.",
    }),
    status_topic: topic.default("homeassistant/status").meta({
      description:
        "Topic where Home Assistant says that it has started; vigie then sends every discovery message again. Default homeassistant/status, its own default.",
    }),
    language: z.enum(["fr", "en"]).default("fr").meta({
      description:
        "Language of the entities' names, and of days in payloads such as {next.day}: fr or en. Default fr. Ids never depend on it.",
    }),
    exclude: z
      .array(z.string({ error: A_KEY }).regex(ID_PATTERN, { error: A_KEY }), {
        error: "a list of component keys, such as [now_color]",
      })
      .default([])
      .meta({
        description:
          "Entities to do without, by their keys (now_slot is sensor.vigie_now_slot). Default none. One that is deleted in Home Assistant comes back; one that is named here does not.",
      }),
  })
  .prefault({})
  .meta({ description: "Home Assistant, and whatever else reads its discovery messages." });

const log = z
  .strictObject({
    level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info").meta({
      description:
        "The least important level that is logged. Default info: one line for each thing that happened.",
    }),
    format: z.enum(["auto", "pretty", "journal", "json"]).default("auto").meta({
      description:
        "How lines look: pretty (for people, with the time of tariff.time_zone), journal (systemd), json (containers), or auto. Default auto: pretty on a terminal, journal under systemd, else json.",
    }),
  })
  .prefault({})
  .meta({ description: "What vigie logs while it runs." });

const A_FOLDER = "the path of a folder";

/** Every option. The descriptions are its documentation; the JSON schema for editors is made of them. */
export const options = z.strictObject({
  instance: idWord.default(DEFAULT_INSTANCE).meta({
    description:
      "Names the device, the base topic and the ids: small letters and digits, joined by underscores. Default vigie. Choose once: under another name everything is another device.",
  }),
  service: serviceOptions,
  official: officialOptions,
  mqtt: mqttOptions,
  homeassistant: homeAssistant,
  tariff: tariffOptions,
  rules: rulesOptions,
  outputs: outputsOptions,
  http: httpOptions,
  state: z.string({ error: A_FOLDER }).min(1, { error: A_FOLDER }).default(DEFAULT_STATE).meta({
    description:
      "Folder for what must survive a restart, relative to the working directory. Default: $STATE_DIRECTORY, which systemd sets, else ./state.",
  }),
  log,
});

/** Reads every option, finds conflicts between them, and gives the configuration. */
export const configSchema = options
  .superRefine(
    (given, context) => {
      for (const { path, expected, ...params } of findConflicts(given)) {
        context.addIssue({
          code: "custom",
          path,
          message: expected,
          params: { ...params, isConflict: true },
        });
      }
    },
    // Also if single options are wrong: all problems are reported at once.
    { when: () => true },
  )
  .transform(({ http, mqtt, official, outputs, tariff, ...others }) => ({
    ...others,
    tariff: finishTariff(tariff, others.service.base_url),
    official: finishOfficial(official, others.service.base_url),
    mqtt: finishMqtt(mqtt, others.instance),
    outputs: finishOutputs(outputs, others.homeassistant.language),
    http: finishHttp(http),
  }));

/** The JSON schema of the configuration file, for editors. */
export function jsonSchema(): object {
  const schema = z.toJSONSchema(options, { io: "input", target: "draft-7" });
  return {
    ...schema,
    title: "vigie",
    description: "Configuration of vigie.",
  };
}
