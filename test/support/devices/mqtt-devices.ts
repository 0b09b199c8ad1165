import { randomUUID } from "node:crypto";
import mqtt, { type MqttClient } from "mqtt";

/** A relay as its documentation describes it: what it takes, and what it publishes then. */
export interface MqttRelay {
  isOn: () => boolean;
  /** All that it was sent so far. */
  told: string[];
  /** Of this, what its documentation does not know: it had no effect, and no report. */
  refused: string[];
  /** From now on it takes commands, reports, and stays as it is. */
  disobey: () => void;
  /** Somebody presses the button on it: it changes, and reports. */
  press: () => void;
  /** The broker notices that it is gone, and says so where it was asked to. */
  cutPower: () => Promise<void>;
  /** It comes back ON. Whether it then reports its state by itself differs between devices, versions and settings. */
  returnPower: (options: { reports: boolean }) => Promise<void>;
  disconnect: () => Promise<void>;
}

interface Documented {
  /** The topic of its commands. */
  takes: string;
  /** Whether the payload says on; undefined: it is no command of this device. */
  read: (payload: string) => boolean | undefined;
  /** What it publishes after a command, or without one: somebody pressed the button, or it has started. */
  reports: (isOn: boolean, command: string | null, wasOn: boolean) => Report[];
  /** Where it says whether it is there; retained. */
  isThere: { topic: string; yes: string; no: string };
  /** The program at the broker is not the device: it stays connected when the device has no power. */
  behindBridge?: true;
}

interface Report {
  topic: string;
  payload: string;
  retain?: boolean;
}

const GEN1 = "shellies/shelly1pm-A4CF12F3C5D6";
const GEN2 = "shellyplus1pm-a8032ab12345";

/** By the title of its part in docs/devices.md. */
export const MQTT_DEVICES: Record<string, Documented> = {
  "Shelly, first generation": {
    takes: `${GEN1}/relay/0/command`,
    read: (payload) => ({ on: true, off: false })[payload],
    reports: (isOn) => [
      { topic: `${GEN1}/relay/0`, payload: isOn ? "on" : "off" },
      { topic: `${GEN1}/relay/0/power`, payload: isOn ? "2000.00" : "0.00" },
    ],
    isThere: { topic: `${GEN1}/online`, yes: "true", no: "false" },
  },
  "Shelly, second generation and later": {
    takes: `${GEN2}/rpc`,
    read: (payload) => {
      const { id, src, method, params } = JSON.parse(payload);
      const isRequest = id !== undefined && typeof src === "string" && method === "Switch.Set";
      return isRequest && params.id === 0 && typeof params.on === "boolean" ? params.on : undefined;
    },
    reports: (isOn, command, was_on) => {
      const part = { id: 0, output: isOn, source: command === null ? "button" : "MQTT" };
      const status = {
        ...part,
        apower: isOn ? 2000.5 : 0,
        voltage: 231.2,
        temperature: { tC: 41.5, tF: 106.7 },
      };
      const change = { src: GEN2, dst: `${GEN2}/events`, method: "NotifyStatus" };
      return [
        ...(command === null ? [] : [answerOfGen2(command, was_on)]),
        {
          topic: `${GEN2}/events/rpc`,
          payload: JSON.stringify({ ...change, params: { ts: 1788945292.88, "switch:0": part } }),
        },
        { topic: `${GEN2}/status/switch:0`, payload: JSON.stringify(status) },
      ];
    },
    isThere: { topic: `${GEN2}/online`, yes: "true", no: "false" },
  },
  Tasmota: {
    takes: "cmnd/boiler/POWER",
    read: (payload) => ({ on: true, off: false, "1": true, "0": false })[payload.toLowerCase()],
    reports: (isOn) => {
      const word = isOn ? "ON" : "OFF";
      return [
        { topic: "stat/boiler/RESULT", payload: JSON.stringify({ POWER: word }) },
        { topic: "stat/boiler/POWER", payload: word },
      ];
    },
    isThere: { topic: "tele/boiler/LWT", yes: "Online", no: "Offline" },
  },
  zigbee2mqtt: {
    takes: "zigbee2mqtt/boiler_plug/set",
    read: (payload) => ({ ON: true, OFF: false })[String(JSON.parse(payload).state)],
    reports: (isOn) => {
      const state = { linkquality: 120, power: isOn ? 2000 : 0, state: isOn ? "ON" : "OFF", voltage: 231 };
      return [{ topic: "zigbee2mqtt/boiler_plug", payload: JSON.stringify(state) }];
    },
    isThere: {
      topic: "zigbee2mqtt/boiler_plug/availability",
      yes: '{"state":"online"}',
      no: '{"state":"offline"}',
    },
    behindBridge: true,
  },
  ESPHome: {
    takes: "boiler/switch/relay/command",
    read: (payload) => ({ ON: true, OFF: false })[payload],
    reports: (isOn) => [{ topic: "boiler/switch/relay/state", payload: isOn ? "ON" : "OFF", retain: true }],
    isThere: { topic: "boiler/status", yes: "online", no: "offline" },
  },
  OpenBeken: {
    takes: "obk_boiler/1/set",
    read: (payload) => ({ "1": true, "0": false })[payload],
    reports: (isOn) => [{ topic: "obk_boiler/1/get", payload: isOn ? "1" : "0" }],
    isThere: { topic: "obk_boiler/connected", yes: "online", no: "offline" },
  },
};

function answerOfGen2(command: string, was_on: boolean): Report {
  const { id, src } = JSON.parse(command);
  return { topic: `${src}/rpc`, payload: JSON.stringify({ id, src: GEN2, dst: src, result: { was_on } }) };
}

/** A relay that is on, on this broker. */
export async function startMqttRelay(documented: Documented, url: string): Promise<MqttRelay> {
  const { takes, read, reports, isThere, behindBridge } = documented;
  const told: string[] = [];
  const refused: string[] = [];
  let isOn = true;
  let obeys = true;
  let hasPower = true;
  let client = await connect();

  async function connect(): Promise<MqttClient> {
    const will = { topic: isThere.topic, payload: Buffer.from(isThere.no), qos: 1 as const, retain: true };
    // A client id of its own, as after a power cut: nothing of the session before is left.
    const clientId = `device-${randomUUID()}`;
    const connected = await mqtt.connectAsync(url, {
      clientId,
      reconnectPeriod: 0,
      ...(!behindBridge && { will }),
    });
    connected.on("error", () => undefined);
    connected.on("message", (_, bytes) => {
      const command = bytes.toString();
      told.push(command);
      take(connected, command);
    });
    await connected.subscribeAsync(takes, { qos: 1 });
    await connected.publishAsync(isThere.topic, isThere.yes, { qos: 1, retain: true });
    return connected;
  }

  function take(connected: MqttClient, command: string): void {
    const wanted = readStrictly(command);
    if (wanted === undefined) refused.push(command);
    if (wanted === undefined || !hasPower) return;
    const wasOn = isOn;
    if (obeys) isOn = wanted;
    report(connected, command, wasOn);
  }

  function readStrictly(command: string): boolean | undefined {
    try {
      return read(command);
    } catch {
      return undefined;
    }
  }

  function report(connected: MqttClient, command: string | null, wasOn: boolean): void {
    for (const { topic, payload, retain = false } of reports(isOn, command, wasOn))
      connected.publish(topic, payload, { retain });
  }

  async function sayIsThere(yes: boolean): Promise<void> {
    await client.publishAsync(isThere.topic, yes ? isThere.yes : isThere.no, { qos: 1, retain: true });
  }

  return {
    isOn: () => isOn,
    told,
    refused,
    disobey: () => {
      obeys = false;
    },
    press: () => {
      isOn = !isOn;
      report(client, null, !isOn);
    },
    cutPower: async () => {
      hasPower = false;
      if (behindBridge) return sayIsThere(false);
      const gone = new Promise<void>((resolve) => client.once("close", () => resolve()));
      client.stream.destroy();
      await gone;
    },
    returnPower: async (options) => {
      hasPower = true;
      isOn = true;
      if (behindBridge) await sayIsThere(true);
      else client = await connect();
      if (options.reports) report(client, null, isOn);
    },
    disconnect: () => client.endAsync(true),
  };
}
