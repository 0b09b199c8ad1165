import type { WebFault } from "../scenario.ts";
import { type Happening, KILL, publishes, START, STOP, scenarioOf, sendsCommand } from "../script.ts";
import { BOILER_DEVICE, CONFIRMED_BOILER, houseWith, ROUGE_MORNING } from "./rouge-morning.ts";
import { look, type Scene } from "./scene.ts";

function pressedAt(time: string): Happening {
  return [time, { kind: "press", device: "boiler" }];
}

function webFaultAt(time: string, host: string, fault: WebFault, seconds: number): Happening {
  return [time, { kind: "web", host, fault, for: seconds }];
}

const NOT_OBEYED: Scene = {
  title: "a boiler that is switched back by hand and a heat pump that does not obey",
  scenario: scenarioOf({
    ...ROUGE_MORNING,
    to: "07:06",
    configs: [
      houseWith(CONFIRMED_BOILER, {
        topic: "heat_pump/set",
        choose: [{ when: "rouge_peak", payload: "17" }],
        else: "20",
        confirm: { topic: "heat_pump/setpoint", every: "5m", for: "20m" },
      }),
    ],
    devices: [
      BOILER_DEVICE,
      {
        id: "heat_pump",
        report: { topic: "heat_pump/setpoint", retain: false },
        path: undefined,
        manner: "ignores",
        words: {},
      },
    ],
    happenings: [
      ["05:45", START],
      ["05:58", look("one is confirmed, one is not")],
      pressedAt("06:02"),
      ["06:04", look("switched back once")],
      ...["06:08", "06:14", "06:20", "06:26", "06:28"].map(pressedAt),
      ["06:31", look("switched back again and again, and the other one has failed")],
      ["06:50", sendsCommand("rules/rouge_peak/enabled", "OFF")],
      ["07:00", publishes("heat_pump/setpoint", "20", false)],
      pressedAt("07:00"),
      ["07:05", look("a button counts while no rule is ON")],
    ],
  }),
  shows: ["metrics"],
  commands: {
    "one is confirmed, one is not": ["explain --pretend blanc:next"],
    "switched back again and again, and the other one has failed": ["show"],
  },
};

const AWAY: Scene = {
  title: "a heater that says whether it is there loses its power on a rouge morning",
  scenario: scenarioOf({
    ...ROUGE_MORNING,
    to: "07:27",
    configs: [
      houseWith(
        {
          id: "heater",
          name: "Sèche-serviettes",
          topic: "heater/set",
          choose: [{ when: "rouge_peak", payload: { state: "OFF" } }],
          else: { payload: { state: "ON" } },
          confirm: {
            topic: "heater/state",
            every: "2m",
            online: { topic: "heater/availability", equals: { state: "online" } },
          },
        },
        { ...CONFIRMED_BOILER, confirm: { topic: "boiler/status", path: "output", for: "10m" } },
      ),
    ],
    devices: [
      {
        id: "heater",
        report: { topic: "heater/state", retain: false },
        path: undefined,
        online: {
          topic: "heater/availability",
          there: '{"state":"online"}',
          gone: '{"state":"offline"}',
        },
        manner: "obeys",
        words: {
          '{"state":"OFF"}': '{"state":"OFF","power":0}',
          '{"state":"ON"}': '{"state":"ON","power":750}',
        },
      },
      BOILER_DEVICE,
    ],
    happenings: [
      ["05:45", START],
      ["06:10", { kind: "power", device: "heater", for: 1_200, back: "online" }],
      ["06:15", { kind: "reload" }],
      ["06:20", look("it has no power")],
      ["06:32", { kind: "power", device: "heater", for: 100, back: "online", keeps: true }],
      ["06:34", { kind: "power", device: "heater", for: 130, back: "online", keeps: true }],
      ["06:36", look("its connection is lost for the second time within five minutes")],
      ["06:44", STOP],
      ["06:45", { kind: "power", device: "heater", for: 1_510, back: "online" }],
      ["06:47", START],
      ["06:49", look("it went away while vigie was stopped")],
      ["06:50", { kind: "power", device: "boiler", for: 1_560, back: "report", keeps: true }],
      ["07:00", sendsCommand("rules/rouge_peak/enabled", '{"enabled":false,"for":"2h"}')],
      ["07:05", look("it is told to heat, and is away")],
      ["07:14", { kind: "power", device: "heater", for: 600, back: "online" }],
      ["07:26", look("it is back, has not said what it does, and no rule is ON")],
    ],
  }),
  commands: { "it has no power": ["show"] },
};

const CHARGER = "http://192.0.2.50";
const BATTERY = "http://192.0.2.51";
const POOL = "http://192.0.2.52:8080";
/** Only one of them has a secret in a file: which of two files is read first is drawn. */
const OVER_HTTP: Scene = {
  title: "a car charger, a battery and a pool pump are told over HTTP",
  scenario: scenarioOf({
    ...ROUGE_MORNING,
    to: "07:01",
    configs: [
      houseWith(
        {
          id: "charger",
          name: "Borne de la voiture",
          url: `${CHARGER}/charger/set?turn={payload}&key={secret}`,
          secret_file: "odd",
          choose: [{ when: "rouge_peak", payload: "off", expect: "false" }],
          else: { payload: "on", expect: "true" },
          confirm: {
            url: `${CHARGER}/charger/state?key={secret}`,
            path: "charging.allowed",
            every: "2m",
            keep: true,
          },
        },
        {
          id: "battery",
          name: "Batterie",
          url: "http://UserName:Sesame@192.0.2.51/battery/set",
          choose: [{ when: "rouge_peak", payload: { mode: "discharge", power: 3000 } }],
          else: { payload: { mode: "auto" } },
        },
        {
          id: "pool",
          url: `${POOL}/pool/set`,
          method: "PUT",
          choose: [{ when: "rouge_peak", payload: "OFF" }],
        },
      ),
    ],
    devices: [
      {
        id: "charger",
        path: "charging.allowed",
        manner: "obeys",
        words: { on: "true", off: "false" },
      },
    ],
    happenings: [
      ["05:45", START],
      webFaultAt("05:50", CHARGER, { kind: "refuses" }, 600),
      webFaultAt("05:50", BATTERY, { kind: "status", status: 401 }, 1_500),
      webFaultAt("05:50", POOL, { kind: "status", status: 503, retryAfter: 240 }, 600),
      ["05:58", look("nobody takes it")],
      webFaultAt("06:00:30", CHARGER, { kind: "hangs", seconds: null }, 300),
      ["06:04", look("one hangs, one asks for a login that vigie does not know, one has taken it")],
      ["06:10", look("the charger has answered that it obeys")],
      ["06:11", { kind: "secret file", name: "odd", for: 1_800 }],
      ["06:36", look("the secret of the charger cannot be read")],
      ["06:42", { kind: "press", device: "charger" }],
      ["06:52", look("somebody has switched it on, and vigie off again")],
    ],
  }),
  commands: { "nobody takes it": ["show"] },
};

const RESTARTS: Scene = {
  title: "the broker is lost and vigie ends while devices are told",
  scenario: scenarioOf({
    ...ROUGE_MORNING,
    to: "06:41",
    configs: [
      houseWith(
        {
          ...CONFIRMED_BOILER,
          confirm: { ...CONFIRMED_BOILER.confirm, online: { topic: "boiler/online", equals: true } },
        },
        { topic: "heater/set", choose: [{ when: "rouge_peak", payload: "eco" }], else: "comfort" },
        {
          id: "charger",
          url: `${CHARGER}/charger/set?turn={payload}`,
          choose: [{ when: "rouge_peak", payload: "off" }],
          else: "on",
        },
      ),
    ],
    devices: [{ ...BOILER_DEVICE, online: { topic: "boiler/online", there: "true", gone: "false" } }],
    happenings: [
      ["05:45", START],
      ["05:52", { kind: "broker", how: "stopped", for: 420, retained: "lost" }],
      ["05:57", look("the broker is away when they are to be told")],
      ["06:02", look("the broker is back")],
      ["06:05", STOP],
      ["06:06", START],
      ["06:09", look("after a restart")],
      ["06:12", KILL],
      ["06:13", START],
      ["06:16", look("after a kill")],
      ["06:19", { kind: "latency", milliseconds: 5_000, for: 90 }],
      ["06:20", sendsCommand("rules/rouge_peak/enabled", "OFF")],
      ["06:20:14", KILL],
      ["06:22", START],
      ["06:25", look("after a kill before the broker has acknowledged what was sent")],
    ],
  }),
};

function reportAt(time: string, payload: string, retain = false): Happening {
  return [time, publishes("boiler/status", payload, retain)];
}

const REPORTS: Scene = {
  title: "reports that are old, that say nothing or something else, and a topic that the broker refuses",
  scenario: scenarioOf({
    ...ROUGE_MORNING,
    to: "07:36",
    configs: [
      houseWith(
        {
          id: "boiler",
          name: "Boiler",
          topic: "boiler/set",
          choose: [{ when: "rouge_peak", payload: "off", expect: "false" }],
          confirm: { topic: "boiler/status", path: "output", every: "10m" },
        },
        { topic: "heater/set", choose: [{ when: "rouge_peak", payload: "eco" }] },
      ),
    ],
    happenings: [
      reportAt("05:45", '{"output":false}', true),
      ["05:46", START],
      ["05:50", { kind: "refuse", topic: "heater/set", for: 3_900 }],
      ["05:58", look("an old report, and a topic that is refused")],
      reportAt("06:03", '{"output":'),
      reportAt("06:04", '{"id":0}'),
      reportAt("06:05", '{"output":true,"apower":1980.5}'),
      ["06:08", look("it never obeyed")],
      reportAt("06:12", '{"output":false}'),
      reportAt("06:14", '{"output":true}'),
      reportAt("06:15", '{"output":false}'),
      reportAt("06:16", '{"output":true}'),
      reportAt("06:17", '{"output":false}'),
      ["06:18", look("it does something else by turns")],
      reportAt("06:30", '{"output":true}'),
      ["06:33", look("somebody has switched it on, and vigie leaves it so")],
      ["07:10", sendsCommand("rules/rouge_peak/enabled", "OFF")],
      ["07:35", look("no rule is ON, and there is no else")],
    ],
  }),
};

/** What an output sends, and what its device does. */
export const SCENES_OF_DEVICES: readonly Scene[] = [NOT_OBEYED, AWAY, OVER_HTTP, RESTARTS, REPORTS];
