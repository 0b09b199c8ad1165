import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readForm } from "../../src/config/form-options.ts";
import { formSettings, namedBrokerSettings } from "../../src/config/form-settings.ts";
import type { LoadedConfig } from "../../src/config/load-config.ts";
import { runs } from "../support/long.ts";
import { NOBODY } from "../support/ports.ts";
import { folderWith, load, loadText, problemsOf } from "./folder.ts";

const APP = join(import.meta.dirname, "../../config/homeassistant-app");
const SUPERVISOR = parse(readFileSync(join(APP, "config.yaml"), "utf8"));
const BROKER = { url: "mqtt://core-mosquitto:1883", username: "addons", password: "from Home Assistant" };

/** What the Supervisor writes, with these fields in place of the defaults. */
const optionsWith = (more: object = {}) => JSON.stringify({ ...SUPERVISOR.options, ...more });

function settingsOf(more: object, { isBesideFile = false, broker = BROKER } = {}) {
  const read = readForm(optionsWith(more));
  if ("problems" in read) throw new Error(`Expected a form that is right, got:\n${read.problems.join("\n")}`);
  const own = formSettings(read.form, isBesideFile);
  return [...own, ...namedBrokerSettings(own, broker)];
}

async function loadForm(more: object = {}, file?: string): Promise<LoadedConfig> {
  const cwd = await folderWith(file === undefined ? {} : { "config/vigie.yaml": file });
  return load({ cwd, form: settingsOf(more, { isBesideFile: file !== undefined }) });
}

function problemsIn(more: object): string[] {
  const read = readForm(optionsWith(more));
  return "problems" in read ? read.problems : [];
}

describe("a form in which nothing was filled in", () => {
  test("asks RTE alone, has the broker of Home Assistant and the rules that the form begins with", async () => {
    const { config, warnings } = await loadForm();
    expect(config.service.base_url).toBe("none");
    expect(config.official.source).toBe("rte");
    expect(config.mqtt).toMatchObject(BROKER);
    expect([config.homeassistant.language, config.http.language]).toEqual(["fr", "fr"]);
    expect(config.outputs.list).toEqual([]);
    // They are those of config/vigie.yaml and of `vigie setup`.
    const ids = config.rules.map(({ id }) => id);
    expect(ids).toEqual(["rouge_ahead", "rouge_peak", "rouge_or_blanc_peak", "preheat"]);
    const shipped = await loadText(readFileSync(join(APP, "../vigie.yaml"), "utf8"));
    for (const id of ["rouge_ahead", "rouge_peak", "preheat"]) {
      const ofForm = config.rules.find((rule) => rule.id === id);
      const ofFile = shipped.config.rules.find((rule) => rule.id === id);
      expect(ofForm?.name).toEqual(ofFile?.name);
      expect(JSON.stringify(ofForm?.when)).toContain('"rouge"');
      expect([ofForm?.lead, ofForm?.hold]).toEqual([ofFile?.lead, ofFile?.hold]);
    }
    expect(warnings).toEqual([]);
  });

  test("may lack every field, and hold one of another version", async () => {
    const read = readForm('{"gone":1}');
    expect(read).toMatchObject({ language: "fr", form: { official_colors: true, rules: [], outputs: [] } });
  });

  test("has the same prices as without the app", async () => {
    const { config } = await loadForm();
    const { tariff } = (await loadText("service: { base_url: none }\nofficial: { source: rte }\n")).config;
    expect(config.tariff).toEqual(tariff);
  });
});

describe("a form", () => {
  test("gives a service, and leaves RTE out where its switch is off", async () => {
    const service_address = "https://forecast.example.org/";
    const { config } = await loadForm({ service_address, official_colors: false, language: "en" });
    expect(config.service.base_url).toBe("https://forecast.example.org");
    expect(config.official.source).toBe("off");
    expect([config.homeassistant.language, config.http.language]).toEqual(["en", "en"]);
  });

  test.each([
    ["192.168.1.10", "mqtt://192.168.1.10"],
    ["nas:1884", "mqtt://nas:1884"],
    ["nas:8883", "mqtts://nas:8883"],
    ["mqtts://nas.local", "mqtts://nas.local"],
  ])("names another broker, with its own user and password or none: %s", async (broker_address, url) => {
    expect((await loadForm({ broker_address })).config.mqtt).toMatchObject({
      url,
      username: undefined,
      password: undefined,
    });
    const own = { broker_address, broker_username: "v", broker_password: "p" };
    expect((await loadForm(own)).config.mqtt).toMatchObject({ url, username: "v", password: "p" });
  });

  test("may have a user of its own at the broker of Home Assistant, without the password of another", async () => {
    const { config } = await loadForm({ broker_username: "v" });
    expect(config.mqtt).toMatchObject({ url: BROKER.url, username: "v", password: undefined });
  });

  test("makes a boiler that obeys and confirms of three fields", async () => {
    const boiler = { use: "boiler", kind: "shelly_gen1", place: "shellies/shelly1pm-A4CF12F3C5D6" };
    const { config, warnings } = await loadForm({ outputs: [boiler], rules: [] });
    expect(warnings).toEqual([]);
    const [output] = config.outputs.list;
    expect(output).toMatchObject({
      id: "boiler",
      name: { fr: "Ballon d'eau chaude", en: "Boiler" },
      to: { topic: "shellies/shelly1pm-A4CF12F3C5D6/relay/0/command" },
      choose: [{ when: "rouge_peak" }],
      confirm: { keep: true },
    });
    // Its rule was taken out of the list, and is needed.
    expect(config.rules.map(({ id }) => id)).toEqual(["rouge_peak"]);
  });

  test("counts a field that has only spaces as empty", async () => {
    const other = { use: "boiler", kind: "other", place: "boiler/set", payload: "off" };
    const spaces = await loadForm({ outputs: [{ ...other, otherwise: " ", name: "  ", report: " " }] });
    const empty = await loadForm({ outputs: [other] });
    expect(spaces.config.outputs).toEqual(empty.config.outputs);
    expect(problemsIn({ outputs: [{ ...other, payload: " " }] })).toHaveLength(1);
  });

  test("makes what the same lines in a file make", async () => {
    const form = await loadForm({
      service_address: "https://forecast.example.org",
      rules: [
        { id: "week", colors: "rouge_or_blanc", day: "next_7_days", confidence: 60, name: "La semaine" },
        { id: "evening", colors: "bleu", day: "now", hours: "off_peak", between: "22:00-23:30" },
        { id: "warm", colors: "blanc", day: "next_or_now", confidence: 70, lead_minutes: 90, hours: "all" },
      ],
      outputs: [
        { use: "car", kind: "tasmota", place: "wallbox", relay: "2", rule: "warm", keep: false },
        {
          use: "other",
          name: "Pompe à l’étage",
          kind: "zigbee2mqtt",
          place: "zigbee2mqtt/pump",
          relay: "l1",
        },
        { use: "heating", kind: "other", place: "heat/set", payload: "16", otherwise: "19", report: "heat" },
        {
          use: "boiler",
          kind: "other",
          place: "b/set",
          payload: "off",
          relay: "",
          report: "",
          otherwise: "",
        },
      ],
      rates: [
        {
          from: "2027-02-01",
          ...{ bleu_peak: 0.16, bleu_off_peak: 0.13, blanc_peak: 0.19, blanc_off_peak: 0.15 },
          ...{ rouge_peak: 0.73, rouge_off_peak: 0.16 },
        },
      ],
    });
    const file = await loadText(`
service: { base_url: https://forecast.example.org }
official: { source: rte }
mqtt: ${JSON.stringify(BROKER)}
http: { language: fr }
tariff:
  rates:
    - { from: 2027-02-01, bleu: { hp: 0.16, hc: 0.13 }, blanc: { hp: 0.19, hc: 0.15 }, rouge: { hp: 0.73, hc: 0.16 } }
rules:
  - { id: week, name: La semaine, when: { day: next_7_days, color: [rouge, blanc], confidence: 60 } }
  - { id: evening, when: { all: [{ day: now, color: bleu }, { period: hc }, { between: ["22:00", "23:30"] }] } }
  - { id: warm, lead: 90m, when: { any: [{ day: next, color: blanc, confidence: 70 }, { day: now, color: blanc }] } }
  - id: rouge_peak
    name: { fr: Heures pleines rouges, en: Rouge peak hours }
    when: { all: [{ day: now, color: rouge }, { period: hp }] }
    lead: 5m
outputs:
  - id: car
    name: { fr: Recharge de la voiture, en: Car charger }
    topic: cmnd/wallbox/POWER2
    choose: [{ when: warm, payload: "OFF" }]
    else: "ON"
    confirm: { topic: stat/wallbox/POWER2 }
  - id: pompe_a_l_etage
    name: Pompe à l’étage
    topic: zigbee2mqtt/pump/set
    choose: [{ when: rouge_peak, payload: { state_l1: "OFF" } }]
    else: { payload: { state_l1: "ON" } }
    confirm: { topic: zigbee2mqtt/pump, keep: true, online: { topic: zigbee2mqtt/pump/availability, equals: { state: online } } }
  - id: heating
    name: { fr: Chauffage, en: Heating }
    topic: heat/set
    choose: [{ when: rouge_peak, payload: "16" }]
    else: "19"
    confirm: { topic: heat, keep: true }
  - id: boiler
    name: { fr: Ballon d'eau chaude, en: Boiler }
    topic: b/set
    choose: [{ when: rouge_peak, payload: "off" }]
`);
    const { state: _, ...ofForm } = form.config;
    const { state: __, ...ofFile } = file.config;
    expect(ofForm).toEqual(ofFile);
  });
});

test("a form may have two relays of a device that has a topic for each, and a hundred devices", async () => {
  const relays = ["shelly_gen1", "tasmota", "openbeken", "esphome"].flatMap((kind) =>
    ["1", "2"].map((relay) => ({ use: "other", kind, place: `a/${kind}`, relay, name: `${kind} ${relay}` })),
  );
  const more = Array.from({ length: 92 }, (_, row) => ({
    ...{ use: "other", kind: "zigbee2mqtt", place: `z/${row}`, name: `plug ${row}` },
  }));
  const { config } = await loadForm({ outputs: [...relays, ...more] });
  expect(config.outputs.list).toHaveLength(100);
});

describe("a form beside a file", () => {
  const FILE = "tariff: { laws: off }\nrules: [{ id: mine, when: { period: hp } }]\n";

  test("gives only the service, the broker and the language; all else is the file's", async () => {
    const boiler = { use: "boiler", kind: "tasmota", place: "boiler" };
    const { config, file } = await loadForm({ outputs: [boiler] }, FILE);
    expect(file).toMatch(/\/config\/vigie\.yaml$/);
    expect(config.rules.map(({ id }) => id)).toEqual(["mine"]);
    expect([config.outputs.list, config.tariff.laws]).toEqual([[], "off"]);
    expect(config.mqtt).toMatchObject(BROKER);
    expect([config.service.base_url, config.homeassistant.language]).toEqual(["none", "fr"]);
  });

  test("lets the shipped file count as it is: its service and broker are those of a first look", async () => {
    const shipped = readFileSync(join(APP, "../vigie.yaml"), "utf8");
    const { config, warnings } = await loadForm({}, shipped);
    expect(config.rules).toHaveLength(6);
    expect([config.service.base_url, config.mqtt.url]).toEqual(["none", BROKER.url]);
    expect(warnings.filter((words) => !/forecast/.test(words))).toEqual([]);
  });

  test("says what of the file does not count, and no secret", async () => {
    const file = `${FILE}service: { base_url: https://forecast.example.org }\nmqtt: { url: mqtt://nas, password: secret-9 }\n`;
    const { warnings } = await loadForm({}, file);
    expect(warnings.slice(0, 3)).toEqual([
      "config/vigie.yaml:3:22 service.base_url: the form counts here, and not the file (Adresse du service)",
      "config/vigie.yaml:4:14 mqtt.url: the form counts here, and not the file (Home Assistant)",
      "config/vigie.yaml:4:36 mqtt.password: the form counts here, and not the file (Home Assistant)",
    ]);
    expect(warnings.join()).not.toContain("secret-9");
  });

  test("has nothing to do with the file of a password for another broker", async () => {
    const { config } = await loadForm({}, `${FILE}mqtt: { url: mqtt://nas, password_file: /no/such/file }\n`);
    expect(config.mqtt).toMatchObject(BROKER);
    expect(config.mqtt.password_file).toBeUndefined();
  });

  test("counts less than variables", async () => {
    const cwd = await folderWith();
    const env = { VIGIE_HOMEASSISTANT_LANGUAGE: "en" };
    const { config } = await load({ cwd, env, form: settingsOf({}) });
    expect([config.homeassistant.language, config.http.language]).toEqual(["en", "fr"]);
  });
});

describe("a form that is wrong", () => {
  const RULE = { id: "a", colors: "rouge", day: "now" };
  const OUTPUT = { use: "boiler", kind: "tasmota", place: "boiler" };

  test("is refused with every problem at once, in the words of the form, in French", () => {
    expect(
      problemsIn({
        official_colors: false,
        rules: [RULE, { ...RULE, colors: "vert", confidence: 101, between: "soon" }],
        outputs: [{ ...OUTPUT, place: "a/#", rule: "b" }],
        rates: [{ from: "demain" }],
        broker_password: "secret-7",
      }),
    ).toEqual([
      "Couleurs officielles de RTE\u00a0: attendu oui, car sans adresse de service personne d’autre ne donne de couleur, reçu false",
      'Règles 2, Identifiant\u00a0: attendu un identifiant qu’aucune autre règle n’a, reçu "a"',
      'Règles 2, Couleur\u00a0: attendu un de ces mots (rouge, blanc, bleu, rouge_or_blanc, bleu_or_blanc), reçu "vert"',
      "Règles 2, Confiance (%)\u00a0: attendu un pourcentage entier, de 0 à 100, reçu 101",
      'Règles 2, Entre\u00a0: attendu deux heures différentes, comme 03:30-06:00, reçu "soon"',
      'Appareils 1, Topic de l’appareil\u00a0: attendu le début d’un topic, sans + ni #, sans guillemets, sans / au début ni à la fin, reçu "a/#"',
      'Appareils 1, Règle\u00a0: attendu l’identifiant d’une règle (a, rouge_ahead, rouge_peak, rouge_or_blanc_peak), reçu "b"',
      'Prix 1, À partir du\u00a0: attendu une date, comme 2027-02-01, reçu "demain"',
      ...["Bleu", "Blanc", "Rouge"].flatMap((color) =>
        ["pleines", "creuses"].map(
          (hours) =>
            `Prix 1, ${color}, heures ${hours}\u00a0: attendu un prix en euros par kWh de 0 à 5, comme 0.1654, reçu rien`,
        ),
      ),
      "Utilisateur du broker\u00a0: attendu un utilisateur, puisqu’il y a un mot de passe, reçu rien",
    ]);
  });

  test.each(["22:00", "22:00-22:00", "22:00 - 06:00", "22:00-24:00", "22:00-06:00-07:00"])(
    "takes no %j for two times",
    (between) => {
      expect(problemsIn({ rules: [{ ...RULE, between }] })).toEqual([
        `Règles 1, Entre\u00a0: attendu deux heures différentes, comme 03:30-06:00, reçu "${between}"`,
      ]);
    },
  );

  test.each([
    [{ service_address: "days.example" }, "Adresse du service"],
    [{ service_address: "https://days.example", broker_address: "a b" }, "Adresse d’un autre broker"],
    [{ rules: [{ ...RULE, id: "A" }] }, "Règles 1, Identifiant"],
  ])("says beside %j what is wrong elsewhere", (wrong, place) => {
    const problems = problemsIn({ ...wrong, outputs: [OUTPUT, OUTPUT] });
    const at = (start: string) => problems.filter((problem) => problem.startsWith(start));
    expect(at(place)).toHaveLength(1);
    expect(at("Appareils 2, ")).toHaveLength(2);
  });

  const OTHER = { use: "car", kind: "other", place: "car", payload: "off" };

  test.each<[object, string]>([
    [{ broker_address: "mqtt://nas/path" }, "sans chemin"],
    [{ broker_address: "mqtt://me:x%@nas" }, "un % dans un mot de passe s’écrit %25"],
    [{ broker_address: "mqtt://nas:0" }, "une adresse comme"],
    [{ broker_address: "mqtt://me:pw@nas", broker_username: "you" }, "l’utilisateur une seule fois"],
    [{ service_address: "https://days.example/v1/public/forecast" }, "sans /v1/public"],
    [{ rules: [{ ...RULE, id: "else" }] }, "un autre identifiant"],
    [{ rules: [{ ...RULE, confidence: 1 }] }, "et pas 1"],
    [{ outputs: [{ ...OTHER, place: "vigie/car" }] }, "ni sous vigie/"],
    [{ outputs: [{ ...OTHER, place: "homeassistant/car" }] }, "ni sous homeassistant/"],
    [{ outputs: [{ ...OTHER, report: "vigie/car" }] }, "ni sous vigie/"],
    [{ outputs: [{ ...OTHER, report: "car" }] }, "un autre topic"],
    [{ outputs: [{ ...OTHER, payload: "{next.colour}" }] }, "comme {next.color}"],
    [{ outputs: [{ ...OTHER, otherwise: "{{ next.color }}" }] }, "une seule paire d’accolades"],
    [{ outputs: [{ ...OUTPUT, place: "“boiler”" }] }, "sans guillemets"],
    [{ outputs: [{ ...OUTPUT, place: "a".repeat(195) }] }, "un texte plus court"],
    [{ outputs: [{ ...OUTPUT, kind: "esphome", place: "vigie" }] }, "ni sous vigie/"],
  ])("says %j in French, before the configuration as a whole says it in English", (given, words) => {
    const problems = problemsIn(given);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^\S.*\u00a0: attendu .*, reçu "?[^"]*"?$/);
    expect(problems[0]).toContain(words);
  });

  test.each<[object, string]>([
    [{ language: "de" }, 'Langue\u00a0: attendu un de ces mots (fr, en), reçu "de"'],
    [
      { language: "en", official_colors: "yes" },
      'Official colours from RTE: expected true or false, got "yes"',
    ],
    [{ language: "en", rules: "all" }, 'Rules: expected a list, got "all"'],
    [{ language: "en", rules: ["a"] }, 'Rules 1: expected a group of fields, got "a"'],
    [
      { language: "en", rules: [{ ...RULE, id: "À" }] },
      'Rules 1, Id: expected small letters and digits, joined by single underscores, at most 40 characters, such as rouge_peak, got "À"',
    ],
    [
      { language: "en", service_address: "forecast.example.org" },
      'Service address: expected an address that begins with https:// or http://, without user, password, ? and #, and without /v1/public, got "forecast.example.org"',
    ],
    [
      { language: "en", service_address: "https://me:secret-7@forecast.example.org" },
      'Service address: expected an address that begins with https:// or http://, without user, password, ? and #, and without /v1/public, got "https://***@forecast.example.org"',
    ],
    ...["https://me:secret-7@days.example/x?key=secret-7", "days.example/x?key=secret-7"].map(
      (service_address): [object, string] => [
        { language: "en", service_address },
        `Service address: expected an address that begins with https:// or http://, without user, password, ? and #, and without /v1/public, got "${service_address.replace("me:secret-7@", "***@").replace("key=secret-7", "***")}"`,
      ],
    ),
    [
      { language: "en", broker_address: "http://nas" },
      'Address of another broker: expected an address such as mqtt://192.168.1.10:1883, without ? and #, and without a path (ws:// may have one); a % in a password is written %25, got "http://nas"',
    ],
    [
      { language: "en", broker_username: "v", broker_password: { secret: 7 } },
      "Password at the broker: expected a text of at most 200 characters, got a text that is not shown",
    ],
    [
      { language: "en", outputs: [{ ...OUTPUT, relay: "left" }] },
      'Devices 1, Which relay: expected the number of the relay, got "left"',
    ],
    [
      { language: "en", outputs: [{ ...OUTPUT, place: "http://nas/+/secret-7" }] },
      "Devices 1, Its place on the broker: expected the beginning of a topic, without + and #, without quotes, without / at the beginning and the end, got a text that is not shown",
    ],
    [
      { language: "en", outputs: [{ ...OUTPUT, report: "x" }] },
      'Devices 1, Topic of its reports: expected nothing, because only the kind other has it, got "x"',
    ],
    [
      { language: "en", outputs: [{ ...OUTPUT, kind: "other" }] },
      "Devices 1, Message while the rule is on: expected a message, such as off, got nothing",
    ],
    [
      { language: "en", outputs: [OUTPUT, { ...OUTPUT, place: "second" }] },
      "Devices 2, Name: expected a name of its own for each device, got nothing",
    ],
    ...["shelly_gen2", "zigbee2mqtt"].map((kind): [object, string] => [
      {
        language: "en",
        outputs: [
          { ...OUTPUT, kind },
          { use: "car", kind, place: `${OUTPUT.place} `, relay: "1" },
        ],
      },
      `Devices 2, Its place on the broker: expected another device than device 1, because vigie can command only one relay of such a device over MQTT, got "${OUTPUT.place} "`,
    ]),
    [
      {
        outputs: [
          OUTPUT,
          { use: "car", kind: "shelly_gen2", place: "a" },
          { use: "heating", kind: "shelly_gen2", place: "a" },
        ],
      },
      'Appareils 3, Topic de l’appareil\u00a0: attendu un autre appareil que l’appareil 2, car vigie ne peut commander par MQTT qu’un seul relais d’un tel appareil, reçu "a"',
    ],
    [
      { language: "en", outputs: [OUTPUT, { ...OUTPUT, use: "car" }] },
      `Devices 2, Its place on the broker: expected a device, or a relay of it, that is not there yet: device 1 is the same one, got "${OUTPUT.place}"`,
    ],
    [
      {
        outputs: [OUTPUT, { use: "car", kind: "other", place: `cmnd/${OUTPUT.place}/POWER`, payload: "OFF" }],
      },
      `Appareils 2, Topic de l’appareil\u00a0: attendu un appareil, ou un de ses relais, qui n’est pas encore là (l’appareil 1 est le même), reçu "cmnd/${OUTPUT.place}/POWER"`,
    ],
    [
      {
        language: "en",
        outputs: [
          { use: "boiler", kind: "other", place: "a", payload: "OFF", report: "both" },
          { use: "car", kind: "other", place: "b", payload: "OFF", report: "both" },
        ],
      },
      'Devices 2, Topic of its reports: expected another topic than that of device 1, because vigie would switch the device back for each of them, got "both"',
    ],
    [
      {
        outputs: [
          { use: "boiler", kind: "other", place: "a", payload: "OFF", report: "stat/x/POWER" },
          { use: "car", kind: "tasmota", place: "x" },
        ],
      },
      'Appareils 2, Topic de l’appareil\u00a0: attendu un autre topic que celui de l’appareil 1, car vigie insisterait pour l’un contre l’autre, reçu "x"',
    ],
    [
      { language: "en", outputs: [{ ...OUTPUT, name: "!!" }] },
      'Devices 1, Name: expected a name with letters or digits, of at most 100 characters, got "!!"',
    ],
    [
      {
        language: "en",
        rates: ["2027-02-01", "2027-02-01"].map((from) => ({
          from,
          ...{ bleu_peak: 0, bleu_off_peak: 0, blanc_peak: 0, blanc_off_peak: 0 },
          ...{ rouge_peak: 0, rouge_off_peak: 5 },
        })),
      },
      'Prices 2, In force from: expected a date that no other row has, got "2027-02-01"',
    ],
  ])("says so of %j", (more, problem) => {
    expect(problemsIn(more)).toEqual([problem]);
  });

  test("is one with more than a hundred rows, and nothing else of it is looked at", () => {
    const rules = Array(3000).fill({ ...RULE, colors: "green" });
    expect(problemsIn({ language: "en", rules, outputs: [{ ...OUTPUT, rule: "a" }] })).toEqual([
      "Rules: expected at most 100 rows, got 3000 rows",
    ]);
    expect(problemsIn({ outputs: Array(101).fill(OUTPUT) })).toEqual([
      "Appareils\u00a0: attendu 100 lignes au plus, reçu 101 lignes",
    ]);
  });

  test.each([
    ["", "options.json\u00a0: attendu du JSON, comme Home Assistant l’écrit, reçu rien"],
    [
      '{"language":',
      "options.json\u00a0: attendu du JSON, comme Home Assistant l’écrit, reçu un texte endommagé",
    ],
    ["[]", "options.json\u00a0: attendu un groupe de champs, reçu une liste ou un groupe"],
    ['"secret"', "options.json\u00a0: attendu un groupe de champs, reçu un texte qui n’est pas affiché"],
    ["null", "options.json\u00a0: attendu un groupe de champs, reçu rien"],
  ])("is one that cannot be read: %j", (text, problem) => {
    expect(readForm(text)).toEqual({ language: "fr", problems: [problem] });
  });

  test("is told by the number of its row if only vigie as a whole can know it", async () => {
    const form = settingsOf({ outputs: [OUTPUT, { ...OTHER, place: "days/car" }] });
    const env = { VIGIE_MQTT_BASE_TOPIC: "days" };
    expect(await problemsOf(load({ cwd: await folderWith(), env, form }))).toEqual([
      'Appareils 2 topic: expected a topic outside of mqtt.base_topic (days), got "days/car"',
    ]);
  });
});

describe("config/homeassistant-app", () => {
  const shape = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(shape);
    if (typeof schema !== "object" || schema === null) return null;
    return Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, shape(inner)]));
  };

  test.each(["fr", "en"])("has a word for each field and each port, and none besides, in %s", (language) => {
    const words = parse(readFileSync(join(APP, "translations", `${language}.yaml`), "utf8"));
    type Words = Record<string, { name: string; fields?: Words }>;
    const named = (given: Words): unknown =>
      Object.fromEntries(
        Object.entries(given).map(([key, { name, fields }]) => {
          expect(name).toMatch(/\S/);
          return [key, fields ? [named(fields)] : null];
        }),
      );
    expect(named(words.configuration)).toEqual(shape(SUPERVISOR.schema));
    expect(Object.keys(words.network)).toEqual(Object.keys(SUPERVISOR.ports));
  });

  test("has in its form each field that vigie reads, and the words that it may hold", () => {
    const { schema } = SUPERVISOR;
    const choices = (type: string) => /^list\((.*)\)\??$/.exec(type)?.[1]?.split("|");
    const everything = {
      language: "en",
      official_colors: true,
      service_address: "https://forecast.example.org",
      rules: (choices(schema.rules[0].colors) ?? []).flatMap((colors, one) =>
        (choices(schema.rules[0].day) ?? []).map((day, two) => ({
          ...{ id: `r_${one}_${two}`, colors, day, confidence: 100, between: "01:00-02:00", name: "n" },
          ...{ hours: (choices(schema.rules[0].hours) ?? [])[two % 3], lead_minutes: 1440 },
        })),
      ),
      outputs: (choices(schema.outputs[0].kind) ?? []).flatMap((kind) =>
        (choices(schema.outputs[0].use) ?? []).map((use) => ({
          ...{ use, kind, place: `a/${kind}/${use}`, name: `${kind} ${use}`, rule: "r_0_0", keep: true },
          ...(kind === "other" ? { payload: "off", otherwise: "on", report: `b/${use}` } : { relay: "1" }),
        })),
      ),
      rates: [],
      broker_address: "mqtt://nas",
      broker_username: "v",
      broker_password: "p",
    };
    const read = readForm(JSON.stringify(everything));
    expect("problems" in read ? read.problems : []).toEqual([]);
    const form = "form" in read ? read.form : undefined;
    expect(form && Object.keys(form).toSorted()).toEqual(Object.keys(schema).toSorted());
    expect(new Set(form?.rules.flatMap(Object.keys))).toEqual(new Set(Object.keys(schema.rules[0])));
    expect(new Set(form?.outputs.flatMap(Object.keys))).toEqual(new Set(Object.keys(schema.outputs[0])));
  });
});

describe("what is doubtful in a form", () => {
  const OTHER = { use: "car", kind: "other", place: "car/set", payload: "off", otherwise: "on" };
  const night = { id: "night", colors: "bleu_or_blanc", day: "now", hours: "off_peak" };

  test.each<[object, string]>([
    [
      { rules: [{ id: "a", colors: "rouge", day: "now", hours: "peak", between: "23:00-05:00" }] },
      "Règles 1 a\u00a0: ne peut jamais valoir OUI, car ses conditions s’excluent, ou le contrat ne les permet pas",
    ],
    [{ outputs: [{ ...OTHER, payload: "« off »" }] }, "l’appareil reçoit « off » avec ces guillemets"],
    [{ outputs: [{ ...OTHER, payload: "toggle" }] }, "toggle met l’appareil dans l’état contraire au sien"],
    [{ outputs: [{ ...OTHER, payload: "on" }] }, "le même ordre que pour le reste du temps"],
    [{ outputs: [{ ...OTHER, place: "car/set," }] }, '"car/set," finit par une virgule'],
    [
      { rules: [night], outputs: [{ ...OTHER, rule: "night", payload: "on", otherwise: "off" }] },
      '"off" n’est envoyé qu’après "on", et vigie n’y tient pas l’appareil',
    ],
    [
      { outputs: [{ ...OTHER, payload: "{'state':'OFF'}", report: "car" }] },
      "{'state':'OFF'} est un texte et non du JSON",
    ],
    [
      { outputs: [{ ...OTHER, payload: '{"state":"OFF"}', report: "car" }] },
      'seule une réponse qui est "on", sans rien d’autre, confirme "on"',
    ],
    [
      { broker_username: "v" },
      "Utilisateur du broker\u00a0: il n’y a pas de mot de passe pour cet utilisateur",
    ],
    [
      { broker_address: `mqtt://${NOBODY}`, service_address: `http://${NOBODY}` },
      "rien ne répond à cette adresse, qui est celle de l’application elle-même",
    ],
  ])("is said in French in a French form, and in English in an English one: %j", async (more, words) => {
    const inForm = async (language: string) => {
      const form = settingsOf({ rules: [], ...more, language });
      return (await load({ cwd: await folderWith(), form, inContainer: true })).warnings;
    };
    const [said = "", ...others] = await inForm("fr");
    expect(others).toEqual([]);
    expect(said).toContain(words);
    expect(said).not.toMatch(/\b(the|is|of|and|to|with|only|same)\b/);
    const [english = ""] = await inForm("en");
    expect(english).toMatch(/\b(the|is|of|and|to|with|only|same)\b/);
  });

  test("is said in English in a file beside it, whose options have English names", async () => {
    const file = 'rules: [{ id: a, when: { all: [{ period: hp }, { between: ["23:00", "05:00"] }] } }]\n';
    expect((await loadForm({}, file)).warnings).toEqual([
      expect.stringMatching(/^config\/vigie\.yaml:1:9 rules\[0\] a: can never be ON/),
    ]);
  });
});

test("any device that the form accepts is accepted as a configuration, so that no refusal is in other words", async () => {
  const text = fc.oneof(
    fc.constantFrom("a", "a/b", "boiler", "zigbee2mqtt/x", "on", "off", "OFF", "17", "{now.color}"),
    fc.constant('{"state":"ON"}'),
    fc.string({ maxLength: 12 }),
  );
  const use = fc.constantFrom("boiler", "car", "heating", "other");
  const relays = ["shelly_gen1", "shelly_gen2", "tasmota", "zigbee2mqtt", "esphome", "openbeken"];
  const anything = fc.record(
    {
      use,
      kind: fc.constantFrom(...relays, "other"),
      place: text,
      relay: fc.constantFrom("", "0", "2", "l1"),
      name: text,
      payload: text,
      otherwise: text,
      report: text,
    },
    { requiredKeys: ["use", "kind", "place"] },
  );
  // So few places and reports that two devices often meet at one.
  const topic = fc.constantFrom("a", "a/b", "stat/a/POWER");
  const relay = fc.record({
    use,
    kind: fc.constantFrom(...relays),
    place: topic,
    relay: fc.constantFrom("", "", "1"),
  });
  const other = fc.record(
    {
      use,
      kind: fc.constant("other"),
      place: topic,
      payload: fc.constantFrom("off", "17", "OFF"),
      otherwise: fc.constantFrom("on", "20"),
      report: topic,
    },
    { requiredKeys: ["use", "kind", "place", "payload"] },
  );
  const device = fc.oneof<fc.Arbitrary<object>[]>(anything, relay, other);
  /** `apart`: each of them is accepted alone, and they are refused together. */
  const tried = { accepted: 0, together: 0, apart: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(device, { minLength: 1, maxLength: 3 }), async (outputs) => {
      const isAlone = (one: object) => problemsIn({ outputs: [one] }).length === 0;
      if (problemsIn({ outputs }).length > 0) {
        if (outputs.every(isAlone)) tried.apart += 1;
        return;
      }
      tried.accepted += 1;
      if (outputs.length > 1) tried.together += 1;
      const { config } = await loadForm({ outputs });
      expect(config.outputs.list).toHaveLength(outputs.length);
    }),
    { numRuns: runs(1_500) },
  );
  expect(tried.accepted).toBeGreaterThan(20);
  expect(tried.together).toBeGreaterThan(5);
  expect(tried.apart).toBeGreaterThan(5);
});
