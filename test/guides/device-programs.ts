import mqtt from "mqtt";

/** A relay as its documentation describes it: what it takes, and what it publishes then. */
export interface Relay {
  isOn: () => boolean;
  /** From now on it takes commands, reports, and stays as it is. */
  disobey: () => void;
  disconnect: () => Promise<void>;
}

interface Documented {
  /** The topic of its commands. */
  takes: string;
  /** Whether the payload says on; undefined: it is no command of this device. */
  read: (payload: string) => boolean | undefined;
  /** What it publishes after a command. */
  reports: (isOn: boolean, command: string, wasOn: boolean) => Report[];
}

interface Report {
  topic: string;
  payload: string;
  retain?: boolean;
}

/** By the title of its part in docs/devices.md. */
export const DOCUMENTED: Record<string, Documented> = {
  "Shelly, first generation": {
    takes: "shellies/shelly1pm-A4CF12F3C5D6/relay/0/command",
    read: (payload) => ({ on: true, off: false })[payload],
    reports: (isOn) => [
      { topic: "shellies/shelly1pm-A4CF12F3C5D6/relay/0", payload: isOn ? "on" : "off" },
      { topic: "shellies/shelly1pm-A4CF12F3C5D6/relay/0/power", payload: isOn ? "2000.00" : "0.00" },
    ],
  },
  "Shelly, second generation and later": {
    takes: "shellyplus1pm-a8032ab12345/rpc",
    read: (payload) => {
      const { id, src, method, params } = JSON.parse(payload);
      const isRequest = id !== undefined && typeof src === "string" && method === "Switch.Set";
      return isRequest && params.id === 0 && typeof params.on === "boolean" ? params.on : undefined;
    },
    reports: (isOn, command, was_on) => {
      const { id, src } = JSON.parse(command);
      const device = "shellyplus1pm-a8032ab12345";
      const part = { id: 0, output: isOn, source: "MQTT" };
      const status = {
        ...part,
        apower: isOn ? 2000.5 : 0,
        voltage: 231.2,
        temperature: { tC: 41.5, tF: 106.7 },
      };
      const change = { src: device, dst: `${device}/events`, method: "NotifyStatus" };
      return [
        { topic: `${src}/rpc`, payload: JSON.stringify({ id, src: device, dst: src, result: { was_on } }) },
        {
          topic: `${device}/events/rpc`,
          payload: JSON.stringify({ ...change, params: { ts: 1788945292.88, "switch:0": part } }),
        },
        { topic: `${device}/status/switch:0`, payload: JSON.stringify(status) },
      ];
    },
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
  },
  zigbee2mqtt: {
    takes: "zigbee2mqtt/boiler_plug/set",
    read: (payload) => ({ ON: true, OFF: false })[String(JSON.parse(payload).state)],
    reports: (isOn) => {
      const state = { linkquality: 120, power: isOn ? 2000 : 0, state: isOn ? "ON" : "OFF", voltage: 231 };
      return [{ topic: "zigbee2mqtt/boiler_plug", payload: JSON.stringify(state) }];
    },
  },
  ESPHome: {
    takes: "boiler/switch/relay/command",
    read: (payload) => ({ ON: true, OFF: false })[payload],
    reports: (isOn) => [{ topic: "boiler/switch/relay/state", payload: isOn ? "ON" : "OFF", retain: true }],
  },
  OpenBeken: {
    takes: "obk_boiler/1/set",
    read: (payload) => ({ "1": true, "0": false })[payload],
    reports: (isOn) => [{ topic: "obk_boiler/1/get", payload: isOn ? "1" : "0" }],
  },
};

/** A relay that is on, on this broker. A payload that it does not know has no effect, and no report. */
export async function startRelay({ takes, read, reports }: Documented, url: string): Promise<Relay> {
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0 });
  let isOn = true;
  let obeys = true;
  client.on("message", (_, bytes) => {
    const command = bytes.toString();
    const wanted = read(command);
    if (wanted === undefined) return;
    const wasOn = isOn;
    if (obeys) isOn = wanted;
    for (const { topic, payload, retain = false } of reports(isOn, command, wasOn))
      client.publish(topic, payload, { retain });
  });
  await client.subscribeAsync(takes);
  const disobey = () => {
    obeys = false;
  };
  return { isOn: () => isOn, disobey, disconnect: () => client.endAsync() };
}
