import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, load, loadText, loadVariables, NEEDED, problemsOf } from "./folder.ts";

describe("which file is read", () => {
  const files = {
    "a.yaml": "instance: a",
    "b.yaml": "instance: b",
    "config/vigie.yaml": "instance: shipped",
  };

  test.each([
    ["--config before VIGIE_CONFIG", { file: "a.yaml", env: { VIGIE_CONFIG: "b.yaml" } }, "a"],
    ["VIGIE_CONFIG before the usual places", { env: { VIGIE_CONFIG: "b.yaml" } }, "b"],
    [
      "the first of the usual places that is there",
      { places: ["./none.yaml", "./config/vigie.yaml", "a.yaml"] },
      "shipped",
    ],
    ["an empty VIGIE_CONFIG is none", { env: { VIGIE_CONFIG: "" } }, "shipped"],
  ])("%s", async (_title, request, instance) => {
    const cwd = await folderWith(files);
    expect((await load({ cwd, ...request })).config.instance).toBe(instance);
  });

  test("the path of the file that was read is reported, absolute", async () => {
    const cwd = await folderWith(files);
    const loaded = await load({ cwd, file: "a.yaml" });
    expect([loaded.file, loaded.read]).toEqual([join(cwd, "a.yaml"), [join(cwd, "a.yaml")]]);
  });

  test.each([
    [
      { file: "none.yaml" },
      "none.yaml (named by --config): expected a file that can be read, but it does not exist",
    ],
    [{ env: { VIGIE_CONFIG: "none.yaml" } }, "none.yaml (named by VIGIE_CONFIG): expected a file"],
    [{ file: "a.yaml/b" }, "a.yaml/b (named by --config): expected a file that can be read, but"],
  ])("a named file must be there: %j", async (request, words) => {
    const cwd = await folderWith(files);
    expect(await problemsOf(load({ cwd, ...request }))).toEqual([expect.stringContaining(words)]);
  });

  test("a folder in place of the file is refused: a container creates one for a file that is not mounted", async () => {
    const cwd = await folderWith();
    await mkdir(join(cwd, "config/vigie.yaml"), { recursive: true });
    expect(await problemsOf(load({ cwd }))).toEqual([
      expect.stringContaining(
        "config/vigie.yaml: expected a file that can be read, but it is a folder, not a file",
      ),
    ]);
  });
});

describe("without a file", () => {
  test("service and broker must be set, so that no container publishes invented days", async () => {
    const cwd = await folderWith();
    const problems = await problemsOf(load({ cwd }));
    expect(problems).toEqual([
      expect.stringMatching(
        /^VIGIE_SERVICE_BASE_URL: expected an address, got nothing.*\.\/config\/vigie\.yaml/,
      ),
      expect.stringMatching(/^VIGIE_MQTT_URL: expected an address, got nothing/),
    ]);
    const half = await problemsOf(load({ cwd, env: { VIGIE_MQTT_URL: "mqtt://b" } }));
    expect(half[0]).toContain("VIGIE_SERVICE_BASE_URL: expected an address, got nothing");
  });

  test("two variables are enough", async () => {
    const { config, file, read } = await loadVariables({});
    expect([config.service.base_url, config.mqtt.url, file, read]).toEqual([
      "https://days.example",
      "mqtt://broker",
      null,
      [],
    ]);
  });
});

describe("an empty file", () => {
  test.each(["", "\n\n", "# instance: vigie\n\n# nothing is set\n", "~"])(
    "%j is refused: one that was emptied by an accident must not mean invented days",
    async (text) => {
      expect(await problemsOf(loadText(text))).toEqual([
        "config/vigie.yaml:1:1: expected service.base_url and mqtt.url, got an empty file. Write them into it (for a first look: service: { base_url: simulator } and mqtt: { url: embedded }), or set VIGIE_SERVICE_BASE_URL and VIGIE_MQTT_URL",
      ]);
    },
  );

  test("names only what no variable sets, beside other problems", async () => {
    const env = { VIGIE_SERVICE_BASE_URL: "https://days.example", VIGIE_LOG_LEVEL: "loud" };
    expect(await problemsOf(loadText("", env))).toEqual([
      expect.stringMatching(/:1:1: expected mqtt\.url, got an empty file\. .* VIGIE_MQTT_URL$/),
      expect.stringMatching(/^VIGIE_LOG_LEVEL: expected one of/),
    ]);
  });

  test("is right where variables set service and broker", async () => {
    const { config } = await loadText("# all by variables\n", NEEDED);
    expect([config.service.base_url, config.instance]).toEqual(["https://days.example", "vigie"]);
  });
});

describe("precedence", () => {
  test("command line, then environment, then file, then default", async () => {
    const cwd = await folderWith({
      "config/vigie.yaml": "instance: file\nlog: { level: warn, format: json }\nmqtt: { grace: 1m }",
    });
    const env = { VIGIE_INSTANCE: "environment", VIGIE_LOG_LEVEL: "error" };
    const { config } = await load({
      cwd,
      env,
      overrides: { instance: "line", mqtt: { base_topic: undefined } },
    });
    expect([
      config.instance,
      config.log.level,
      config.log.format,
      config.mqtt.grace,
      config.service.late_after,
    ]).toEqual(["line", "error", "json", 60_000, "12:00"]);
  });

  test("a variable's value, then its file, then the credential; an empty value is none", async () => {
    const cwd = await folderWith({
      secret: "by file\n",
      empty: "\n",
      "credentials/mqtt_password": "by credential\n",
      "credentials/mqtt_username": "me",
    });
    const CREDENTIALS_DIRECTORY = join(cwd, "credentials");
    const passwordWith = async (env: NodeJS.ProcessEnv) =>
      (await load({ cwd, env: { ...NEEDED, CREDENTIALS_DIRECTORY, ...env } })).config.mqtt.password;
    expect(await passwordWith({ VIGIE_MQTT_PASSWORD: "direct", VIGIE_MQTT_PASSWORD_FILE: "secret" })).toBe(
      "direct",
    );
    expect(await passwordWith({ VIGIE_MQTT_PASSWORD: "", VIGIE_MQTT_PASSWORD_FILE: "secret" })).toBe(
      "by file",
    );
    expect(await passwordWith({ VIGIE_MQTT_PASSWORD_FILE: "empty" })).toBe("by credential");
    expect(await passwordWith({ VIGIE_MQTT_PASSWORD_FILE: "" })).toBe("by credential");
    expect(await passwordWith({ CREDENTIALS_DIRECTORY: "" })).toBeUndefined();
  });

  test("files of variables and credentials are reported as read", async () => {
    const cwd = await folderWith({
      secret: "x",
      "credentials/mqtt_username": "me",
      "credentials/other": "y",
    });
    const env = {
      ...NEEDED,
      VIGIE_MQTT_PASSWORD_FILE: "secret",
      CREDENTIALS_DIRECTORY: join(cwd, "credentials"),
    };
    const { read, config } = await load({ cwd, env });
    expect(read.toSorted()).toEqual([join(cwd, "credentials/mqtt_username"), join(cwd, "secret")]);
    expect(config.mqtt.username).toBe("me");
  });

  test.each([
    ["./state by default", {}, "{}", "state"],
    [
      "$STATE_DIRECTORY before the default",
      { STATE_DIRECTORY: "/var/lib/vigie:/var/lib/other" },
      "{}",
      "/var/lib/vigie",
    ],
    ["the file before $STATE_DIRECTORY", { STATE_DIRECTORY: "/var/lib/vigie" }, "state: mine", "mine"],
    [
      "VIGIE_STATE before the file",
      { STATE_DIRECTORY: "/var/lib/vigie", VIGIE_STATE: "/data" },
      "state: mine",
      "/data",
    ],
  ])("the state folder: %s", async (_title, env, text, folder) => {
    const cwd = await folderWith({ "config/vigie.yaml": text });
    const { config } = await load({ cwd, env });
    expect(config.state).toBe(folder.startsWith("/") ? folder : join(cwd, folder));
  });
});

describe("variables", () => {
  test.each([
    [{ VIGIE_MQTT_PASSWORD: "0123" }, "mqtt.password", "0123"],
    [{ VIGIE_MQTT_PASSWORD: "true" }, "mqtt.password", "true"],
    [{ VIGIE_MQTT_PASSWORD: "{not: yaml" }, "mqtt.password", "{not: yaml"],
    [{ VIGIE_MQTT_PASSWORD: " # " }, "mqtt.password", " # "],
    [{ VIGIE_MQTT_BASE_TOPIC: "007" }, "mqtt.base_topic", "007"],
    [{ VIGIE_INSTANCE: "2" }, "instance", "2"],
    [{ VIGIE_SERVICE_CHECK_CLOCK: "off" }, "service.check_clock", "off"],
    [{ VIGIE_SERVICE_ALLOW_SIMULATOR: "true" }, "service.allow_simulator", true],
    [{ VIGIE_SERVICE_COLORS: "{ROT: rouge}" }, "service.colors.ROT", "rouge"],
    [{ VIGIE_SERVICE_HISTORY_PARAMETERS: "auto" }, "service.history_parameters", "auto"],
    [{ VIGIE_SERVICE_HISTORY_PARAMETERS: "{start: from, end: to}" }, "service.history_parameters.end", "to"],
    [
      { VIGIE_SERVICE_POLL_ANNOUNCEMENT_BETWEEN: '["07:00", 11:00]' },
      "service.poll.announcement.between.1",
      "11:00",
    ],
    [{ VIGIE_TARIFF_OFF_PEAK: "['22:00-06:00', 12:00-14:00]" }, "tariff.off_peak.1.from", "12:00"],
    [{ VIGIE_TARIFF_RATES: "[]" }, "tariff.rates", []],
    [{ VIGIE_MQTT_TLS_VERIFY: "true" }, "mqtt.tls.verify", true],
    [{ VIGIE_LOG: "{level: error}", VIGIE_LOG_FORMAT: "json" }, "log", { level: "error", format: "json" }],
    [{ VIGIE_LOG: "{level: error}", VIGIE_LOG_LEVEL: "debug" }, "log.level", "debug"],
    [{ VIGIE_RULES: "[]" }, "log.level", "info"],
  ])("%j", async (env, path, value) => {
    const { config } = await loadVariables(env);
    const found = path
      .split(".")
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], config);
    expect(found).toEqual(value);
  });

  test("a variable replaces one option of a group in the file", async () => {
    const { config } = await loadText("mqtt: { grace: 1m, tls: { server_name: b } }", {
      VIGIE_MQTT_BASE_TOPIC: "house",
    });
    expect(config.mqtt).toMatchObject({ grace: 60_000, base_topic: "house", tls: { server_name: "b" } });
  });

  test("where a name means two things the option's exact name wins", async () => {
    const cwd = await folderWith({ "ca.pem": "certificate", "path.txt": "ca.pem\n" });
    const env = { ...NEEDED, VIGIE_MQTT_URL: "mqtts://b" };
    const exact = await load({ cwd, env: { ...env, VIGIE_MQTT_TLS_CA_FILE: "ca.pem" } });
    expect(exact.config.mqtt.tls.ca_file).toBe(join(cwd, "ca.pem"));
    const byFile = await load({ cwd, env: { ...env, VIGIE_MQTT_TLS_CA_FILE_FILE: "path.txt" } });
    expect(byFile.config.mqtt.tls.ca_file).toBe(join(cwd, "ca.pem"));
  });

  test.each([
    [
      { VIGIE_MQTT_GRACE: "soon" },
      'VIGIE_MQTT_GRACE: expected a duration from 0s to 168h in s, m or h, such as 5m, got "soon"',
    ],
    [{ VIGIE_MQTT_URL: "mqtt//b" }, "VIGIE_MQTT_URL: expected embedded, or an address"],
    [
      { VIGIE_TARIFF_OFF_PEAK: "[" },
      "VIGIE_TARIFF_OFF_PEAK: expected a ] that closes the [ of line 1, column 1, got none",
    ],
    [{ VIGIE_TARIFF_OFF_PEAK: "[22]" }, "VIGIE_TARIFF_OFF_PEAK [0]: expected two different times of day"],
    [
      { VIGIE_LOG: "{levle: info}" },
      'VIGIE_LOG levle: expected a known option, got "levle" (did you mean level?)',
    ],
    [{ VIGIE_LOG: "info" }, 'VIGIE_LOG: expected key: value pairs (level, format), got "info"'],
    [
      { VIGIE_MQTT_GRACE_FILE: "/nowhere" },
      "VIGIE_MQTT_GRACE_FILE: expected a file that can be read, got /nowhere (it does not exist)",
    ],
    [{ VIGIE_SERVICE_BASE_URL: "simulator" }, "VIGIE_SERVICE_BASE_URL: expected the address of a service"],
    [{ VIGIE_INSTANCE: "homeassistant" }, "VIGIE_INSTANCE: expected a topic outside of homeassistant.prefix"],
    [{ VIGIE_MQTT_TLS_CERT_FILE: "/a" }, "VIGIE_MQTT_TLS_KEY_FILE: expected both"],
  ])("are named in the problem: %j", async (env, words) => {
    expect((await problemsOf(loadVariables(env))).join("\n")).toContain(words);
  });

  test("values from files are named by the variable or the credential", async () => {
    const cwd = await folderWith({ grace: "soon", "credentials/log_level": "loud" });
    const env = {
      ...NEEDED,
      VIGIE_MQTT_GRACE_FILE: "grace",
      CREDENTIALS_DIRECTORY: join(cwd, "credentials"),
    };
    expect(await problemsOf(load({ cwd, env }))).toEqual([
      expect.stringMatching(/^VIGIE_MQTT_GRACE_FILE: expected a duration/),
      expect.stringMatching(/^credential log_level: expected one of/),
    ]);
  });

  test("the command line is named as well", async () => {
    const cwd = await folderWith({ "config/vigie.yaml": "{}" });
    expect(await problemsOf(load({ cwd, overrides: { instance: "No" } }))).toEqual([
      expect.stringMatching(/^command line instance: expected small letters/),
    ]);
  });
});

describe("a file that is wrong", () => {
  test("every problem is reported at once, with its place and the nearest known word", async () => {
    const text = `instanc: x
service:
  base_url: days.example
  pol: { every: 1h }
mqtt:
  url: mqtt://b
  gracee: 10m
  grace: 10
zigbee: true
password: x
tariff: [1]
`;
    expect(await problemsOf(loadText(text, { VIGIE_LOG_LEVEL: "loud" }))).toEqual([
      expect.stringMatching(
        /^config\/vigie\.yaml:3:13 service\.base_url: expected simulator, or an address .* got "days\.example"$/,
      ),
      'config/vigie.yaml:4:3 service.pol: expected a known option, got "pol" (did you mean poll?)',
      expect.stringMatching(/^config\/vigie\.yaml:8:10 mqtt\.grace: expected a duration .* got 10$/),
      'config/vigie.yaml:7:3 mqtt.gracee: expected a known option, got "gracee" (did you mean grace?)',
      expect.stringMatching(
        /^config\/vigie\.yaml:11:9 tariff: expected key: value pairs \(time_zone, .*, rates\), got a list$/,
      ),
      'VIGIE_LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
      'config/vigie.yaml:1:1 instanc: expected a known option, got "instanc" (did you mean instance?)',
      'config/vigie.yaml:9:1 zigbee: expected a known option, got "zigbee"',
      'config/vigie.yaml:10:1 password: expected a known option, got "password" (did you mean mqtt.password?)',
    ]);
  });

  test.each([
    ["mqtt:\n  url: mqtt://a\n  url: mqtt://b\n", ':3:3: expected each key once, got "url" again'],
    ["log: {level: info\n", ":2:1: expected a } that closes the { of line 1, column 6, got none"],
    ["mqtt:\n  tls: {verify: true", ":2:21: expected a } that closes the { of line 2, column 8, got none"],
    [
      "rules: [{ id: a, when: { period: hp } ]\n",
      ":1:39: expected a } that closes the { of line 1, column 9, got none",
    ],
    [
      "log: {level: info\nmqtt:\n  url: embedded\n",
      ":2:1: expected a } that closes the { of line 1, column 6, or more spaces at the beginning of this line, got none",
    ],
    [
      "tariff:\n  off_peak: [\n  '22:00-06:00'\n  ]\n",
      ":3:3: expected a ] that closes the [ of line 2, column 13, or more spaces at the beginning of this line, got none",
    ],
    ["instance: a\ninstance: b\nlog: {\n", ':2:1: expected each key once, got "instance" again'],
    ['log: {level: "info}\n', ':2:1: expected a " that closes the " of line 1, column 14, got none'],
    ["instance: 'a\n", ":2:1: expected a ' that closes the ' of line 1, column 11, got none"],
    ["log:\n\tlevel: info\n", ":2:1: expected spaces at the beginning of the line"],
    ["mqtt:\n  password: !secret x\n", ":2:13: expected quotes around a text that begins with !"],
    ["mqtt:\n  password: *secret\n", "expected each alias (*name) to have an anchor"],
    [
      "mqtt:\n  password: @secret\n",
      ":2:13: expected quotes around a text that begins with a special character",
    ],
    [
      "mqtt:\n  username: a\n  password:secret\n",
      ":3:3: expected a closing quote or bracket, a comma, or a colon and a space after a key",
    ],
    ["a: 1\n---\nb: 2\n", ":2:1: expected one document, got a second ---"],
    ["- a\n", "rules, outputs, state, log), got a list"],
    ["vigie", ":1:1: expected key: value pairs (instance, service,"],
    ["__proto__: { instance: x }\n", ':1:1 __proto__: expected a known option, got "__proto__"'],
    ["? [a, b]\n: 1\n", 'expected a known option, got "…"'],
    ["1: 2\n", ':1:1 1: expected a known option, got "1"'],
  ])("%j", async (text, words) => {
    expect((await problemsOf(loadText(text))).join("\n")).toContain(words);
  });

  test.each(["[", "- ", "{a: ", "? ", "a: "])(
    "%s repeated thousands of times does not crash the program",
    async (piece) => {
      const problems = await problemsOf(loadText(`${piece.repeat(3_000)}\n`));
      expect(problems).toEqual(["config/vigie.yaml:1:1: expected at most 50 levels of nesting, got more"]);
    },
  );

  test("one mistake is reported once", async () => {
    expect(await problemsOf(loadText("mqtt:\n  url: mqtt://b\n  username: a: b: c\n"))).toHaveLength(1);
  });

  test("aliases that would fill the memory are refused", async () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg"]) {
      bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`);
    }
    expect(await problemsOf(loadText(bomb.join("\n")))).toEqual([
      expect.stringContaining(":1:1: expected each alias"),
    ]);
  });

  test("a problem in an aliased value is reported at the place of its anchor", async () => {
    const text = "log: &log { level: loud }\ntariff: { laws: off }\nservice: { poll: *log }\n";
    expect(await problemsOf(loadText(text))).toEqual([
      expect.stringMatching(/^config\/vigie\.yaml:1:13 service\.poll\.level: expected a known option/),
      expect.stringMatching(/^config\/vigie\.yaml:1:20 log\.level: expected one of/),
    ]);
  });
});

describe("warnings", () => {
  test.each([
    ["VIGIE_MQTT_ULR", "VIGIE_MQTT_URL"],
    ["VIGIE_MQTT_PASSWORD_FIEL", "VIGIE_MQTT_PASSWORD_FILE"],
    ["VIGIE_CONFIGS", "VIGIE_CONFIG"],
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
      ["homeassistant.exclude: no component has the key now_colour (did you mean now_color?)"],
    ],
    ["homeassistant:", []],
  ])("a component that is excluded must exist: %j", async (text, expected) => {
    const { warnings } = await loadText(text);
    expect(warnings).toEqual(expected);
  });

  test.each([
    [{ VIGIE_MQTT_URL: "mqtt://localhost" }, true, "mqtt.url: in a container this address is the container"],
    [{ VIGIE_MQTT_URL: "mqtt://u:secret@127.0.0.1" }, true, "mqtt.url: in a container this address"],
    [{ VIGIE_SERVICE_BASE_URL: "http://localhost:8787" }, true, "service.base_url: in a container"],
    [
      { VIGIE_MQTT_URL: "mqtt://localhost", VIGIE_SERVICE_BASE_URL: "http://localhost" },
      true,
      "mqtt.url, service.base_url: in a container this address is the container itself",
    ],
    [{ VIGIE_MQTT_URL: "mqtt://localhost" }, false, undefined],
    [{}, true, undefined],
  ])(
    "an address of the container itself gives a warning: %j, in a container: %j",
    async (env, inContainer, words) => {
      const { warnings } = await load({ cwd: await folderWith(), env: { ...NEEDED, ...env }, inContainer });
      expect(warnings).toEqual(words === undefined ? [] : [expect.stringContaining(words)]);
    },
  );

  test("encryption that is set but not used, or not verified, gives a warning", async () => {
    const plain = await loadVariables({ VIGIE_MQTT_TLS_SERVER_NAME: "b" });
    expect(plain.warnings).toEqual([
      expect.stringContaining("mqtt.tls.server_name: set, but mqtt.url is not encrypted"),
    ]);
    const open = await loadVariables({ VIGIE_MQTT_URL: "mqtts://b", VIGIE_MQTT_TLS_VERIFY: "false" });
    expect(open.warnings).toEqual([expect.stringContaining("mqtt.tls.verify: false, so any machine")]);
  });
});
