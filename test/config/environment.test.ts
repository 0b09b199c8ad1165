import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, load, loadText, loadVariables, NEEDED, problemsOf } from "./folder.ts";

describe("variables", () => {
  test.each([
    [{ VIGIE_MQTT_USERNAME: "me", VIGIE_MQTT_PASSWORD: "0123" }, "mqtt.password", "0123"],
    [{ VIGIE_MQTT_USERNAME: "me", VIGIE_MQTT_PASSWORD: "true" }, "mqtt.password", "true"],
    [{ VIGIE_MQTT_USERNAME: "me", VIGIE_MQTT_PASSWORD: "{not: yaml" }, "mqtt.password", "{not: yaml"],
    [{ VIGIE_MQTT_USERNAME: "me", VIGIE_MQTT_PASSWORD: " # " }, "mqtt.password", " # "],
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
    [{ VIGIE_TARIFF_OFF_PEAK: "['22:00-06:00', 12:00-14:00]" }, "tariff.off_peak.0.windows.1.from", "12:00"],
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

  test("a password without a user is not used, with a warning that names where it is from", async () => {
    const cwd = await folderWith({ secret: "hidden", "credentials/mqtt_password": "hidden" });
    const CREDENTIALS_DIRECTORY = join(cwd, "credentials");
    const given: [string, NodeJS.ProcessEnv][] = [
      ["VIGIE_MQTT_PASSWORD", { VIGIE_MQTT_PASSWORD: "hidden" }],
      ["VIGIE_MQTT_PASSWORD_FILE", { VIGIE_MQTT_PASSWORD_FILE: "secret" }],
      ["VIGIE_MQTT password_file", { VIGIE_MQTT: "{ password_file: ./secret }" }],
      ["credential mqtt_password", { CREDENTIALS_DIRECTORY }],
    ];
    for (const [place, env] of given) {
      const { config, warnings } = await load({ cwd, env: { ...NEEDED, ...env } });
      expect(config.mqtt.password).toBeUndefined();
      expect(warnings).toEqual([
        `${place}: this password is not used, because there is no user: set mqtt.username, or remove the password`,
      ]);
      const withUser = await load({ cwd, env: { ...NEEDED, ...env, VIGIE_MQTT_USERNAME: "me" } });
      expect(withUser.config.mqtt.password).toBe("hidden");
      expect(withUser.warnings).toEqual([]);
    }
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
    [{ VIGIE_TARIFF_OFF_PEAK: "[22]" }, "VIGIE_TARIFF_OFF_PEAK [0]: expected a window, such as"],
    [
      { VIGIE_LOG: "{levle: info}" },
      'VIGIE_LOG levle: expected a known option (level, format), got "levle" (did you mean level?)',
    ],
    [{ VIGIE_LOG: "info" }, 'VIGIE_LOG: expected key: value pairs (level, format), got "info"'],
    [
      { VIGIE_MQTT_GRACE_FILE: "/nowhere" },
      "VIGIE_MQTT_GRACE_FILE: expected a file that can be read, got /nowhere (it does not exist)",
    ],
    [
      { VIGIE_MQTT_PASSWORD_FILE: "/run/secrets/nowhere" },
      "VIGIE_MQTT_PASSWORD_FILE: expected a file that can be read, got /run/secrets/nowhere (it does not exist)",
    ],
    [
      { VIGIE_MQTT_PASSWORD_FILE: "geheim" },
      "VIGIE_MQTT_PASSWORD_FILE: expected a file that can be read, got a text that is not shown, as it may be the password itself: a path begins with / or ./ (it does not exist)",
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
