import { z } from "zod";
import type { Outputs } from "../core/outputs/output.ts";
import { duration, idWord, topic } from "./value-schemas.ts";

const A_PAYLOAD = 'a text, in quotes where it is a number: "18"';
const payload = z.string({ error: A_PAYLOAD }).min(1, { error: A_PAYLOAD });

const confirm = z
  .strictObject({
    topic: topic.meta({ description: "Topic on which the device publishes its state." }),
    expect: payload.exactOptional().meta({
      description:
        "What the device publishes once it has done what the payload says. Default: the payload itself, as most switches answer.",
    }),
    every: duration("5s", "1h").prefault("30s").meta({
      description: "How long to wait before the payload is sent again. Default 30s.",
    }),
    for: duration("5s", "24h").prefault("1h").meta({
      description:
        "How long to go on before vigie reports that the device does not follow (the problem `output`); at least as long as `every`. Default 1h.",
    }),
  })
  .check(({ value, issues }) => {
    if (value.for >= value.every) return;
    const message = `at least ${value.every / 1000}s, the value of confirm.every`;
    issues.push({ code: "custom", path: ["for"], message, input: value.for });
  })
  .meta({
    description:
      "Sends the payload again until the device itself confirms it. Default none: it is sent once.",
  });

const choice = z.strictObject({
  when: idWord.meta({ description: "Id of a rule: the payload applies while this rule is ON." }),
  payload: payload.meta({
    description:
      "What is sent, as text; numbers in quotes. May contain facts: {next.color}, {next.date}, {left.rouge}, …; an unknown one becomes None.",
  }),
  expect: payload.exactOptional().meta({
    description:
      "What the device publishes once it has done what this payload says. Default: confirm.expect, else the payload.",
  }),
});

const output = z.strictObject({
  topic: topic.meta({ description: "Topic of the device, written in full; one output a topic." }),
  choose: z
    .array(choice, { error: 'a list of choices, such as [{ when: rouge_peak, payload: "off" }]' })
    .min(1, { error: "at least one choice" })
    .meta({ description: "Payloads and their rules; the first one whose rule is ON counts." }),
  else: payload.exactOptional().meta({
    description:
      "Payload while none of these rules is ON. Default none: nothing is sent when a choice ends. Never sent before a choice was: vigie does not undo what it did not do.",
  }),
  unknown: payload.exactOptional().meta({
    description:
      "Payload while the rule that decides is unknown. Default none: the payload that was sent last stays.",
  }),
  qos: z
    .union([z.literal(0), z.literal(1), z.literal(2)], { error: "0, 1 or 2" })
    .default(1)
    .meta({
      description:
        "How the message is secured on its way to the broker: 0, 1 or 2. Default 1: with 0 it may be lost, 2 costs more and is seldom worth it.",
    }),
  retain: z.boolean().default(false).meta({
    description:
      "Whether the broker keeps the message for a device that comes later. Default false: a retained command switches the device again at each of its starts.",
  }),
  confirm: confirm.exactOptional(),
});

const A_LIST = "a list of outputs, or { dry_when_simulated: …, list: … }";
const list = z.array(output, { error: A_LIST });

/**
 * A list, or a group with the list in it: only there an option that is about all outputs can be set, as
 * `outputs.dry_when_simulated`.
 */
export const outputsOptions = z
  .union(
    [
      list,
      z.strictObject({
        dry_when_simulated: z.boolean().default(false).meta({
          description:
            "Whether outputs ignore a simulation and follow the true days. Default false: a simulation reaches the devices, which is what it is for.",
        }),
        list: list.default([]).meta({ description: "The outputs. Default none." }),
      }),
    ],
    { error: A_LIST },
  )
  .default([])
  .meta({
    description:
      "What is sent to devices while a rule is ON: a list of outputs, or { dry_when_simulated, list }. Default none.",
  });

export function finishOutputs(given: z.output<typeof outputsOptions>): Outputs {
  return Array.isArray(given) ? { dry_when_simulated: false, list: given } : given;
}
