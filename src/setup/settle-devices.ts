import {
  DEVICE_KINDS,
  DEVICE_USES,
  type Device,
  type DeviceKind,
  type DeviceUse,
  deviceOutput,
  isRelay,
  type KnownDevice,
  type WrittenOutput,
} from "../config/device-templates.ts";
import { deviceProblems } from "../config/form-options.ts";
import { payloadsOf } from "../config/output-parts.ts";
import { findPlaceholders } from "../core/outputs/placeholders.ts";
import { BrokerError } from "../mqtt/broker-errors.ts";
import { type Added, freeId, type Place, tryUntilDecided } from "./added-outputs.ts";
import type { WatchedBroker } from "./broker.ts";
import { type GivenDevice, type Setup, SetupFailed } from "./context.ts";
import { findDevices } from "./find-devices.ts";
import { parsePart } from "./parse-part.ts";
import type { Questions } from "./person.ts";
import { rulesFor } from "./rules-for.ts";
import { explainBrokerError } from "./settle-broker.ts";
import { NotTakenBack, type Outcome, sendingsOf, tryDevice } from "./try-device.ts";

/** One that is an option. */
export async function takeDevice(given: GivenDevice, added: Added, place: Place): Promise<Added> {
  const { options, words } = place.setup;
  const { device } = given;
  if (device.kind !== "other" && !isRelay(device.kind, device.relay ?? ""))
    throw new SetupFailed(`--device relay=${device.relay}: ${words.not_a_relay}`, { isUsage: true });
  const output = outputOf(given, added);
  const next = withDevice(added, given, output);
  const problems = problemsOf(next, place.setup);
  if (problems.length > 0) throw new SetupFailed(`--device\n${problems.join("\n")}`, { isUsage: true });
  const isSure = !options.tries || (await attempt(output, place.broker, place.setup));
  return { ...next, areSure: added.areSure && isSure };
}

/** One that the person describes, unless the person goes back, it is refused, or not wanted after a try. */
export async function addDevice(
  ask: Questions,
  use: DeviceUse,
  added: Added,
  { setup, broker }: Place,
): Promise<Added> {
  const { person, words, language } = setup;
  const device = await askDevice(ask, setup, broker);
  if (device === null) return added;
  const name = await ask.type(words.which_name, { usual: DEVICE_USES[use].name[language] });
  const given = { use, device, name };
  const output = outputOf(given, added);
  const next = withDevice(added, given, output);
  const problems = problemsOf(next, setup);
  if (problems.length === 0) return (await isWanted(ask, output, device.kind, broker, setup)) ? next : added;
  person.say("bad", `${words.output_refused}\n${problems.join("\n")}`);
  return added;
}

function withDevice(added: Added, given: GivenDevice, output: WrittenOutput): Added {
  const { outputs, rows } = added;
  return { ...added, outputs: [...outputs, output], rows: [...rows, rowOf(given)] };
}

/** The name of a use is in both languages, unless the person has chosen another. */
function outputOf({ use, device, id, name }: GivenDevice, added: Added): WrittenOutput {
  const usual = DEVICE_USES[use];
  const isUsual = name === undefined || name === "" || Object.values<string>(usual.name).includes(name);
  const names = { id: id ?? freeId(usual.id, added), name: isUsual ? usual.name : name };
  return deviceOutput({ ...names, when: usual.rule.id }, device);
}

/** Of the last device. The words of the form first, which people read; beside them only an option of a script can be wrong. */
function problemsOf({ rows, outputs }: Added, { language }: Setup): string[] {
  const problems = deviceProblems(rows, language);
  return problems.length > 0 ? problems : parsePart({ rules: rulesFor(outputs), outputs }).problems;
}

/** As the form of the Home Assistant app has it. */
function rowOf({ use, device, name }: GivenDevice): object {
  if (device.kind !== "other") return { use, name, ...device };
  const { topic, ...others } = device;
  return { use, name, place: topic, ...others };
}

/** One that was seen on the broker, or one that is typed. null: none of these. */
async function askDevice(ask: Questions, setup: Setup, broker: WatchedBroker): Promise<Device | null> {
  const { person, words } = setup;
  if (!broker.isBlind && findDevices(broker.seen).length === 0) {
    person.say("wait", words.looking);
    await broker.looked;
  }
  for (;;) {
    const found = findDevices(broker.seen);
    if (found.length === 0) {
      if (!broker.isBlind) person.say("note", words.no_device_seen);
      return typeDevice(ask, setup);
    }
    const chosen = await ask.choose<KnownDevice | "again" | "typed" | null>(words.which_device, [
      ...found.map((value) => ({ value, label: labelOf(value, words) })),
      { value: "again", label: words.look_again },
      { value: "typed", label: words.device_typed },
      { value: null, label: words.go_back },
    ]);
    if (chosen === "typed") return typeDevice(ask, setup);
    if (chosen !== "again") return chosen;
    person.say("wait", words.looking);
    await broker.look();
  }
}

function labelOf({ kind, place, relay }: KnownDevice, words: Setup["words"]): string {
  const which = relay === undefined ? "" : ` · ${words.relay(relay)}`;
  return `${place}${which} · ${words.kinds[kind].replace(/ \(.*/, "")}`;
}

async function typeDevice(ask: Questions, { words }: Setup): Promise<Device | null> {
  const check = (text: string) => (text === "" ? words.not_empty : undefined);
  const kind = await ask.choose<DeviceKind | null>(words.which_kind, [
    ...DEVICE_KINDS.map((value) => ({ value, label: words.kinds[value] })),
    { value: null, label: words.go_back },
  ]);
  if (kind === null) return null;
  if (kind !== "other") {
    const place = await ask.type(words.which_place[kind], { check });
    const checkRelay = (text: string) => (isRelay(kind, text) ? undefined : words.not_a_relay);
    const relay =
      kind === "esphome"
        ? ask.type(words.which_switch, { check })
        : ask.type(words.which_relay, { check: checkRelay });
    return { kind, place, relay: (await relay) || undefined };
  }
  return {
    kind,
    topic: await ask.type(words.other_topic, { check }),
    payload: await ask.type(words.other_payload, { check }),
    otherwise: (await ask.type(words.other_else)) || undefined,
    report: (await ask.type(words.other_report)) || undefined,
  };
}

/** Whether it belongs into the configuration: after a try, if the person wants one. */
async function isWanted(
  ask: Questions,
  output: WrittenOutput,
  kind: DeviceKind,
  broker: WatchedBroker,
  setup: Setup,
): Promise<boolean> {
  const { words } = setup;
  if (!hasPlaceholders(output) && !(await ask.agree(describeTry(output, kind, words)))) return true;
  return tryUntilDecided(ask, words, words.device_unsure, () => attempt(output, broker, setup));
}

/** Every kind but `other` is a switch; another device may take temperatures. */
function describeTry(output: WrittenOutput, kind: DeviceKind, words: Setup["words"]): string {
  const { off, on } = sendingsOf(output);
  const isSwitch = kind !== "other" || (/^off$/i.test(off.payload) && /^on$/i.test(on?.payload ?? ""));
  if (!isSwitch || on === null) return words.try_it(off.payload, on?.payload ?? null);
  // An object is no word for a person.
  const shown = ({ payload }: typeof off) => (payload.startsWith("{") ? "" : ` (${payload})`);
  return words.try_switch(shown(off), shown(on));
}

function hasPlaceholders(output: WrittenOutput): boolean {
  return payloadsOf(output).some(({ payload }) => findPlaceholders(payload).length > 0);
}

/** Says what became of each payload. Nothing is known yet that could stand in place of `{now.color}`. */
async function attempt(output: WrittenOutput, { given }: WatchedBroker, setup: Setup): Promise<boolean> {
  const { words, person } = setup;
  const { say, signal } = person;
  if (hasPlaceholders(output)) {
    say("note", words.not_tried(output.topic));
    return true;
  }
  const report = output.confirm?.topic ?? "";
  const describe = (outcome: Outcome): string => {
    switch (outcome.state) {
      case "confirmed":
        return words.confirmed(report, outcome.answer);
      case "other":
        return words.answers_other(report, outcome.answer);
      case "silent":
        return words.not_confirmed(report);
      case "sent":
        return words.sent_only;
    }
  };
  try {
    return await tryDevice(output, given, {
      signal,
      post: (event) => {
        if ("payload" in event) return say("wait", `${output.topic} ← ${event.payload}`);
        const isGood = event.outcome.state === "confirmed" || event.outcome.state === "sent";
        say(isGood ? "good" : "bad", describe(event.outcome));
      },
    });
  } catch (error) {
    if (error instanceof NotTakenBack) say("bad", words.not_taken_back(output.topic, error.message));
    signal.throwIfAborted();
    if (error instanceof BrokerError) {
      const topics = { topic: output.topic, report: output.confirm?.topic };
      say("bad", await explainBrokerError(error, topics, given, setup));
    } else if (!(error instanceof NotTakenBack)) throw error;
    return false;
  }
}
