import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { NOBODY } from "../support/ports.ts";
import { folderWith, load, loadText, loadVariables, NEEDED } from "./folder.ts";

describe("warnings", () => {
  test.each([
    ["VIGIE_MQTT_ULR", "VIGIE_MQTT_URL"],
    ["VIGIE_MQTT_PASSWORD_FIEL", "VIGIE_MQTT_PASSWORD_FILE"],
    ["VIGIE_CONFIGS", "VIGIE_CONFIG"],
    ["VIGIE_MQTT_HOST", "VIGIE_MQTT_URL"],
    ["VIGIE_BROKER", "VIGIE_MQTT_URL"],
    ["VIGIE_TZ", "VIGIE_TARIFF_TIME_ZONE"],
    ["VIGIE_PASSWORD_FILE", "VIGIE_MQTT_PASSWORD_FILE"],
    ["VIGIE_SERVICE_HOST", "VIGIE_"],
    ["VIGIE_PORT_1883_TCP", "VIGIE_"],
  ])("an unknown variable %s gives a warning with the nearest known name", async (name, near) => {
    const { warnings } = await loadVariables({ [name]: "x" });
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`^${name}: no option .*nearest name is ${near}`)),
    ]);
  });

  test.each([
    ["homeassistant: { exclude: [now_color, refresh] }", []],
    [
      "homeassistant: { exclude: [now_colour] }",
      [
        "config/vigie.yaml:1:28 homeassistant.exclude[0]: no component has the key now_colour (did you mean now_color?)",
      ],
    ],
    ["homeassistant:", []],
  ])("a component that is excluded must exist: %j", async (text, expected) => {
    const { warnings } = await loadText(text);
    expect(warnings).toEqual(expected);
  });

  describe("an address of the machine itself, in a container,", () => {
    const WORDS =
      "nothing answers there: in a container this address is the container itself, not the machine that it runs on, unless it has the machine's network (network_mode: host)";
    const warningsWith = async (env: NodeJS.ProcessEnv, inContainer = true) =>
      (await load({ cwd: await folderWith(), env: { ...NEEDED, ...env }, inContainer })).warnings;

    test.each([
      ["VIGIE_MQTT_URL", "mqtt://localhost:9"],
      ["VIGIE_MQTT_URL", `mqtt://u:secret@${NOBODY}`],
      ["VIGIE_SERVICE_BASE_URL", "http://[::1]:9"],
      ["VIGIE_OFFICIAL_SOURCE", `http://${NOBODY}`],
    ])("gives a warning if nothing answers there: %s=%s", async (name, address) => {
      const env = { [name]: address };
      expect(await warningsWith(env)).toEqual([`${name}: ${WORDS}`]);
      expect(await warningsWith(env, false)).toEqual([]);
    });

    test("gives one warning for all of them, and none for one at which a server listens", async () => {
      const server = createServer((socket) => socket.destroy());
      onTestFinished(() => new Promise((closed) => server.close(() => closed())));
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      const { port } = server.address() as AddressInfo;
      const env = {
        VIGIE_MQTT_URL: `mqtt://localhost:${port}`,
        VIGIE_SERVICE_BASE_URL: `http://${NOBODY}`,
        VIGIE_OFFICIAL_SOURCE: "http://localhost:9",
      };
      expect(await warningsWith(env)).toEqual([
        `VIGIE_SERVICE_BASE_URL: ${WORDS} (the same of official.source)`,
      ]);
      const only = { VIGIE_MQTT_URL: `mqtt://localhost:${port}` };
      expect(await warningsWith(only)).toEqual([]);
    });

    test("gives none where there is none", async () => {
      expect(await warningsWith({})).toEqual([]);
    });
  });

  test("encryption that is set but not used, or not verified, gives a warning", async () => {
    const plain = await loadVariables({ VIGIE_MQTT_TLS_SERVER_NAME: "b" });
    expect(plain.warnings).toEqual([
      expect.stringContaining("VIGIE_MQTT_TLS_SERVER_NAME: set, but mqtt.url is not encrypted"),
    ]);
    const open = await loadVariables({ VIGIE_MQTT_URL: "mqtts://b", VIGIE_MQTT_TLS_VERIFY: "false" });
    expect(open.warnings).toEqual([expect.stringContaining("VIGIE_MQTT_TLS_VERIFY: false, so any machine")]);
  });

  describe("a confirmation", () => {
    const output = (payloads: string, confirm: string) =>
      `rules: [{ id: a, when: { day: now, color: rouge } }]\noutputs: [{ topic: plug/set, ${payloads},\n  confirm: { ${confirm} } }]`;
    const JSON_PAYLOAD = 'payload: { state: "OFF" }';

    test.each([
      [
        `choose: [{ when: a, ${JSON_PAYLOAD}, expect: { state: "OFF" } }]`,
        "topic: plug, path: state",
        /the value at path \(state\) would have to contain \{"state":"OFF"\}.* Leave path out, or write as expect only the value/,
      ],
      [
        'choose: [{ when: a, payload: x, expect: \'{"switch":{"output":false}}\' }]',
        "topic: plug, path: switch.output",
        /the value at path \(switch\.output\) would have to contain/,
      ],
      [
        `choose: [{ when: a, ${JSON_PAYLOAD}, expect: "OFF" }]`,
        "topic: plug",
        /without path only a report that is "OFF" and nothing else confirms "OFF"\. .* add path/,
      ],
      [
        `choose: [{ when: a, ${JSON_PAYLOAD} }], else: "ON"`,
        "topic: plug",
        /without path only a report that is "ON" and nothing else confirms "ON"/,
      ],
    ])(
      "that will hardly ever come gives a warning at its place: %s, %s",
      async (payloads, confirm, words) => {
        const { warnings } = await loadText(output(payloads, confirm));
        expect(warnings).toEqual([
          expect.stringMatching(/^config\/vigie\.yaml:3:12 outputs\[0\]\.confirm: /),
        ]);
        expect(warnings[0]).toMatch(words);
      },
    );

    test.each([
      [`choose: [{ when: a, ${JSON_PAYLOAD} }], else: { payload: { state: "ON" } }`, "topic: plug"],
      [`choose: [{ when: a, ${JSON_PAYLOAD}, expect: "OFF" }]`, "topic: plug, path: state"],
      [`choose: [{ when: a, ${JSON_PAYLOAD}, expect: { output: false } }]`, "topic: plug, path: switch"],
      ['choose: [{ when: a, payload: "off", expect: "0" }], else: "on"', "topic: plug"],
      ["choose: [{ when: a, payload: { n: 1 }, expect: '{\"n\":{left.rouge}}' }]", "topic: plug"],
    ])("that may come gives none: %s, %s", async (payloads, confirm) => {
      expect((await loadText(output(payloads, confirm))).warnings).toEqual([]);
    });
  });

  describe("a choice that is never reached", () => {
    const RULES = `rules:
  - { id: rouge, when: { day: now, color: rouge } }
  - { id: rouge_peak, when: { day: now, color: rouge, period: hp } }
  - { id: late, when: { between: ["20:00", "22:00"] } }
`;
    const warningsOf = async (rules: string[]) => {
      const choices = rules.map((id) => `      - { when: ${id}, payload: x }\n`).join("");
      return (await loadText(`${RULES}outputs:\n  - topic: a\n    choose:\n${choices}`)).warnings;
    };

    test("because the one above it is ON whenever it is, gives a warning at its place", async () => {
      expect(await warningsOf(["late", "rouge", "rouge_peak"])).toEqual([
        "config/vigie.yaml:10:17 outputs[0].choose[2].when: never reached while rouge is enabled: whenever rouge_peak is ON, so is rouge, whose choice above it counts. Put rouge_peak above rouge",
      ]);
    });

    test("because it has the same rule as one above it, gives a warning", async () => {
      expect(await warningsOf(["late", "rouge", "late"])).toEqual([
        "config/vigie.yaml:10:17 outputs[0].choose[2].when: never reached: a choice above it has the same rule late",
      ]);
    });

    test("because both rules are always the same, is not told to move", async () => {
      const same = RULES.replace("{ between:", "{ rule: rouge_peak } }\n  - { id: other, when: { between:");
      const text = `${same}outputs: [{ topic: a, choose: [{ when: rouge_peak, payload: x }, { when: late, payload: y }] }]`;
      expect((await loadText(text)).warnings).toEqual([
        expect.stringMatching(/whenever late is ON, so is rouge_peak, .* Leave one of the two out$/),
      ]);
    });

    test("is none where the narrower rule stands above the wider one", async () => {
      expect(await warningsOf(["rouge_peak", "rouge", "late"])).toEqual([]);
    });
  });

  test.each(["“off”", "«off»", "« off »"])(
    "a payload in the quotes of %s gives a warning",
    async (payload) => {
      const text = `rules: [{ id: a, when: { period: hp } }]
outputs: [{ topic: plug/set, choose: [{ when: a, payload: ${payload} }] }]
`;
      expect((await loadText(text)).warnings).toEqual([
        expect.stringContaining(
          `the device gets ${payload} with these quotes: only " and ' are quotes to YAML`,
        ),
      ]);
    },
  );

  test("a topic with a comma at its end gives a warning", async () => {
    const text = `rules: [{ id: a, when: { period: hp } }]
outputs: [{ topic: "plug/set,", choose: [{ when: a, payload: x }] }]
`;
    expect((await loadText(text)).warnings).toEqual([
      expect.stringContaining(
        '"plug/set," has a comma at its end: to the broker it is another topic than "plug/set"',
      ),
    ]);
  });

  test("a topic with a space at an end gives a warning at each place: to the broker it is another topic", async () => {
    const text = `mqtt: { base_topic: "house " }
rules: [{ id: a, when: { mqtt: { topic: " car", equals: home } } }]
outputs: [{ topic: "plug/set ", choose: [{ when: a, payload: x }], unknown: y, confirm: { topic: "plug " } }]
`;
    const words = (topic: string, meant: string) =>
      `"${topic}" has a space at its beginning or end: to the broker it is another topic than "${meant}"`;
    expect((await loadText(text)).warnings).toEqual([
      `config/vigie.yaml:1:21 mqtt.base_topic: ${words("house ", "house")}`,
      `config/vigie.yaml:2:9 rules[0] a: ${words(" car", "car")}`,
      `config/vigie.yaml:3:20 outputs[0].topic: ${words("plug/set ", "plug/set")}`,
      `config/vigie.yaml:3:98 outputs[0].confirm.topic: ${words("plug ", "plug")}`,
    ]);
  });

  describe("an output", () => {
    const RULES = "rules: [{ id: a, when: { day: now, color: rouge } }, { id: b, when: { period: hc } }]";
    const warningsOf = async (options: string) =>
      (await loadText(`${RULES}\noutputs:\n- topic: plug/set\n  ${options.replaceAll("; ", "\n  ")}`))
        .warnings;

    test.each([
      ['choose: [{ when: a, payload: "off" }]; else: "off"', "4:32 outputs[0].choose[0].payload", "a"],
      [
        'choose: [{ when: b, payload: "on" }, { when: a, payload: { s: 1 } }]; else: { payload: { s: 1 } }',
        "4:60 outputs[0].choose[1].payload",
        "a",
      ],
    ])("whose payload is the same as else gives a warning: %s", async (options, place, rule) => {
      expect(await warningsOf(options)).toEqual([
        `config/vigie.yaml:${place}: the same payload as else, so the device gets it whether ${rule} is ON or OFF`,
      ]);
    });

    test("whose payload is the same as else to keep the choices below from counting gives none", async () => {
      const options = 'choose: [{ when: a, payload: "on" }, { when: b, payload: "off" }]; else: "on"';
      expect(await warningsOf(options)).toEqual([]);
    });

    test.each([
      ["choose: [{ when: a, payload: TOGGLE }]", "4:32 outputs[0].choose[0].payload", "TOGGLE"],
      ["choose: [{ when: a, payload: { state: toggle } }]", "4:32 outputs[0].choose[0].payload", "toggle"],
      [
        'choose: [{ when: a, payload: "on" }]; else: \'{"method":"Switch.Toggle"}\'',
        "5:9 outputs[0].else",
        "Switch.Toggle",
      ],
    ])("that toggles its device gives a warning: %s", async (options, place, word) => {
      expect(await warningsOf(options)).toEqual([
        `config/vigie.yaml:${place}: ${word} switches the device to the opposite of what it is, which vigie does not know: one message that is lost or sent again, and it is wrong from then on. Send what it is to be, such as "ON" and "OFF"`,
      ]);
    });

    test.each([
      [
        `choose: [{ when: a, payload: "{'state':'OFF'}" }]; confirm: { topic: plug }`,
        `{'state':'OFF'} is written as a text, so only a report that is the same letter by letter confirms it. Write an object, such as { state: "OFF" }`,
      ],
      [
        `choose: [{ when: a, payload: "off", expect: "{state: OFF}" }]; else: { payload: "on", expect: { state: "ON" } }; confirm: { topic: plug }`,
        `{state: OFF} is written as a text, so only a report that is the same letter by letter confirms it. Write an object, such as { state: "OFF" }`,
      ],
      [
        `choose: [{ when: a, payload: "off", expect: { relay: '{"on":false}' } }]; confirm: { topic: plug }`,
        `{"on":false} is written as a text, so only a report that is the same letter by letter confirms it. Write an object, such as { state: "OFF" }`,
      ],
      [
        `choose: [{ when: a, payload: "off", expect: '"OFF"' }]; confirm: { topic: plug, path: state }`,
        `"OFF" is written as JSON, but the value at path (state) is compared as OFF. Write expect: "OFF"`,
      ],
    ])("with JSON that is written as a text gives a warning: %s", async (options, words) => {
      expect(await warningsOf(options)).toEqual([
        expect.stringMatching(/^config\/vigie\.yaml:\d:12 outputs\[0\]\.confirm: /),
      ]);
      expect((await warningsOf(options))[0]?.replace(/^.*?confirm: /, "")).toBe(words);
    });

    test.each([
      `choose: [{ when: a, payload: '{"state":"OFF"}' }]; else: '{"state": "ON"}'; confirm: { topic: plug }`,
      `choose: [{ when: a, payload: '{"n":{left.rouge}}' }]; confirm: { topic: plug }`,
      `choose: [{ when: a, payload: "off", expect: '"OFF"' }]; confirm: { topic: plug }`,
      `choose: [{ when: a, payload: "{off: 1}" }]`,
    ])("whose text may come as a report gives none: %s", async (options) => {
      expect(await warningsOf(options)).toEqual([]);
    });
  });

  test("of an output in a list below `list` has its place, too", async () => {
    const text = `rules: [{ id: a, when: { day: now, color: rouge } }]
outputs:
  list:
    - topic: b
      choose: [{ when: a, payload: x }, { when: a, payload: y }]
`;
    expect((await loadText(text)).warnings).toEqual([
      expect.stringMatching(/^config\/vigie\.yaml:5:49 outputs\.list\[0\]\.choose\[1\]\.when: never reached/),
    ]);
  });
});
