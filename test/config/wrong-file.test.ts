import { describe, expect, test } from "vitest";
import { loadText, problemsOf } from "./folder.ts";

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
      'config/vigie.yaml:1:1 instanc: expected a known option (instance, service, official, mqtt, homeassistant, tariff, rules, outputs, http, state, log), got "instanc" (did you mean instance?)',
      expect.stringMatching(
        /^config\/vigie\.yaml:3:13 service\.base_url: expected simulator, none \(no forecasts\), or an address .* got "days\.example" \(did you mean https:\/\/days\.example\?\)$/,
      ),
      'config/vigie.yaml:4:3 service.pol: expected a known option (base_url, allow_simulator, colors, confidence, rate_unit, history_parameters, poll, late_after, check_clock), got "pol" (did you mean poll?)',
      'config/vigie.yaml:7:3 mqtt.gracee: expected a known option (url, username, password, password_file, base_topic, grace, tls), got "gracee" (did you mean grace?)',
      expect.stringMatching(
        /^config\/vigie\.yaml:8:10 mqtt\.grace: expected a duration .* got 10 \(did you mean .*10m.*\?\)$/,
      ),
      'config/vigie.yaml:9:1 zigbee: expected a known option (instance, service, official, mqtt, homeassistant, tariff, rules, outputs, http, state, log), got "zigbee"',
      'config/vigie.yaml:10:1 password: expected a known option (instance, service, official, mqtt, homeassistant, tariff, rules, outputs, http, state, log), got "password" (did you mean mqtt.password?)',
      expect.stringMatching(
        /^config\/vigie\.yaml:11:9 tariff: expected key: value pairs \(time_zone, .*, rates\), got the list \[1\]$/,
      ),
      'VIGIE_LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
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
    [
      "rules:\n  - id: a\n    name: 'l'eau'\n",
      `config/vigie.yaml:3:14: expected double quotes around a text with an apostrophe ("l'eau"), got single quotes`,
    ],
    [
      "rules: [{ id: a, name: { fr: 'chauffe-eau d'hiver', en: 'b' } }]\n",
      `config/vigie.yaml:1:45: expected double quotes around a text with an apostrophe ("l'eau"), got single quotes`,
    ],
    [
      'instance: "a "b" c"\n',
      `config/vigie.yaml:1:15: expected single quotes around a text with double quotes ('say "on"'), got double quotes`,
    ],
    ["instance: 'a\n", ":2:1: expected a ' that closes the ' of line 1, column 11, got none"],
    [
      "rules:\n  - id: a\n   when: x\n",
      ":3:4: expected the same number of spaces before lines that belong together, got 3 at the beginning of this line; the first word of the line above begins after 4",
    ],
    [
      "mqtt:\n  url: a\n\n  # c\n   grace: 1m\n",
      ":5:4: expected the same number of spaces before lines that belong together, got 3 at the beginning of this line; the first word of the line above begins after 2",
    ],
    [
      "rules:\n  - all:\n    - a: 1\n      - b: 1\n",
      ":4:7: expected the same number of spaces before lines that belong together, got 6 at the beginning of this line; the line above begins after 4",
    ],
    ["log:\n\tlevel: info\n", ":2:1: expected spaces at the beginning of the line, no tab, got a tab"],
    [
      "mqtt:\n  base_topic: a: b\n",
      ":2:15: expected quotes around a text with a colon and a space in it, or the second key on a line of its own, got two colons on one line",
    ],
    [
      "rules: [{ id: a, when: { mqtt: { topic: car, path: battery[0].x, below: 40 } } }]\n",
      ":1:59: expected quotes around a text with a bracket in it; in a path, a number joined by dots (battery.0), got a [ right after a word",
    ],
    ["mqtt:\n  password: !geheim x\n", ":2:13: expected quotes around a text that begins with !"],
    ["mqtt:\n  password: *secret\n", ":2:13: expected quotes around a text that begins with *, got none"],
    [
      "mqtt:\n  password: @secret\n",
      ":2:13: expected quotes around a text that begins with a special character",
    ],
    [
      "mqtt:\n  username: a\n  password:secret\n",
      ":3:12: expected a space after the colon of this key, got none",
    ],
    ["a: 1\n---\nb: 2\n", ":2:1: expected one document, got a second ---"],
    ["- a\n", "rules, outputs, http, state, log), got a list"],
    ["vigie", ":1:1: expected key: value pairs (instance, service,"],
    ["__proto__: { instance: x }\n", 'outputs, http, state, log), got "__proto__"'],
    ["? [a, b]\n: 1\n", 'state, log), got "…"'],
    ["1: 2\n", 'state, log), got "1"'],
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

  test.each([
    "mqtt:\n  url: mqtt://b\n  username: a: b: c\n",
    "mqtt:\n  url: a\n   grace: 1m\n",
    "rules:\n  - { id: a[0], when: {\n      period: hp } }\nx: {}\n",
  ])("one mistake is reported once: %j", async (text) => {
    expect(await problemsOf(loadText(text))).toHaveLength(1);
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
