import { execFileSync } from "node:child_process";
import { mkdir, open, writeFile } from "node:fs/promises";
import { devNull } from "node:os";
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
    expect([loaded.file, loaded.read.map(({ path }) => path)]).toEqual([
      join(cwd, "a.yaml"),
      [join(cwd, "a.yaml")],
    ]);
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

describe("a file in another encoding than UTF-8 is refused", () => {
  const TEXT = "instance: vigie\n# après-midi\n";
  const UNREADABLE = "config/vigie.yaml: expected a file that can be read, but";
  test.each<[string, Buffer, string]>([
    ["Latin-1", Buffer.from(TEXT, "latin1"), "it is not in UTF-8, first in line 2: save it as UTF-8"],
    [
      "UTF-16",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(TEXT, "utf16le")]),
      "it is in UTF-16: save it as UTF-8",
    ],
    ["UTF-16 without a mark", Buffer.from("log: {}\n", "utf16le"), "it is in UTF-16: save it as UTF-8"],
  ])("%s", async (_name, content, words) => {
    const cwd = await folderWith({ "config/vigie.yaml": "" });
    await writeFile(join(cwd, "config/vigie.yaml"), content);
    expect(await problemsOf(load({ cwd }))).toEqual([`${UNREADABLE} ${words}`]);
  });

  test("a password, too", async () => {
    const cwd = await folderWith();
    await writeFile(join(cwd, "secret"), Buffer.from("clé", "latin1"));
    const file = join(cwd, "secret");
    expect(await problemsOf(load({ cwd, env: { ...NEEDED, VIGIE_MQTT_PASSWORD_FILE: file } }))).toEqual([
      `VIGIE_MQTT_PASSWORD_FILE: expected a file that can be read, got ${file} (it is not in UTF-8, first in line 1: save it as UTF-8)`,
    ]);
  });

  test("but UTF-8 with a mark at its beginning, as Windows writes it, is read", async () => {
    const { config } = await loadText("\uFEFFinstance: maison\n");
    expect(config.instance).toBe("maison");
  });
});

describe("what is no file", () => {
  async function folderWithPipe() {
    const cwd = await folderWith();
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    return cwd;
  }

  test("a pipe is read to its end, also one that holds a password", async () => {
    const cwd = await folderWithPipe();
    const read = load({ cwd, file: "pipe" });
    await writeFile(join(cwd, "pipe"), "instance: piped\n");
    expect((await read).config.instance).toBe("piped");

    const env = { ...NEEDED, VIGIE_MQTT_USERNAME: "me", VIGIE_MQTT_PASSWORD_FILE: "pipe" };
    const readPassword = load({ cwd, env });
    await writeFile(join(cwd, "pipe"), "secret\n");
    expect((await readPassword).config.mqtt.password).toBe("secret");
  });

  test("a pipe that brings nothing is refused", async () => {
    const cwd = await folderWithPipe();
    const problems = problemsOf(load({ cwd, file: "pipe" }));
    await writeFile(join(cwd, "pipe"), "");
    expect(await problems).toEqual([
      "pipe (named by --config): expected a file that can be read, but it is a pipe into which nobody writes, or no longer",
    ]);
  });

  test("a pipe that does not end is no longer awaited when vigie is stopped", async () => {
    const cwd = await folderWithPipe();
    const stop = new AbortController();
    const problems = problemsOf(load({ cwd, file: "pipe", signal: stop.signal }));
    const writer = await open(join(cwd, "pipe"), "w");
    await writer.write("instance: piped\n");
    stop.abort();
    expect(await problems).toEqual([
      "pipe (named by --config): expected a file that can be read, but it is a pipe, and vigie was stopped while it waited for the end of it",
    ]);
    await writer.close();
  });

  test("a device is refused, because it has no end", async () => {
    const cwd = await folderWith();
    expect(await problemsOf(load({ cwd, file: "/dev/zero" }))).toEqual([
      "/dev/zero (named by --config): expected a file that can be read, but it is a terminal or a device, not a file",
    ]);
  });

  test("the empty device is a file without options", async () => {
    const { config } = await load({ cwd: await folderWith(), file: devNull, env: NEEDED });
    expect(config.mqtt.url).toBe("mqtt://broker");
  });
});

describe("without a file", () => {
  test("service and broker must be set, so that no container publishes invented days", async () => {
    const cwd = await folderWith();
    const problems = await problemsOf(load({ cwd }));
    expect(problems).toEqual([
      expect.stringMatching(
        /^VIGIE_SERVICE_BASE_URL: expected the address of a service, or none .*, got nothing.*\.\/config\/vigie\.yaml/,
      ),
      expect.stringMatching(/^VIGIE_MQTT_URL: expected the address of a broker, got nothing/),
    ]);
    const half = await problemsOf(load({ cwd, env: { VIGIE_MQTT_URL: "mqtt://b" } }));
    expect(half[0]).toContain("VIGIE_SERVICE_BASE_URL: expected the address of a service");
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

  test("is refused also where variables set service and broker: its rules would be lost", async () => {
    expect(await problemsOf(loadText("\n", NEEDED))).toEqual([
      "config/vigie.yaml:1:1: expected options or a comment, got an empty file. Write them into it, or remove it: then the variables alone count",
    ]);
  });

  test("is right with a comment in it, where variables set service and broker", async () => {
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

  test("mqtt.password_file names a file with the password, which counts less than one from outside", async () => {
    const cwd = await folderWith({
      "config/vigie.yaml":
        "service: { base_url: none }\nofficial: { source: rte }\nmqtt: { url: mqtt://me@b, password_file: ./secret }",
      secret: " by file: #%\n",
      other: "by variable",
      "credentials/mqtt_password": "by credential\n",
      "empty/mqtt_password": "\n",
    });
    const passwordWith = async (env: NodeJS.ProcessEnv) => (await load({ cwd, env })).config.mqtt.password;
    expect(await passwordWith({})).toBe(" by file: #%");
    expect(await passwordWith({ VIGIE_MQTT_PASSWORD: "direct" })).toBe("direct");
    expect(await passwordWith({ VIGIE_MQTT_PASSWORD_FILE: "other" })).toBe("by variable");
    expect(await passwordWith({ CREDENTIALS_DIRECTORY: join(cwd, "credentials") })).toBe("by credential");
    expect(await passwordWith({ CREDENTIALS_DIRECTORY: join(cwd, "empty") })).toBe(" by file: #%");
    expect(await passwordWith({ VIGIE_MQTT: "{ password_file: ./other }" })).toBe("by variable");
    const { read } = await load({ cwd });
    expect(read.map(({ path }) => path)).toEqual([join(cwd, "config/vigie.yaml"), join(cwd, "secret")]);
  });

  test("mqtt.password_file that cannot be read, or beside mqtt.password, is refused, unless it is not asked for", async () => {
    const start = "service: { base_url: none }\nofficial: { source: rte }\n";
    const cwd = await folderWith();
    const problems = async (mqtt: string, env: NodeJS.ProcessEnv = {}) => {
      await mkdir(join(cwd, "config"), { recursive: true });
      await writeFile(join(cwd, "config/vigie.yaml"), `${start}mqtt: ${mqtt}`);
      return problemsOf(load({ cwd, env }));
    };
    expect(await problems("{ url: mqtt://me@b, password_file: ./none }")).toEqual([
      'config/vigie.yaml:3:42 mqtt.password_file: expected a file that can be read, got "./none" (it does not exist)',
    ]);
    expect(await problems("{ url: mqtt://me@b, password_file: hunter2 }")).toEqual([
      "config/vigie.yaml:3:42 mqtt.password_file: expected a file that can be read, got a text of 7 characters (it does not exist)",
    ]);
    expect(await problems("{ url: mqtt://me@b, password: x, password_file: ./none }")).toEqual([
      'config/vigie.yaml:3:55 mqtt.password_file: expected either mqtt.password or mqtt.password_file, got "./none"',
    ]);
    const unread = "{ url: mqtt://me@b, password_file: ./none }";
    expect(await problems(unread, { VIGIE_MQTT_PASSWORD: "x" })).toEqual([]);
    expect(
      await problems(unread, {
        VIGIE_MQTT_URL: "embedded",
        VIGIE_OFFICIAL_SOURCE: "off",
        VIGIE_SERVICE_BASE_URL: "simulator",
      }),
    ).toEqual([]);
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
    expect(read.map(({ path }) => path).toSorted()).toEqual([
      join(cwd, "credentials/mqtt_username"),
      join(cwd, "secret"),
    ]);
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
