import { describe, expect, test } from "vitest";
import { loadText, problemsOf } from "./folder.ts";

const REAL = "service: { base_url: https://days.example }\n";

/** The text of a file whose option at this path is set to this YAML. */
function setting(path: string, yaml: string): string {
  const [last = "", ...outer] = path.split(".").reverse();
  return outer.reduce((inner, key) => `${key}: { ${inner} }`, `${last}: ${yaml}`);
}

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);
}

describe("a valid value is accepted", () => {
  test.each([
    ["instance", "house_2", "house_2"],
    ["service.base_url", "https://days.example/", "https://days.example"],
    ["service.base_url", "http://10.0.0.2:8787/tempo/", "http://10.0.0.2:8787/tempo"],
    ["service.allow_simulator", "true", true],
    ["service.colors", "{ ROT: rouge }", { ROT: "rouge" }],
    ["service.confidence", "percent", "percent"],
    ["service.rate_unit", "c€/kWh", "c€/kWh"],
    ["service.history_parameters", "{ start: from, end: to }", { start: "from", end: "to" }],
    ["service.poll.every", "20m", 1_200_000],
    ["service.poll.announcement.between", '["07:00", "11:00"]', ["07:00", "11:00"]],
    ["service.poll.announcement.every", "2m", 120_000],
    ["service.late_after", "11:45", "11:45"],
    ["service.check_clock", "off", "off"],
    ["mqtt.username", '"7"', "7"],
    ["mqtt.password", "s3cret", "s3cret"],
    ["mqtt.base_topic", "house/vigie", "house/vigie"],
    ["mqtt.grace", "24h", 86_400_000],
    ["mqtt.tls.verify", "false", false],
    ["mqtt.tls.server_name", "broker.example", "broker.example"],
    ["tariff.time_zone", "America/Guadeloupe", "America/Guadeloupe"],
    ["tariff.day_starts_at", "00:00", "00:00"],
    [
      "tariff.off_peak",
      '["12:30-14:00", "23:00-05:30"]',
      [
        {
          windows: [
            { from: "12:30", to: "14:00" },
            { from: "23:00", to: "05:30" },
          ],
        },
      ],
    ],
    ["tariff.off_peak", "[]", [{ windows: [] }]],
    [
      "tariff.off_peak",
      '[{ from: 2026-12-01, months: [apr, 10], weekdays: sat, windows: ["00:00-24:00"] }, { windows: none }]',
      [
        {
          from: "2026-12-01",
          months: ["apr", "oct"],
          weekdays: ["sat"],
          windows: [{ from: "00:00", to: "24:00" }],
        },
        { windows: [] },
      ],
    ],
    ["tariff.laws", "off", "off"],
    ["tariff.rates_first", "owner", "owner"],
    ["tariff.rates", "[]", []],
    ["log.level", "silent", "silent"],
    ["log.format", "journal", "journal"],
  ])("%s: %s", async (path, yaml, value) => {
    const { config } = await loadText(setting(path, yaml));
    expect(at(config, path)).toEqual(value);
  });

  test.each([
    "embedded",
    "mqtt://192.168.1.10:1883",
    "mqtts://broker.example",
    "ws://broker:9001/mqtt",
    "wss://b/",
    "mqtt://[fd00::1]",
  ])("mqtt.url of a real service: %s", async (url) => {
    expect((await loadText(`${REAL}mqtt: { url: "${url}" }`)).config.mqtt.url).toBe(url);
  });

  test("a user and a password are moved out of the address, so that it may be shown", async () => {
    const { config } = await loadText(`${REAL}mqtt: { url: "mqtt://me:p%40ss@broker:1884" }`);
    expect(config.mqtt).toMatchObject({ url: "mqtt://broker:1884", username: "me", password: "p@ss" });
  });

  test("price rows are sorted by their date", async () => {
    const prices = "bleu: { hp: 0.1, hc: 0.1 }, blanc: { hp: 0.2, hc: 0.1 }, rouge: { hp: 0.5, hc: 0.1 }";
    const text = `tariff: { rates: [{ from: 2027-02-01, ${prices} }, { from: 2026-02-01, ${prices} }] }`;
    const { config } = await loadText(text);
    expect(config.tariff.rates.map(({ from }) => from)).toEqual(["2026-02-01", "2027-02-01"]);
  });
});

describe("a file that sets nothing", () => {
  test("gives every option its default", async () => {
    const { config, warnings } = await loadText("{}");
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      instance: "vigie",
      service: {
        base_url: "simulator",
        allow_simulator: false,
        colors: {},
        confidence: "auto",
        rate_unit: "EUR/kWh",
        history_parameters: "auto",
        poll: { every: 3_600_000, announcement: { between: ["06:30", "12:00"], every: 300_000 } },
        late_after: "12:00",
        check_clock: "auto",
      },
      mqtt: { url: "embedded", base_topic: "vigie", grace: 600_000, tls: { verify: true } },
      tariff: {
        time_zone: "Europe/Paris",
        day_starts_at: "06:00",
        off_peak: [{ windows: [{ from: "22:00", to: "06:00" }] }],
        laws: "tempo",
        rates_first: "service",
        rates: [
          { from: "2026-02-01", rouge: { hp: 0.706, hc: 0.1575 } },
          { from: "2026-08-01", bleu: { hp: 0.1654, hc: 0.1356 } },
        ],
      },
      log: { level: "info", format: "auto" },
    });
  });

  test("the base topic is the instance", async () => {
    expect((await loadText("instance: house_2")).config.mqtt.base_topic).toBe("house_2");
  });

  test("a group whose options are all commented out is at its defaults", async () => {
    const { config } = await loadText("service:\nmqtt:\n  tls:\ntariff:\nlog:\n");
    expect(config.mqtt.tls.verify).toBe(true);
  });
});

describe("a wrong value is refused with what was expected and what was found", () => {
  test.each([
    [
      "instance",
      "Vigie",
      'small letters and digits, joined by single underscores, at most 40 characters, such as vigie or house_2, got "Vigie"',
    ],
    ["service.base_url", "days.example", 'nothing after ? or #), got "days.example"'],
    [
      "service.base_url",
      "https://me:secret@days.example",
      '(no user or password, nothing after ? or #), got "https://***@days.example"',
    ],
    ["service.base_url", "https://days.example/v1/public", "the address without /v1/public"],
    ["service.base_url", "", "got nothing"],
    [
      "service.base_url",
      "http://days.example:70000/tempo",
      'an address with a port from 1 to 65535, such as https://forecast.example.org:8443, got "http://days.example:70000/tempo"',
    ],
    ["service.allow_simulator", '"yes"', 'true or false, got "yes"'],
    ["service.colors", "[ROT]", "spellings with their colour, such as { ROT: rouge }, got the list"],
    ["service.colors", "{ ROT: red }", 'one of bleu, blanc, rouge, got "red"'],
    ["service.confidence", "precent", 'one of auto, ratio, percent, got "precent" (did you mean percent?)'],
    ["service.rate_unit", "EUR", 'one of EUR/kWh, c€/kWh, got "EUR"'],
    ["service.history_parameters", "{ start: from }", "got nothing"],
    [
      "service.history_parameters",
      "automatic",
      'auto, or both names as { start: from, end: to }, got "automatic"',
    ],
    ["service.poll.every", "5m", 'one of 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, got "5m"'],
    ["service.poll.announcement.between", '["12:00", "06:30"]', "the earlier time first"],
    ["service.poll.announcement.between", '["06:30"]', 'two times, such as ["06:30", "12:00"], got'],
    [
      "service.poll.announcement.every",
      "7m",
      "one of 1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, 15m, 20m, 30m, 1h, got",
    ],
    ["service.late_after", "12h", 'a time of day from "00:00" to "23:59", such as "06:30", got "12h"'],
    ["service.check_clock", "false", "one of auto, off, got false"],
    [
      "mqtt.url",
      "192.168.1.10",
      "embedded, or an address that begins with mqtt://, mqtts://, ws:// or wss://",
    ],
    ["mqtt.url", "tcp://b", 'got "tcp://b"'],
    [
      "mqtt.url",
      "mqtt://u:1@b:65536",
      'expected an address with a port from 1 to 65535, such as mqtt://192.168.1.10:1883, got "mqtt://***@b:65536"',
    ],
    ["mqtt.url", '"mqtt://[fd00::1]:0"', "an address with a port from 1 to 65535"],
    [
      "mqtt.url",
      "mqtt://b/house",
      'an address without a path, which only ws:// and wss:// have, got "mqtt://b/house"',
    ],
    ["mqtt.url", '"mqtt://b?x"', "an address without ? and #"],
    ["mqtt.url", "mqtt://u:%zz@b", 'have each % written as %25, got "mqtt://***@b"'],
    ["mqtt.username", "7", "a user name (in quotes if it is a number), got 7"],
    ["mqtt.password", "1234", "a password (in quotes if it is a number), got a number"],
    ["mqtt.base_topic", "/house", "a topic such as house/vigie"],
    ["mqtt.base_topic", "homeassistant/vigie", "a topic outside of homeassistant.prefix (homeassistant)"],
    ["mqtt.base_topic", "homeassistant", "a topic outside of homeassistant.prefix (homeassistant)"],
    ["instance", "homeassistant", "a topic outside of homeassistant.prefix (homeassistant)"],
    ["homeassistant.prefix", "vigie/ha", "a topic outside of mqtt.base_topic (vigie)"],
    ["mqtt.grace", "10", "a duration from 0s to 168h"],
    ["mqtt.tls.verify", "0", "true or false, got 0"],
    ["mqtt.tls", "true", "key: value pairs (ca_file, cert_file, key_file, server_name, verify), got true"],
    ["homeassistant.language", "de", 'one of fr, en, got "de"'],
    ["homeassistant.exclude", "now_color", "a list of component keys"],
    ["tariff.time_zone", "Europe/Pari", 'the name of a time zone, such as Europe/Paris, got "Europe/Pari"'],
    ["tariff.day_starts_at", "6", "a time of day"],
    [
      "tariff.off_peak",
      '"22:00-06:00"',
      'a list of windows, such as ["22:00-06:00"], or of rows, got "22:00-06:00"',
    ],
    ["tariff.laws", "edf", "one of tempo, off"],
    ["tariff.rates", "[{ from: 2026-02-30 }]", "a date, such as 2026-08-01"],
    [
      "outputs",
      "[x]",
      'key: value pairs (id, name, topic, url, method, headers, content_type, secret_file, tls, message, choose, else, unknown, qos, retain, confirm), got "x"',
    ],
    ["state", '""', "the path of a folder"],
    ["log.level", "inf", "(did you mean info?)"],
  ])("%s: %s", async (path, yaml, words) => {
    const problems = await problemsOf(loadText(setting(path, yaml)));
    expect(problems.join("\n")).toContain(words);
    expect(problems.join("\n")).toMatch(
      new RegExp(`config/vigie\\.yaml:\\d+:\\d+ ${path.replaceAll(".", "\\.")}`),
    );
  });

  test("prices in cents, and a date that comes twice", async () => {
    const day = "{ hp: 0.1, hc: 0.1 }";
    const row = `from: 2026-02-01, bleu: ${day}, blanc: ${day}`;
    const text = `tariff:\n  rates:\n    - { ${row}, rouge: { hp: 70.6, hc: 0.1 } }\n    - { ${row}, rouge: ${day} }\n`;
    expect(await problemsOf(loadText(text))).toEqual([
      expect.stringMatching(
        /:3:\d+ tariff\.rates\[0\]\.rouge\.hp: expected a price in EUR\/kWh .* got 70\.6/,
      ),
      expect.stringMatching(
        /:4:\d+ tariff\.rates\[1\]\.from: expected a date that no earlier row has, got "2026-02-01"/,
      ),
    ]);
  });
});

describe("options that conflict", () => {
  test("invented days never go to a real broker unless that is allowed", async () => {
    const text = "mqtt: { url: mqtt://broker }\nservice: { base_url: simulator }\n";
    expect(await problemsOf(loadText(text))).toEqual([
      expect.stringContaining(":2:22 service.base_url: expected"),
    ]);
    const { config } = await loadText(text.replace("simulator", "simulator, allow_simulator: true"));
    expect(config.service.base_url).toBe("simulator");
  });

  test("a conflict is reported together with other problems", async () => {
    const text = "mqtt: { url: mqtt://broker, grace: soon }\nlog: { level: loud }\n";
    const problems = (await problemsOf(loadText(text))).join("\n");
    expect(problems).toContain("mqtt.grace: expected");
    expect(problems).toContain("log.level: expected");
    expect(problems).toContain("service.base_url: expected the address of a service");
  });

  test("a file of the encryption that cannot be read is refused, but not beside the embedded broker, which needs none", async () => {
    const tls = "tls: { ca_file: /nowhere/ca.pem }";
    expect(await problemsOf(loadText(`${REAL}mqtt: { url: mqtts://broker, ${tls} }`))).toEqual([
      expect.stringMatching(
        /^config\/vigie\.yaml:2:\d+ mqtt\.tls\.ca_file: expected a file that can be read, got "\/nowhere\/ca\.pem" \(it does not exist\)$/,
      ),
    ]);
    expect((await loadText(`mqtt: { url: embedded, ${tls} }`)).warnings).toEqual([
      expect.stringContaining("mqtt.tls.ca_file: set, but mqtt.url is not encrypted"),
    ]);
  });

  test("a certificate without its key is refused", async () => {
    const text = `${REAL}mqtt: { url: mqtts://broker, tls: { cert_file: /dev/null } }`;
    expect(await problemsOf(loadText(text))).toEqual([
      expect.stringMatching(/:2:\d+ mqtt\.tls\.key_file: expected both .* or neither, got nothing$/),
    ]);
  });

  test("a password is accepted in the address or beside it, not in both", async () => {
    const twice = `${REAL}mqtt: { url: "mqtt://me:one@broker", password: two }`;
    expect(await problemsOf(loadText(twice))).toEqual([
      expect.stringContaining("expected password only once, in the address or in mqtt.password, got"),
    ]);
    const split = `${REAL}mqtt: { url: mqtt://me@broker, password: two }`;
    expect((await loadText(split)).config.mqtt).toMatchObject({ username: "me", password: "two" });
  });

  test.each([
    "url: mqtt://b, password: secret",
    "url: mqtt://b, password_file: ./none",
    'url: "mqtt://:secret@b"',
  ])("a password without a user is refused, as a broker closes the connection: %s", async (mqtt) => {
    const problems = await problemsOf(loadText(`${REAL}mqtt: { ${mqtt} }`));
    expect(problems).toContain(
      "config/vigie.yaml:2:7 mqtt.username: expected a user, because there is a password, got nothing. If the broker asks for no login, remove the password",
    );
    expect(problems.join()).not.toContain("secret");
    expect(
      (await loadText(`mqtt: { url: embedded, ${mqtt.replace(/^url: [^,]*,?/, "")} }`)).warnings,
    ).toEqual([]);
  });
});
