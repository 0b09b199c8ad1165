import type { Broker } from "./broker.ts";
import type { Machine } from "./machine.ts";
import { nest } from "./nest.ts";
import { between, type Random } from "./random.ts";
import type { Device, ScriptEvent } from "./scenario.ts";

/** All devices of the house, by their ids. */
export interface Devices {
  /** Over HTTP it has read what it is to do; `host`: another one than before is another device. */
  obey: (id: string, payload: string, host: string) => void;
  /** What it does, as it answers to a question. */
  answer: (id: string) => string;
  hasPower: (id: string) => boolean;
  press: (id: string) => void;
  cutPower: (event: ScriptEvent & { kind: "power" }) => void;
  /** After the broker was down, or was emptied. */
  connectAgain: () => void;
}

interface DevicesOptions {
  machine: Machine;
  broker: Broker;
  random: Random;
}

interface Living {
  device: Device;
  /** In the words of its reports; null: it was not told anything. */
  does: string | null;
  /** What it was told last, in the same words. */
  told: string | null;
  host: string | null;
  hasPower: boolean;
  /** What was begun before the last of these does not go on. */
  turns: number;
}

/** Devices that hear what they are told, and report what they do. */
export function createDevices(
  devices: readonly Device[],
  { machine, broker, random }: DevicesOptions,
): Devices {
  const { later } = machine;
  const living = new Map(
    devices.map((device): [string, Living] => [
      device.id,
      { device, does: null, told: null, host: null, hasPower: true, turns: 0 },
    ]),
  );
  const report = (one: Living) => {
    const { report: to } = one.device;
    if (!to || one.does === null || !one.hasPower) return;
    broker.publish("device", { topic: to.topic, payload: sayIn(one), retain: to.retain });
  };
  const sayPresence = ({ device: { online } }: Living, word: "there" | "gone") => {
    if (online) broker.publish("device", { topic: online.topic, payload: online[word], retain: true });
  };
  const turnTo = (one: Living, does: string) => {
    one.does = does;
    if (one.device.manner !== "is silent") report(one);
  };
  /** Unless it was told or touched meanwhile. */
  const laterIfStill = (one: Living, milliseconds: number, run: () => void) => {
    one.turns += 1;
    const { turns } = one;
    later(milliseconds, () => {
      if (one.turns === turns && one.hasPower) run();
    });
  };
  const flap = (one: Living, word: string, left: number) => {
    if (left === 0) return;
    laterIfStill(one, between(1_000, 40_000, random), () => {
      turnTo(one, one.does === word ? otherThan(word) : word);
      flap(one, word, left - 1);
    });
  };
  const tell = (one: Living, payload: string) => {
    const { manner, words } = one.device;
    if (!one.hasPower || manner === "ignores") return;
    const word = words[payload] ?? payload;
    one.told = word;
    const does = manner === "contradicts" ? otherThan(word) : word;
    laterIfStill(one, manner === "answers late" ? LATE : SOON, () => {
      turnTo(one, does);
      if (manner === "is switched back")
        laterIfStill(one, between(500, 20_000, random), () => turnTo(one, otherThan(word)));
      if (manner === "flaps") flap(one, word, FLAPS);
    });
  };
  const comeBack = (one: Living, { back: how, keeps }: ScriptEvent & { kind: "power" }) => {
    one.hasPower = true;
    if (!keeps) one.does = otherThan(one.told);
    if (how === "report first") report(one);
    if (how !== "silence") sayPresence(one, "there");
    if (how === "report") report(one);
  };
  const reportAgain = (one: Living, every: number) => {
    report(one);
    later(every, () => reportAgain(one, every));
  };
  for (const one of living.values()) {
    const every = one.device.report?.every;
    if (every !== undefined) reportAgain(one, every * 1000);
    sayPresence(one, "there");
  }
  broker.onMessage(({ topic, payload }) => {
    for (const one of living.values())
      if (topic === (one.device.hears ?? `${one.device.id}/set`)) tell(one, payload);
  });
  return {
    obey: (id, payload, host) => {
      const one = living.get(id);
      if (!one) return;
      if (one.host !== null && one.host !== host) one.does = null;
      one.host = host;
      tell(one, payload);
    },
    answer: (id) => {
      const one = living.get(id);
      return one ? sayIn(one) : "";
    },
    hasPower: (id) => living.get(id)?.hasPower ?? true,
    press: (id) => {
      const one = living.get(id);
      if (!one?.hasPower) return;
      one.turns += 1;
      turnTo(one, one.does === one.told ? otherThan(one.told) : (one.told ?? otherThan(null)));
    },
    cutPower: (event) => {
      const { device, for: seconds, back } = event;
      const one = living.get(device);
      if (!one?.hasPower) return;
      one.hasPower = false;
      one.turns += 1;
      const { turns } = one;
      // Its broker tells after a while that it is gone.
      if (back !== "silence")
        later(Math.min(WILL, seconds * 500), () => one.turns === turns && sayPresence(one, "gone"));
      later(seconds * 1000, () => comeBack(one, event));
    },
    connectAgain: () => {
      for (const one of living.values()) {
        later(between(1_000, 15_000, random), () => {
          if (!one.hasPower) return;
          sayPresence(one, "there");
          if (one.device.manner !== "is silent") report(one);
        });
      }
    },
  };
}

function sayIn({ device: { path }, does }: Living): string {
  const word = does ?? otherThan(null);
  return path === undefined ? word : nest(path, typed(word));
}

/** As a device writes it in JSON. */
function typed(word: string): unknown {
  if (word === "true" || word === "false") return word === "true";
  return /^\d+$/.test(word) ? Number(word) : word;
}

/** What it does instead: something of the same kind. */
function otherThan(word: string | null): string {
  if (word === null) return "idle";
  if (word === "true" || word === "false") return String(word === "false");
  if (/^\d+$/.test(word)) return "7";
  return word.startsWith("{") ? '{"state":"idle","level":0}' : "idle";
}

const SOON = 300;
const LATE = 45_000;
const WILL = 45_000;
/** How many times a device changes its mind. */
const FLAPS = 12;
