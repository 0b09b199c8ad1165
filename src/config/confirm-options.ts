import { z } from "zod";
import { outputAddress } from "./http-output-options.ts";
import { template } from "./payload-options.ts";
import { duration, jsonPath, topic, writeLength } from "./value-schemas.ts";

const AN_ANSWER = "a text, a number, true, false, or an object that the message contains";

const online = z.strictObject({
  topic: topic.meta({ description: "Topic on which the device says that it is there." }),
  equals: z
    .union([template, z.number().transform(String), z.boolean().transform(String)], { error: AN_ANSWER })
    .meta({
      description:
        "What this topic holds while the device is there: a text, a number, true or false, or an object that the message contains, such as { state: online }.",
    }),
});

export const confirm = z
  .strictObject({
    topic: topic.exactOptional().meta({ description: "Topic on which the device publishes its state." }),
    url: outputAddress(["secret"]).exactOptional().meta({
      description:
        "Address that is asked for the state of the device (GET), instead of topic. {secret} may stand in its path and its query.",
    }),
    path: jsonPath("state or switch.output").exactOptional().meta({
      description:
        "Where the value is in the JSON that the device reports: keys joined by dots. Default: the report as a whole counts.",
    }),
    expect: template.exactOptional().meta({
      description:
        "What the device reports once it has done what the payload says; only where the output has one payload, else write expect beside each payload. Default: the payload itself.",
    }),
    every: duration("5s", "1h").prefault("30s").meta({
      description: "How long to wait before the payload is sent again. Default 30s.",
    }),
    for: duration("5s", "24h").prefault("1h").meta({
      description:
        "How long to go on before vigie reports that the device does not follow (the problem `output`); at least as long as `every`. Default 1h.",
    }),
    keep: z.boolean().default(false).meta({
      description:
        "Whether the payload of a choice is sent again when the device does something else later. Default false: somebody may have switched it by hand.",
    }),
    online: online.exactOptional().meta({
      description:
        "Where the device says that it is there: the payload of a choice is sent again whenever it comes back, and since when it is away is shown. Default none.",
    }),
  })
  .check(({ value, issues }) => {
    // A duration that is wrong itself is still a text, and no bound of the other.
    if (typeof value.every !== "number" || !(value.for < value.every)) return;
    const message = `at least ${writeLength(value.every)}, the value of confirm.every`;
    issues.push({ code: "custom", path: ["for"], message, input: value.for });
  })
  .meta({
    description:
      "Sends the payload again until the device itself confirms it. Default none: it is sent once.",
  });
