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
import { payloadsOf } from "../config/output-parts.ts";
import { findPlaceholders } from "../core/outputs/placeholders.ts";
import { BrokerError } from "../mqtt/broker-errors.ts";
import type { WatchedBroker } from "./broker.ts";
import { rulesFor } from "./compose-config.ts";
import { type GivenDevice, type Setup, SetupFailed } from "./context.ts";
import { findDevices } from "./find-devices.ts";
import { parsePart } from "./parse-part.ts";
import type { Questions } from "./person.ts";
import { NotTakenBack, type Outcome, sendingsOf, tryDevice } from "./try-device.ts";

export interface Devices {
  outputs: readonly WrittenOutput[];
  /** Each one that was tried has confirmed, as far as it reports. */
  areSure: boolean;
}

/** The devices that are options; else those that the person adds, one after the other. */
export async function settleDevices(setup: Setup, broker: WatchedBroker): Promise<Devices> {
  const { options, person, words } = setup;
  if (person.ask && options.devices.length === 0) return askDevices(person.ask, setup, broker);
  let devices: Devices = { outputs: [], areSure: true };
  for (const given of options.devices) {
    const { device } = given;
    if (device.kind !== "other" && !isRelay(device.kind, device.relay ?? ""))
      throw new SetupFailed(`--device relay=${device.relay}: ${words.not_a_relay}`, { isUsage: true });
    const output = outputOf(given, devices.outputs);
    const outputs = [...devices.outputs, output];
    const problems = problemsOf(outputs);
    if (problems.length > 0) throw new SetupFailed(`--device\n${problems.join("\n")}`, { isUsage: true });
    const isSure = !options.tries || (await attempt(output, broker, setup));
    devices = { outputs, areSure: devices.areSure && isSure };
  }
  return devices;
}

async function askDevices(ask: Questions, setup: Setup, broker: WatchedBroker): Promise<Devices> {
  const { person, words } = setup;
  let outputs: readonly WrittenOutput[] = [];
  for (;;) {
    const use = await ask.choose(
      words.which_use(outputs.length),
      [
        ...USES.map((value) => ({ value, label: words.uses[value], hint: words.use_hints[value] })),
        { value: null, label: words.no_device },
      ],
      outputs.length === 0 ? USES[0] : null,
    );
    if (use === null) return { outputs, areSure: true };
    const device = await askDevice(ask, setup, broker);
    const name = await ask.type(words.which_name, { usual: DEVICE_USES[use].name[setup.language] });
    const output = outputOf({ use, device, name }, outputs);
    const problems = problemsOf([...outputs, output]);
    if (problems.length > 0) person.say("bad", `${words.device_refused}\n${problems.join("\n")}`);
    else if (await isWanted(ask, output, device.kind, broker, setup)) outputs = [...outputs, output];
  }
}

const USES = Object.keys(DEVICE_USES) as DeviceUse[];

/** `boiler`, `boiler_2`. The name of a use is in both languages, unless the person has chosen another. */
function outputOf({ use, device, id, name }: GivenDevice, outputs: readonly WrittenOutput[]): WrittenOutput {
  const usual = DEVICE_USES[use];
  const isTaken = (one: string) => outputs.some((output) => output.id === one);
  let free: string = usual.id;
  for (let number = 2; isTaken(free); number += 1) free = `${usual.id}_${number}`;
  const isUsual = name === undefined || name === "" || Object.values<string>(usual.name).includes(name);
  return deviceOutput({ id: id ?? free, name: isUsual ? usual.name : name, when: usual.rule.id }, device);
}

function problemsOf(outputs: readonly WrittenOutput[]): string[] {
  return parsePart({ rules: rulesFor(outputs), outputs }).problems;
}

/** One that was seen on the broker, or one that is typed. */
async function askDevice(ask: Questions, setup: Setup, broker: WatchedBroker): Promise<Device> {
  const { person, words } = setup;
  if (!broker.isBlind && findDevices(broker.seen).length === 0) {
    person.say("wait", words.looking);
    await broker.looked;
  }
  for (;;) {
    const found = findDevices(broker.seen);
    if (found.length === 0) return typeDevice(ask, setup);
    const chosen = await ask.choose<KnownDevice | "again" | "typed">(words.which_device, [
      ...found.map((value) => ({ value, label: labelOf(value, words) })),
      { value: "again", label: words.look_again },
      { value: "typed", label: words.device_typed },
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

async function typeDevice(ask: Questions, { words }: Setup): Promise<Device> {
  const check = (text: string) => (text === "" ? words.not_empty : undefined);
  const kind = await ask.choose(
    words.which_kind,
    DEVICE_KINDS.map((value) => ({ value, label: words.kinds[value] })),
  );
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
  for (;;) {
    if (await attempt(output, broker, setup)) return true;
    const next = await ask.choose(words.device_unsure, [
      { value: "again", label: words.again },
      { value: "keep", label: words.keep_device },
      { value: "drop", label: words.drop_device },
    ]);
    if (next !== "again") return next === "keep";
  }
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
    if (error instanceof BrokerError) say("bad", error.message);
    else if (!(error instanceof NotTakenBack)) throw error;
    return false;
  }
}
