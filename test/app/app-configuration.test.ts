import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, rmdir, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openAppConfiguration } from "../../src/app/app-configuration.ts";
import type { SupervisorAnswer } from "../../src/app/ask-supervisor.ts";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { ConfigError } from "../../src/config/problems.ts";
import { folderWith } from "../config/folder.ts";
import { logTo } from "../support/logs.ts";

const RULE = { id: "night", colors: "rouge", day: "now" };
const BROKER = { url: "mqtt://core-mosquitto:1883", username: "addons", password: "secret-1" };
const LATER = { ...BROKER, password: "secret-2" };

interface Start {
  /** What the Supervisor has written; a text as it is. */
  options?: object | string;
  answer?: SupervisorAnswer;
  /** Of /config. */
  file?: string;
  /** The folder of an app that ran before. */
  root?: string;
}

/** The app as it starts; nothing of it waits. */
async function start({ options, answer = { broker: BROKER }, file, root: given }: Start = {}) {
  const root = given ?? (await folderWith({ "data/.here": "", "config/.here": "" }));
  const path = (name: string) => join(root, name);
  const lines: string[] = [];
  const log = logTo(lines);
  const clock = { now: () => 0, steady: () => 0 };
  const minutes = new Set<() => void>();
  const write = async (text: object | string | undefined) => {
    if (text !== undefined)
      await writeFile(path("data/options.json"), typeof text === "string" ? text : JSON.stringify(text));
  };
  await write(options);
  if (file !== undefined) await writeFile(path("config/vigie.yaml"), file);
  let said = answer;
  const app = await openAppConfiguration({
    folder: path("data"),
    request: { env: { VIGIE_STATE: path("data") }, cwd: root, inContainer: false },
    askSupervisor: async () => said,
    log,
    problemLog: createProblemLog(log, clock),
    clock: {
      after: (milliseconds, run) => {
        expect(milliseconds).toBe(60_000);
        minutes.add(run);
        return () => void minutes.delete(run);
      },
    },
  });
  await app.askBroker();
  const endMinute = () => {
    const ended = [...minutes];
    minutes.clear();
    for (const end of ended) end();
  };
  return {
    ...app,
    root,
    lines,
    path,
    says: (next: SupervisorAnswer) => {
      said = next;
    },
    /** For how many minutes it waits. */
    waiting: () => minutes.size,
    endMinute,
    /** It goes by: what was right is written down. */
    passMinute: async () => {
      endMinute();
      const soon = { interval: 5 };
      await expect
        .poll(() => readFile(path("data/last-good.json"), "utf8").catch(() => ""), soon)
        .not.toBe("");
      await expect
        .poll(async () => (await readdir(path("data"))).filter((name) => /tmp/.test(name)), soon)
        .toEqual([]);
    },
  };
}

/** An app that ran for a minute with this form. */
async function ranWith(options: object, more: Start = {}) {
  const app = await start({ options, ...more });
  const loaded = await app.load();
  await app.passMinute();
  return { ...app, loaded };
}

const FORM = { language: "en", rules: [RULE] };
const WRONG = { language: "en", rules: [{ ...RULE, colors: "green" }] };
const PROBLEM =
  'Rules 1, Colour: expected one of rouge, blanc, bleu, rouge_or_blanc, bleu_or_blanc, got "green"';

describe("the configuration of the app", () => {
  test("is the form's, with the broker that the Supervisor names", async () => {
    const app = await start({ options: FORM });
    const { config, refused, brokerIsUnknown, file } = await app.load();
    expect(config.mqtt).toMatchObject(BROKER);
    expect(config.rules.map(({ id }) => id)).toEqual(["night"]);
    expect({ refused, brokerIsUnknown, file }).toEqual({ refused: [], brokerIsUnknown: false, file: null });
    expect(app.lines).toEqual([]);
  });

  test("tries the usual broker while none is named, and says so once", async () => {
    const app = await start({ options: FORM, answer: { none: true } });
    expect(await app.load()).toMatchObject({
      brokerIsUnknown: true,
      config: { mqtt: { url: "mqtt://core-mosquitto:1883", username: undefined } },
    });
    expect(await app.askBroker()).toBe(false);
    expect(app.lines).toEqual([
      "Home Assistant has no MQTT broker: install the app Mosquitto broker, and start it. vigie asks again until it does",
    ]);
    app.says({ failed: "it does not answer" });
    expect(await app.askBroker()).toBe(false);
    app.says({ broker: BROKER });
    // Until it is read: whoever runs may not have heard of it yet.
    expect(await app.askBroker()).toBe(true);
    expect(await app.askBroker()).toBe(true);
    expect(app.lines.slice(1)).toEqual([
      "Home Assistant's Supervisor does not name the broker: it does not answer. vigie asks again until it does",
      "Home Assistant names the broker mqtt://core-mosquitto:1883, after 0 s",
    ]);
    expect(await app.load()).toMatchObject({ brokerIsUnknown: false, config: { mqtt: BROKER } });
    expect(await app.askBroker()).toBe(false);
  });

  test("keeps the broker that was named while the Supervisor names none, and takes another one", async () => {
    const app = await start({ options: FORM });
    app.says({ none: true });
    await app.askBroker();
    expect((await app.load()).config.mqtt).toMatchObject(BROKER);
    app.says({ broker: LATER });
    expect(await app.askBroker()).toBe(true);
    expect((await app.load()).config.mqtt).toMatchObject(LATER);
  });

  test("uses no password that is named without a user, as the broker would close the connection", async () => {
    const app = await start({ options: FORM, answer: { broker: { ...BROKER, username: undefined } } });
    const { config, warnings } = await app.load();
    expect(config.mqtt).toMatchObject({ url: BROKER.url, username: undefined });
    expect(config.mqtt.password).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^Home Assistant: this password is not used/)]);
    // Nor that of a file, whose broker does not count here.
    await writeFile(app.path("config/vigie.yaml"), "rules: []\nmqtt: { url: mqtt://nas, password: p }\n");
    const beside = await app.load();
    expect([beside.refused, beside.config.mqtt.password]).toEqual([[], undefined]);
  });

  test("does not ask for a broker where the form names one", async () => {
    const options = { ...FORM, broker_address: "mqtt://nas", broker_username: "v", broker_password: "p" };
    const app = await start({ options, answer: { failed: "not asked" } });
    expect(app.lines).toEqual([]);
    const { config, brokerIsUnknown } = await app.load();
    expect(config.mqtt).toMatchObject({ url: "mqtt://nas", username: "v", password: "p" });
    expect(brokerIsUnknown).toBe(false);
  });

  test("is the file's as soon as there is one, and follows it", async () => {
    const app = await start({ options: FORM });
    const follows = app.path("config/vigie.yaml");
    expect((await app.load()).read).toEqual([{ path: follows, fingerprint: "no file" }]);
    await writeFile(follows, "rules: [{ id: other, when: { period: hp } }]\n");
    const { config, read, file } = await app.load();
    expect(config.rules.map(({ id }) => id)).toEqual(["other"]);
    expect(read).toEqual([{ path: follows, fingerprint: expect.stringMatching(/^[\da-f]{64}$/) }]);
    expect(file).toBe(follows);
    await rm(follows);
    expect((await app.load()).config.rules.map(({ id }) => id)).toEqual(["night"]);
  });
});

describe("what is refused", () => {
  test("is an error with every problem, where nothing ran before", async () => {
    const app = await start({ options: WRONG });
    const error = await app.load().catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems).toEqual([PROBLEM]);
  });

  test.each<[string, object | string | undefined, RegExp]>([
    ["missing", undefined, /options\.json ne peut pas être lu\u00a0: il n’existe pas$/],
    ["empty", "", /^options\.json\u00a0: attendu du JSON.*reçu rien$/],
    [
      "half written",
      '{"language":"en","ru',
      /^options\.json\u00a0: attendu du JSON.*reçu un texte endommagé$/,
    ],
    ["a list", "[]", /^options\.json\u00a0: attendu un groupe de champs/],
  ])("are options that are %s", async (_, options, problem) => {
    const app = await start(options === undefined ? {} : { options });
    const error = await app.load().catch((one: unknown) => one);
    expect((error as ConfigError).problems).toEqual([expect.stringMatching(problem)]);
  });

  test("is replaced by the last configuration that ran for a minute, with the broker of today", async () => {
    const { root } = await ranWith(FORM);
    const app = await start({ root, options: WRONG, answer: { broker: LATER } });
    const { config, refused, brokerIsUnknown } = await app.load();
    expect(config.rules.map(({ id }) => id)).toEqual(["night"]);
    expect(config.mqtt).toMatchObject(LATER);
    expect({ refused, brokerIsUnknown }).toEqual({ refused: [PROBLEM], brokerIsUnknown: false });
    const said = [
      `Configuration: ${PROBLEM}`,
      "The configuration is refused; the last one that was right is in force in its place",
    ];
    expect(app.lines).toEqual(said);
    // The broker may be asked for each minute.
    await app.load();
    expect(app.lines).toEqual(said);
    // A broker that is not named today is where it was.
    const later = await start({ root, options: WRONG, answer: { none: true } });
    expect((await later.load()).config.mqtt).toMatchObject(BROKER);
  });

  test("is a file that is wrong, too; the one before it goes on, though it did not run for a minute", async () => {
    const app = await start({ options: FORM, file: "rules: [{ id: other, when: { period: hp } }]\n" });
    await app.load();
    await writeFile(app.path("config/vigie.yaml"), "rules: 7\n");
    const { config, refused } = await app.load();
    expect(config.rules.map(({ id }) => id)).toEqual(["other"]);
    expect(refused).toEqual([
      expect.stringMatching(/config\/vigie\.yaml:1:8 rules: expected a list of rules/),
    ]);
    await writeFile(app.path("config/vigie.yaml"), "rules: []\n");
    expect(await app.load()).toMatchObject({ refused: [], config: { rules: [] } });
  });

  test.each(["", "\n \n", "# rules:\n---\n"])(
    "is a file without options, as a full disk leaves it: %j; its rules stay in force, and are what is kept",
    async (text) => {
      const file = "rules: [{ id: other, when: { period: hp } }]\n";
      const { root, path } = await ranWith(FORM, { file });
      await writeFile(path("config/vigie.yaml"), text);
      const app = await start({ root });
      const { config, refused } = await app.load();
      expect(config.rules.map(({ id }) => id)).toEqual(["other"]);
      expect(refused).toEqual([
        expect.stringMatching(
          /config\/vigie\.yaml:\d:\d: expected rules or other options, got an empty file/,
        ),
      ]);
      expect(app.waiting()).toBe(0);
      await rm(path("data/last-good.json"));
      await expect((await start({ root })).load()).rejects.toThrow("got an empty file");
    },
  );

  test("is replaced by it with the broker of today, too, if none was named when it ran", async () => {
    const { root } = await ranWith(FORM, { answer: { none: true } });
    const without = await start({ root, options: WRONG, answer: { none: true } });
    expect((await without.load()).brokerIsUnknown).toBe(true);
    const app = await start({ root, options: WRONG });
    const { config, brokerIsUnknown } = await app.load();
    expect(config.mqtt).toMatchObject(BROKER);
    expect(brokerIsUnknown).toBe(false);
  });

  test("has its own user kept, at the broker of today", async () => {
    const { root } = await ranWith({ ...FORM, broker_username: "v", broker_password: "p" });
    const url = "mqtt://emqx:1883";
    const app = await start({ root, options: WRONG, answer: { broker: { ...BROKER, url } } });
    expect((await app.load()).config.mqtt).toMatchObject({ url, username: "v", password: "p" });
  });

  test("has its own broker kept, and no user of the Supervisor's beside it", async () => {
    const options = { ...FORM, broker_address: "mqtt://nas" };
    const { root } = await ranWith(options);
    const app = await start({ root, options: WRONG });
    const { mqtt } = (await app.load()).config;
    expect([mqtt.url, mqtt.username]).toEqual(["mqtt://nas", undefined]);
  });

  test("is not replaced by what this vigie does not know any more", async () => {
    const { root, path } = await ranWith(FORM);
    const kept = JSON.parse(await readFile(path("data/last-good.json"), "utf8"));
    await writeFile(
      path("data/last-good.json"),
      JSON.stringify({ ...kept, given: { ...kept.given, gone: 1 } }),
    );
    const app = await start({ root, options: WRONG });
    await expect(app.load()).rejects.toThrow(PROBLEM);
    await expect(app.load()).rejects.toThrow(PROBLEM);
    expect(app.lines).toEqual([
      expect.stringMatching(
        /last-good\.json cannot be used: last-good\.json gone: expected a known option .*, got "gone"/,
      ),
    ]);
  });

  test.each(["embedded", "nonsense", "mqtt://a b", "mqtt://nas:1883/?x", "mqtt://nas:99999", ""])(
    "is replaced by it with the usual broker, where the one that was kept has no address: %j",
    async (url) => {
      const { root, path } = await ranWith(FORM);
      const kept = JSON.parse(await readFile(path("data/last-good.json"), "utf8"));
      await writeFile(path("data/last-good.json"), JSON.stringify({ ...kept, broker: { url } }));
      for (const options of [FORM, WRONG]) {
        const app = await start({ root, options, answer: { failed: "it answers with status 500" } });
        const { config, brokerIsUnknown } = await app.load();
        expect(config.mqtt.url).toBe("mqtt://core-mosquitto:1883");
        expect(config.rules.map(({ id }) => id)).toEqual(["night"]);
        expect(brokerIsUnknown).toBe(true);
      }
    },
  );

  test.each([
    { mqtt: { url: "embedded" } },
    { service: { base_url: "simulator", allow_simulator: true } },
    { official: { source: "simulator" } },
  ])("is not replaced by what is no part of the app: %j", async (more) => {
    const { root, path } = await ranWith(FORM);
    const kept = JSON.parse(await readFile(path("data/last-good.json"), "utf8"));
    await writeFile(
      path("data/last-good.json"),
      JSON.stringify({ ...kept, given: { ...kept.given, ...more } }),
    );
    const app = await start({ root, options: WRONG });
    await expect(app.load()).rejects.toThrow(PROBLEM);
    expect(app.lines).toEqual([expect.stringMatching(/cannot be used: it is damaged$/)]);
  });

  test.each(["", "{", "[]", '{"given":null,"broker":null}', '{"given":{},"broker":{"url":1}}'])(
    "nor by a damaged text: %j",
    async (text) => {
      const { root, path } = await ranWith(FORM);
      await writeFile(path("data/last-good.json"), text);
      const app = await start({ root, options: WRONG });
      await expect(app.load()).rejects.toThrow(PROBLEM);
      expect(app.lines).toEqual([expect.stringMatching(/cannot be used: it is damaged$/)]);
    },
  );
});

describe("last-good.json", () => {
  test("is written a minute after a start with another configuration, for this user alone", async () => {
    const app = await start({ options: FORM });
    await app.load();
    expect(await readdir(app.path("data"))).not.toContain("last-good.json");
    await app.passMinute();
    expect((await stat(app.path("data/last-good.json"))).mode & 0o777).toBe(0o600);
    const same = await start({ root: app.root });
    await same.load();
    expect(same.waiting()).toBe(0);
    // Though nothing is written: somebody may have copied it there.
    await chmod(app.path("data/last-good.json"), 0o666);
    await start({ root: app.root });
    expect((await stat(app.path("data/last-good.json"))).mode & 0o777).toBe(0o600);
    const other = await start({ root: app.root, options: { ...FORM, rules: [] } });
    await other.load();
    expect(other.waiting()).toBe(1);
  });

  test("does not hold what was in force for less than a minute", async () => {
    const { root, path } = await ranWith(FORM);
    const before = await readFile(path("data/last-good.json"), "utf8");
    const app = await start({ root, options: { ...FORM, rules: [] } });
    await app.load();
    // Killed within the minute; then the form is wrong.
    const next = await start({ root, options: WRONG });
    expect((await next.load()).config.rules).toHaveLength(1);
    expect(await readFile(path("data/last-good.json"), "utf8")).toBe(before);
  });

  test("does not hold what was replaced within its minute", async () => {
    const app = await start({ options: FORM });
    await app.load();
    await writeFile(app.path("config/vigie.yaml"), "rules: []\n");
    await app.load();
    expect(app.waiting()).toBe(1);
    await app.passMinute();
    expect(JSON.parse(await readFile(app.path("data/last-good.json"), "utf8")).given.rules).toEqual([]);
  });

  test("leaves nothing of a process that was killed while it wrote", async () => {
    const { root, path } = await ranWith(FORM);
    await writeFile(path("data/last-good.json.0123456789ab.tmp"), "secret-1");
    await start({ root });
    expect(await readdir(path("data"))).not.toContain("last-good.json.0123456789ab.tmp");
  });

  test("that cannot be written is said once, and tried again each minute", async () => {
    const app = await start({ options: FORM });
    await app.load();
    await mkdir(app.path("data/last-good.json"));
    for (const _ of [1, 2]) {
      app.endMinute();
      await expect.poll(app.waiting).toBe(1);
    }
    const problem = expect.stringMatching(
      /^The configuration cannot be kept in .*: it is a folder, not a file$/,
    );
    expect(app.lines).toEqual([problem]);
    await rmdir(app.path("data/last-good.json"));
    await app.passMinute();
    await expect
      .poll(() => app.lines)
      .toEqual([problem, expect.stringMatching(/^The configuration is kept in .*\/last-good\.json, after/)]);
    expect(app.waiting()).toBe(0);
  });

  test("holds the newest configuration in the end, if it came while the write of the one before it failed", async () => {
    const app = await start({ options: FORM });
    await app.load();
    await mkdir(app.path("data/last-good.json"));
    let newest = 0;
    let isWriting = false;
    while (!isWriting) {
      newest += 1;
      await writeFile(app.path("config/vigie.yaml"), `instance: house${newest}\n`);
      const loading = app.load();
      // The one before it begins to be written, and the new one is taken before that has failed.
      app.endMinute();
      await loading;
      isWriting = readdirSync(app.path("data")).some((name) => name.endsWith(".tmp"));
    }
    await expect.poll(() => app.lines).toEqual([expect.stringMatching(/cannot be kept/)]);
    await expect
      .poll(() => readdirSync(app.path("data")).filter((name) => name.endsWith(".tmp")))
      .toEqual([]);
    await rmdir(app.path("data/last-good.json"));
    await app.passMinute();
    const kept = JSON.parse(await readFile(app.path("data/last-good.json"), "utf8"));
    expect(kept.given.instance).toBe(`house${newest}`);
  });

  test("in whose place is a folder is said, and hinders nothing", async () => {
    const root = await folderWith({ "config/.here": "" });
    await mkdir(join(root, "data/last-good.json"), { recursive: true });
    const app = await start({ root, options: FORM });
    expect((await app.load()).config.rules).toHaveLength(1);
    expect(app.lines).toEqual([expect.stringMatching(/cannot be used: it is a folder, not a file$/)]);
  });

  test.each([
    ["last-good.json", "it is a pipe", "it is larger than any"],
    ["options.json", "ce n’est pas un fichier", "ce n’est pas un fichier"],
  ])(
    "a pipe, or a file without end, in place of %s is said, and keeps nothing waiting",
    async (name, ofPipe, ofLarge) => {
      const { root, path } = await ranWith(FORM);
      const file = path(`data/${name}`);
      const told = async () => {
        const app = await start({ root });
        const { refused } = await app.load();
        return [...app.lines, ...refused].join("\n");
      };
      await rm(file);
      execFileSync("mkfifo", [file]);
      expect(await told()).toContain(ofPipe);
      await rm(file);
      await writeFile(file, "{}");
      await truncate(file, 300_000_000);
      expect(await told()).toContain(ofLarge);
    },
  );

  test("shows its secrets to nobody: neither in a problem nor in a line of the log", async () => {
    const { root, path } = await ranWith({ ...FORM, broker_address: "mqtt://v:secret-3@nas" });
    expect(await readFile(path("data/last-good.json"), "utf8")).toContain("secret-3");
    const app = await start({ root, options: WRONG, answer: { broker: BROKER } });
    const { refused, warnings } = await app.load();
    expect([...app.lines, ...refused, ...warnings].join("\n")).not.toMatch(/secret-/);
  });
});
