import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { setup } from "../../src/cli/setup.ts";
import { folderWith } from "../config/folder.ts";
import { MESSENGERS, startMessenger } from "../support/devices/messengers.ts";
import { holdWaits } from "../support/hold-waits.ts";
import { LONG } from "../support/long.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { NOBODY } from "../support/ports.ts";
import { runCommand } from "../support/run-command.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { CTRL_C, DOWN, ENTER, startAtTerminal, startSetup, withoutTerminal } from "../support/terminal.ts";
import { createCleanup } from "../support/vigie.ts";

const missing = withoutMosquitto || withoutTerminal;
const TEST = "A test of vigie: this message says nothing about any day.";
/** What each service is asked for beside its address and its secret. */
const KINDS: [title: string, kind: string, more: string][] = [
  ["ntfy", "ntfy", ""],
  ["Gotify", "gotify", ""],
  ["Telegram", "telegram", ",to=123456789"],
  ["Matrix", "matrix", ",to=!abcdefg:example.org"],
  ["Signal", "signal", ",from=+33600000001,to=+33600000002"],
  ["Home Assistant", "home_assistant", ""],
];

describe.skipIf(missing)(`a message that vigie setup writes ${missing}`, { concurrent: LONG }, () => {
  const cleanup = createCleanup();
  let days: string;
  let broker: Mosquitto;
  beforeAll(async () => {
    broker = await startMosquitto();
    cleanup.add(broker.remove);
  });
  afterAll(cleanup.run);
  beforeEach(async () => {
    const { release } = holdWaits();
    // A service of its own: it answers 60 requests a minute.
    days = await serveBleuDays(cleanup);
    return release;
  });
  const folder = (files: Record<string, string> = {}) => folderWith(files, cleanup.add);
  const usual = () => ["--service", "none", "--official", days, "--broker", broker.url];
  const run = (cwd: string, args: string[]) =>
    runCommand((io) => setup([...usual(), ...args, "--yes"], io), { cwd });
  const start = async (title: string) => {
    const documented = MESSENGERS[title]!();
    const messenger = await startMessenger(documented);
    cleanup.add(messenger.stop);
    return { messenger, token: documented.token };
  };
  const sit = async (cwd: string, language: string, start = startSetup) => {
    const terminal = await start({
      folder: cwd,
      args: ["setup", ...usual(), "--language", language],
      env: { VIGIE_CONFIG: "", TMPDIR: join(cwd, "tmp") },
    });
    cleanup.add(async () => terminal.hangUp());
    return terminal;
  };
  const configOf = async (cwd: string) => parse(await readFile(join(cwd, "config/vigie.yaml"), "utf8"));

  test.each(KINDS)(
    "by an option is tried with a text that says what it is: %s",
    async (title, kind, more) => {
      const { messenger, token } = await start(title);
      const cwd = await folder({ token: `${token}\n` });
      const secret = token === "" ? "" : ",secret_file=token";
      const message = `kind=${kind},server=${messenger.url}${more}${secret}`;
      const { code, out, err } = await run(cwd, ["--message", message, "--try"]);
      expect(code, out + err).toBe(0);
      expect(messenger.delivered).toEqual([TEST]);
      expect(messenger.refused).toEqual([]);
      expect(out).toContain(`ok      ${messenger.url} has taken it; look at the phone`);
      expect(out).toContain("Check: the broker and RTE answer, no device, 1 message.");
      const { rules, outputs } = await configOf(cwd);
      expect(rules.map(({ id }: { id: string }) => id)).toEqual([
        "rouge_ahead",
        "rouge_peak",
        "rouge_tomorrow",
      ]);
      expect(outputs).toMatchObject([{ id: "phone", message: true, choose: [{ when: "rouge_tomorrow" }] }]);
      expect(outputs[0].secret_file).toBe(token === "" ? undefined : join(cwd, "token"));
      if (token !== "") expect(out + err + JSON.stringify(outputs)).not.toContain(token);
    },
  );

  test("goes over MQTT to a gateway, too, and is not kept there by the broker", async () => {
    const cwd = await folder();
    const observer = await observe(broker.url, "phone/#");
    cleanup.add(observer.disconnect);
    const { code, out } = await run(cwd, ["--message", "kind=mqtt,to=phone/message", "--try"]);
    expect(code, out).toBe(0);
    expect(observer.received.map(({ payload, retain }) => [payload, retain])).toEqual([[TEST, false]]);
    expect((await configOf(cwd)).outputs).toMatchObject([{ topic: "phone/message", message: true }]);
  });

  test.each<[string, string, string]>([
    ["a service that is away", `server=http://${NOBODY}`, "does not answer: nothing listens there"],
    ["another token", "", "refuses access: is the token right? (HTTP 401)"],
    ["a secret that is not there", "secret_file=none", "is not tried: the file of the secret cannot be read"],
  ])(
    "by an option is written all the same if the try fails, and is in the exit code: %s",
    async (_, change, words) => {
      const { messenger } = await start("Gotify");
      const cwd = await folder({ token: "wrong-token\n" });
      const given = {
        server: messenger.url,
        secret_file: "token",
        ...Object.fromEntries([change.split(/=(.*)/, 2)]),
      };
      const message = `kind=gotify,server=${given.server},secret_file=${given.secret_file}`;
      const { code, out } = await run(cwd, ["--message", message, "--try"]);
      expect(code).toBe(1);
      expect(out).toContain(words);
      expect(out).not.toContain("wrong-token");
      expect(messenger.delivered).toEqual([]);
      expect((await configOf(cwd)).outputs).toHaveLength(1);
    },
  );

  test.each([
    [
      "kind=sms",
      "expected kind to be one of ntfy, gotify, telegram, matrix, signal, home_assistant, mqtt, got sms",
    ],
    ["kind=gotify,server=http://g", "expected secret_file for kind=gotify, got nothing"],
    ["kind=ntfy", "expected secret_file for kind=ntfy"],
    ["kind=mqtt,to=a,server=http://g", "expected no server for kind=mqtt"],
    ["kind=ntfy,secret=x", "(did you mean secret_file?)"],
    ["kind=mqtt,to=a/+", "--message to=a/+: a topic without + and #"],
    [
      "kind=ntfy,server=ntfy.sh,secret_file=x",
      "--message server=ntfy.sh: an address that begins with https://",
    ],
    ["kind=mqtt,to=vigie/x", "outputs[0].topic: expected a topic outside"],
  ])("refuses an option that cannot be meant: %s", async (message, words) => {
    const cwd = await folder();
    const { code, err } = await run(cwd, ["--message", message]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) });
    expect(await readdir(cwd)).toEqual([]);
  });

  test("is offered beside a boiler, tried at once, and written with comments; its secret in a file of its own", async () => {
    const { messenger, token } = await start("ntfy");
    const cwd = await folder();
    const terminal = await sit(cwd, "fr");
    await terminal.answer("ou un message sur le téléphone ?", DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("Par quel service le message arrive-t-il", ENTER);
    await terminal.answer("Le serveur ntfy", "ntfy", ENTER);
    await terminal.shows("une adresse qui commence par https://");
    terminal.press("\u0015", messenger.url, ENTER);
    await terminal.answer("un nom que personne ne devine", token, ENTER);
    await terminal.answer("Son nom, pour vous", ENTER);
    await terminal.shows(`abonnez-vous au sujet ${token} du serveur ${messenger.url}.`);
    await terminal.answer("L’essayer maintenant ?", ENTER);
    await terminal.shows(`${messenger.url} ← Essai de vigie : ce message ne dit rien d’un jour.`);
    await terminal.answer("Le message d’essai est-il arrivé ?", ENTER);
    expect(messenger.delivered).toEqual(["Essai de vigie\u00a0: ce message ne dit rien d’un jour."]);
    await terminal.answer("Encore un appareil, ou un message ?", ENTER);
    expect((await readdir(cwd)).filter((name) => name !== "tmp")).toEqual([]);
    await terminal.answer("Écrire config/vigie.yaml ?", ENTER);
    await terminal.shows("Ce que vous seul devez savoir est dans config/phone_secret.");
    await terminal.shows("aucun appareil, 1 message.");
    expect(await terminal.ended, terminal.screen()).toBe(0);
    expect(await readFile(join(cwd, "config/phone_secret"), "utf8")).toBe(`${token}\n`);
    expect((await stat(join(cwd, "config/phone_secret"))).mode & 0o777).toBe(0o600);
    const text = await readFile(join(cwd, "config/vigie.yaml"), "utf8");
    expect(text).not.toContain(token);
    expect(text).toContain(
      "# « message: true » : un message, envoyé une fois".replaceAll(/(?<=«) | (?=[»:])/g, "\u00a0"),
    );
    expect(parse(text).outputs).toEqual([
      {
        id: "phone",
        name: { fr: "Téléphone", en: "Phone" },
        url: `${messenger.url}/{secret}`,
        secret_file: join(cwd, "config/phone_secret"),
        message: true,
        choose: [{ when: "rouge_tomorrow", payload: "Jour {next.color} {next.day}" }],
      },
    ]);
  });

  test("of an earlier set-up is named before its file is replaced", async () => {
    const cwd = await folder({ token: "house-1\n" });
    const message = "kind=ntfy,server=https://ntfy.example.org,secret_file=token";
    expect((await run(cwd, ["--message", message])).code).toBe(0);
    const { code, out } = await run(cwd, []);
    expect(code, out).toBe(0);
    expect(out).toContain(
      "config/vigie.yaml sends messages: Phone. vigie will no longer send those that you do not",
    );
  });

  test("has a topic of ntfy that nobody guesses, unless the person chooses another", async () => {
    const cwd = await folder();
    const terminal = await sit(cwd, "en");
    await terminal.answer("or a message to your phone?", DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("By which service", ENTER);
    await terminal.answer("The server of ntfy", ENTER);
    await terminal.answer("The topic of ntfy", ENTER);
    await terminal.answer("Its name, for you", ENTER);
    await terminal.shows("subscribe to the topic vigie-");
    await terminal.answer("Try it now?", "n");
    await terminal.answer("Another device, or a message?", ENTER);
    await terminal.answer("Write config/vigie.yaml?", ENTER);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    expect(await readFile(join(cwd, "config/phone_secret"), "utf8")).toMatch(/^vigie-[a-z0-9]{12}\n$/);
    expect((await configOf(cwd)).outputs[0].url).toBe("https://ntfy.sh/{secret}");
  });

  test("is not kept if it does not arrive and the person does not want it; nothing of its secret stays", async () => {
    const { messenger } = await start("Gotify");
    const cwd = await folder();
    // A process of its own, whose folder of temporary files nobody else uses.
    const terminal = await sit(cwd, "fr", startAtTerminal);
    await terminal.answer("ou un message sur le téléphone ?", DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("Par quel service le message arrive-t-il", DOWN, ENTER);
    await terminal.answer("L’adresse du serveur", messenger.url, ENTER);
    await terminal.answer("Le jeton d’une application", "faux-jeton", ENTER);
    await terminal.answer("Son nom, pour vous", ENTER);
    await terminal.answer("L’essayer maintenant ?", ENTER);
    await terminal.shows("refuse l’accès : le jeton est-il le bon ? (HTTP 401)");
    await terminal.answer("Que faire ?", ENTER);
    await terminal.shows("refuse l’accès");
    await terminal.answer("Que faire ?", DOWN, DOWN, ENTER);
    await terminal.answer("Un appareil à couper", CTRL_C);
    await terminal.shows("Arrêté : rien n’a été écrit.");
    expect(await terminal.ended).toBe(1);
    expect(terminal.screen()).not.toContain("faux-jeton");
    expect((await readdir(cwd)).filter((name) => name !== "tmp")).toEqual([]);
    expect(
      (await readdir(join(cwd, "tmp")).catch(() => [])).filter((name) => name.startsWith("vigie-setup")),
    ).toEqual([]);
  });
});
