import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { folderWith } from "../config/folder.ts";
import { makeCertificate, withoutOpenssl } from "../support/certificate.ts";
import { MQTT_DEVICES, type MqttRelay, startMqttRelay } from "../support/devices/mqtt-devices.ts";
import { readPage } from "../support/guide.ts";
import { holdWaits } from "../support/hold-waits.ts";
import { LONG } from "../support/long.ts";
import { type Mosquitto, passwordLine, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, untilHandled } from "../support/observer.ts";
import { freePort, NOBODY } from "../support/ports.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import {
  type AtTerminal,
  CTRL_C,
  CTRL_D,
  DOWN,
  ENTER,
  startAtTerminal,
  startSetup,
  UP,
  withoutTerminal,
} from "../support/terminal.ts";
import { createCleanup } from "../support/vigie.ts";

const missing = withoutMosquitto || withoutOpenssl || withoutTerminal;
/** Milliseconds in which what the broker holds comes. */
const HOLDS_WITHIN = 500;

describe.skipIf(missing)(`vigie setup at a terminal ${missing}`, { concurrent: LONG }, () => {
  const cleanup = createCleanup();
  let days: string;
  let open: Mosquitto;
  let guarded: Mosquitto;
  let tls: { url: string; file: string };
  beforeAll(async () => {
    open = await startMosquitto();
    cleanup.add(open.remove);
    const { cert, key, path } = makeCertificate(await cleanup.createFolder(), "IP:127.0.0.1");
    const port = await freePort();
    guarded = await startMosquitto({
      files: { passwords: passwordLine("vigie", "s3cret ö#"), "cert.pem": cert, "key.pem": key },
      lines: [
        ...["allow_anonymous false", "password_file FOLDER/passwords"],
        ...[`listener ${port} 127.0.0.1`, "certfile FOLDER/cert.pem", "keyfile FOLDER/key.pem"],
      ],
    });
    cleanup.add(guarded.remove);
    tls = { url: `127.0.0.1:${port}`, file: path };
  });
  afterAll(cleanup.run);
  let waits: ReturnType<typeof holdWaits>;
  beforeEach(async () => {
    waits = holdWaits();
    // A service of its own: it answers 60 requests a minute.
    days = await serveBleuDays(cleanup);
    return waits.release;
  });

  const folder = (files: Record<string, string> = {}) => folderWith(files, cleanup.add);
  const sit = async (cwd: string, args: string[], env: Record<string, string> = {}): Promise<AtTerminal> => {
    const terminal = await startSetup({
      folder: cwd,
      args: ["setup", ...args],
      env: { VIGIE_CONFIG: "", ...env },
    });
    cleanup.add(async () => terminal.hangUp());
    return terminal;
  };
  const sitAtReal = async (cwd: string, args: string[]): Promise<AtTerminal> => {
    const env = { VIGIE_CONFIG: "" };
    const terminal = await startAtTerminal({ folder: cwd, args: ["setup", ...args], env });
    cleanup.add(async () => terminal.hangUp());
    return terminal;
  };
  const sources = () => ["--service", "none", "--official", days];
  const startBoiler = async (url: string): Promise<MqttRelay> => {
    const device = MQTT_DEVICES["Tasmota"];
    if (!device) throw new Error("Expected a device");
    const relay = await startMqttRelay(device, url);
    cleanup.add(relay.disconnect);
    return relay;
  };
  /** What is there, without what the test itself needs. */
  const filesIn = async (cwd: string) =>
    (await readdir(cwd, { recursive: true })).filter((name) => !/^tmp(\/|$)/.test(name)).toSorted();

  test("speaks the language that is chosen first, whatever the system's is", async () => {
    const english = await sit(await folder(), [...sources(), "--broker", open.url], { LANG: "en_GB.UTF-8" });
    await english.answer("Langue / Language", UP, ENTER);
    await english.shows("vigie : mise en route");
    const french = await sit(await folder(), [...sources(), "--broker", open.url, "--language", "fr"], {
      LANG: "C",
    });
    await french.shows("vigie : mise en route");
  });

  test("asks for user and password if the broker wants them, again if they are wrong, and keeps them apart", async () => {
    const cwd = await folder();
    const terminal = await sit(cwd, [...sources(), "--broker", guarded.url, "--language", "en"]);
    await terminal.shows(`${guarded.url} asks for a user and a password. With Home Assistant`);
    await terminal.answer("User for this broker", "vigie", ENTER);
    await terminal.answer("Password", "wrong", ENTER);
    await terminal.shows("refuses the user or the password");
    await terminal.answer("Type user and password again?", ENTER);
    await terminal.answer("User for this broker", ENTER);
    await terminal.answer("Password", "s3cret ö#", ENTER);
    await terminal.shows("answers (MQTT 5)");
    await terminal.answer("A device to switch off", DOWN, DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("Write config/vigie.yaml?", ENTER);
    await terminal.shows("The password is in config/mqtt_password, which only its owner can read.");
    expect(await terminal.ended, terminal.screen()).toBe(0);
    expect(terminal.screen()).not.toMatch(/s3cret|wrong/);
    const { mqtt } = parse(await readFile(join(cwd, "config/vigie.yaml"), "utf8"));
    expect(mqtt).toEqual({
      url: guarded.url,
      username: "vigie",
      password_file: join(cwd, "config/mqtt_password"),
    });
    expect(await readFile(join(cwd, "config/mqtt_password"), "utf8")).toBe("s3cret ö#\n");
    expect((await stat(join(cwd, "config/mqtt_password"))).mode & 0o777).toBe(0o600);
  });

  test("goes back from a device or a message that was chosen by mistake", async () => {
    const cwd = await folder();
    const terminal = await sit(cwd, [...sources(), "--broker", open.url, "--language", "en"]);
    await terminal.answer("A device to switch off", DOWN, ENTER);
    await terminal.shows("vigie looks for ten seconds");
    waits.end(10_000);
    await terminal.answer("None of these: go back", UP, ENTER);
    await terminal.answer("A device to switch off", UP, UP, ENTER);
    await terminal.answer("By which service", UP, ENTER);
    await terminal.answer("A device to switch off", UP, ENTER);
    await terminal.answer("Write config/vigie.yaml?", ENTER);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    const written = parse(await readFile(join(cwd, "config/vigie.yaml"), "utf8"));
    expect(written).not.toHaveProperty("outputs");
  });

  test("keeps the password that is typed, after that of --password-file was refused", async () => {
    const cwd = await folder();
    await writeFile(join(cwd, "bad.pw"), "wrong\n");
    const access = ["--username", "vigie", "--password-file", "bad.pw"];
    const terminal = await sit(cwd, [...sources(), "--broker", guarded.url, ...access, "--language", "en"]);
    await terminal.shows("refuses the user or the password");
    await terminal.answer("Type user and password again?", ENTER);
    await terminal.answer("User for this broker", ENTER);
    await terminal.answer("Password", "s3cret ö#", ENTER);
    await terminal.answer("A device to switch off", DOWN, DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("Write config/vigie.yaml?", ENTER);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    const { mqtt } = parse(await readFile(join(cwd, "config/vigie.yaml"), "utf8"));
    expect(mqtt.password_file).toBe(join(cwd, "config/mqtt_password"));
    expect(await readFile(join(cwd, "config/mqtt_password"), "utf8")).toBe("s3cret ö#\n");
    expect(await readFile(join(cwd, "bad.pw"), "utf8")).toBe("wrong\n");
  });

  test("uses --username and --password-file for a broker that is typed, too", async () => {
    const cwd = await folder();
    await writeFile(join(cwd, "good.pw"), "s3cret ö#\n");
    const access = ["--username", "vigie", "--password-file", "good.pw"];
    const nobody = ["--broker", `mqtt://${NOBODY}`];
    const terminal = await sit(cwd, [...sources(), ...nobody, ...access, "--language", "en"]);
    await terminal.answer("The address of the broker", guarded.url, ENTER);
    await terminal.shows("answers (MQTT 5)");
    await terminal.answer("A device to switch off", DOWN, DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("Write config/vigie.yaml?", ENTER);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    const { mqtt } = parse(await readFile(join(cwd, "config/vigie.yaml"), "utf8"));
    expect(mqtt).toEqual({ url: guarded.url, username: "vigie", password_file: join(cwd, "good.pw") });
  });

  test("takes another answer for each that does not work: service, broker, encryption, certificate", async () => {
    const cwd = await folder();
    const address = days;
    const options = ["--official", address, "--broker", tls.url, "--username", "vigie", "--language", "en"];
    const terminal = await sit(cwd, options);
    await terminal.answer("Where do the colours of the days come from?", DOWN, ENTER);
    await terminal.answer("The address of the service", "forecast", ENTER);
    await terminal.answer("an address that begins with https://", "\u0015", `http://${NOBODY}`, ENTER);
    await terminal.shows("does not answer");
    await terminal.answer("What now?", DOWN, ENTER);
    await terminal.answer("Where do the colours of the days come from?", DOWN, ENTER);
    await terminal.answer("The address of the service", address, ENTER);
    await terminal.shows("8 days of forecast");
    await terminal.answer("Password", "s3cret ö#", ENTER);
    await terminal.shows("accepts only encrypted connections (TLS) on this port");
    await terminal.answer(`Try mqtts://${tls.url}?`, ENTER);
    await terminal.shows("has a certificate that this machine does not know");
    await terminal.answer("The file with the certificate", tls.file, ENTER);
    await terminal.shows("answers (MQTT 5)");
    await terminal.answer("A device to switch off", DOWN, DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("Write config/vigie.yaml?", ENTER);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    const { service, mqtt } = parse(await readFile(join(cwd, "config/vigie.yaml"), "utf8"));
    expect([service.base_url, mqtt.url, mqtt.tls]).toEqual([
      address,
      `mqtts://${tls.url}`,
      { ca_file: tls.file },
    ]);
  });

  test("keeps an answer that does not work now, if it is wanted, and goes on without RTE or a service", async () => {
    const cwd = await folder();
    const terminal = await sit(cwd, [
      "--service",
      `http://${NOBODY}`,
      "--broker",
      open.url,
      "--official",
      `http://${NOBODY}`,
      "--language",
      "en",
    ]);
    await terminal.answer("What now?", DOWN, DOWN, DOWN, ENTER);
    await terminal.shows("kept without an answer. vigie will ask until there is one.");
    await terminal.answer("What now?", DOWN, DOWN, ENTER);
    await terminal.answer("A device to switch off", DOWN, DOWN, DOWN, DOWN, DOWN, ENTER);
    // Asked once more, now that all else is settled.
    await terminal.answer("What now?", DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("Write config/vigie.yaml?", ENTER);
    await terminal.shows("Check: the broker answers, no device.");
    await terminal.shows("The forecast service still does not answer; vigie will ask again.");
    expect(await terminal.ended, terminal.screen()).toBe(0);
    const read = parse(await readFile(join(cwd, "config/vigie.yaml"), "utf8"));
    expect(read).toMatchObject({ service: { base_url: `http://${NOBODY}` }, official: { source: "off" } });
  });

  test("goes on without RTE, asks it once more at the end, and says that vigie will ask again", async () => {
    const cwd = await folder();
    const away = ["--service", "none", "--official", `http://${NOBODY}`];
    const terminal = await sit(cwd, [...away, "--broker", open.url, "--language", "fr"]);
    await terminal.answer("Que faire ?", DOWN, ENTER);
    await terminal.answer("Un appareil à couper", DOWN, DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.answer("Que faire ?", DOWN, ENTER);
    await terminal.answer("Écrire config/vigie.yaml ?", ENTER);
    await terminal.shows("Vérification : le broker répond, aucun appareil.");
    await terminal.shows("RTE ne répond toujours pas ; vigie réessaiera.");
    expect(await terminal.ended, terminal.screen()).toBe(0);
  });

  test("lets another source be chosen if the official one does not answer, and when it is asked once more", async () => {
    const cwd = await folder();
    const away = ["--service", "none", "--official", `http://${NOBODY}`];
    const terminal = await sit(cwd, [...away, "--broker", open.url, "--language", "en"]);
    await terminal.answer("What now?", DOWN, ENTER);
    await terminal.answer("A device to switch off", DOWN, DOWN, DOWN, DOWN, DOWN, ENTER);
    await terminal.shows("nothing listens there");
    await terminal.answer("What now?", DOWN, DOWN, ENTER);
    await terminal.answer("Where do the colours of the days come from?", DOWN, ENTER);
    await terminal.answer("The address of the service", days, ENTER);
    await terminal.shows("8 days of forecast");
  });

  test("breaks its sentences between words in a narrow terminal, beside its line", async () => {
    const cwd = await folder();
    const terminal = await startSetup({
      folder: cwd,
      args: ["setup", ...sources(), "--broker", open.url, "--language", "en"],
      env: { VIGIE_CONFIG: "" },
      columns: 50,
    });
    cleanup.add(async () => terminal.hangUp());
    await terminal.shows("│  Each answer is tried at once. Nothing is\n│  written before the last question;");
    await terminal.answer("A device to switch off", ENTER);
    await terminal.shows("vigie looks for ten seconds");
    waits.end(10_000);
    await terminal.answer("What kind of device", DOWN, ENTER);
    await terminal.answer(
      'The beginning of its topics ("MQTT prefix" in\n│  its settings)',
      "shelly-x",
      ENTER,
    );
    await terminal.shows("Which of its relays?");
  });

  test("writes nothing for whoever only wants to look at invented days", async () => {
    const cwd = await folder();
    const terminal = await sit(cwd, ["--language", "en", "--broker", open.url]);
    await terminal.answer("Where do the colours of the days come from?", DOWN, DOWN, ENTER);
    await terminal.shows("Nothing has to be set up for that");
    expect(await terminal.ended).toBe(0);
    expect(await filesIn(cwd)).toEqual([]);
  });

  test("takes a device that is typed, refuses one that cannot be written, and obeys no control character of others", async () => {
    waits.leave(HOLDS_WITHIN);
    const cwd = await folder();
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const observer = await observe(broker.url, "pump/set");
    cleanup.add(observer.disconnect);
    const exposes = [{ type: "switch", features: [{ property: "state" }] }];
    const plug = { friendly_name: "\u001b[2Jevil", definition: { exposes } };
    await observer.publish("zigbee2mqtt/bridge/devices", JSON.stringify([plug]));
    await observer.publish("tele/boiler\u202eevil/LWT", "Online");
    await observer.publish("homeassistant/status", "online");
    await observer.publish("obk_plug/connected", "online");
    const terminal = await sit(cwd, [...sources(), "--broker", broker.url, "--language", "en"]);
    await terminal.shows("Home Assistant uses this broker");
    const addPump = async (topic: string) => {
      await terminal.answer("to switch off", DOWN, DOWN, ENTER);
      await terminal.answer("Which one?", DOWN, DOWN, ENTER);
      await terminal.answer("What kind of device is it?", ...Array(6).fill(DOWN), ENTER);
      await terminal.answer("The topic on which it takes commands", ENTER);
      await terminal.answer("This answer cannot be empty.", topic, ENTER);
      await terminal.answer("in the expensive hours", "17", ENTER);
      await terminal.answer("for the rest of the time", "20", ENTER);
      await terminal.answer("reports its state", "pump/state", ENTER);
      await terminal.answer("Its name", "Pompe à chaleur: #1", ENTER);
    };
    await addPump("vigie/set");
    await terminal.shows("It cannot be written like this:");
    await addPump("pump/set");
    await terminal.answer("vigie sends 17, and 20 a few seconds later.", ENTER);
    await observer.until(({ received }) => received.length === 1, "it is told 17");
    await observer.publish("pump/state", "\u001b[2Jother", false);
    await untilHandled(observer);
    waits.end(5_000);
    await terminal.shows("pump/state says something else: ");
    await terminal.shows("pump/set ← 20");
    await observer.until(({ received }) => received.length === 2, "it is told 20");
    await untilHandled(observer);
    waits.end(5_000);
    await terminal.answer("This device has not confirmed.", DOWN, ENTER);
    await terminal.answer("Another device, or a message?", ENTER);
    await terminal.answer("Write config/vigie.yaml?", ENTER);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    expect(terminal.raw()).not.toMatch(/evil|\u202e/);
    expect(terminal.raw().includes("\u001b[2Jother")).toBe(false);
    const sent = observer.received.map(({ payload, retain }) => [payload, retain]);
    expect(sent).toEqual([
      ["17", false],
      ["20", false],
    ]);
    const { outputs } = parse(await readFile(join(cwd, "config/vigie.yaml"), "utf8"));
    expect(outputs).toEqual([
      {
        id: "heating",
        name: "Pompe à chaleur: #1",
        topic: "pump/set",
        choose: [{ when: "rouge_peak", payload: "17" }],
        else: "20",
        confirm: { topic: "pump/state", keep: true },
      },
    ]);
  });

  test("asks before it replaces a file, and leaves it as it is if it may not", async () => {
    const own = "instance: mine\noutputs: [{ id: boiler, topic: a/b }]\n";
    const cwd = await folder({ "config/vigie.yaml": own });
    const first = await sit(cwd, [...sources(), "--broker", open.url, "--language", "en"]);
    await first.shows("config/vigie.yaml switches: boiler. vigie will no longer switch a device");
    await first.answer("config/vigie.yaml exists. Replace it at the end?", ENTER);
    await first.shows("Stopped: nothing was written.");
    expect(await first.ended).toBe(1);
    expect(await filesIn(cwd)).toEqual(["config", "config/vigie.yaml"]);
    const second = await sit(cwd, [...sources(), "--broker", open.url, "--language", "en"]);
    await second.answer("Replace it at the end?", "y");
    await second.answer("A device to switch off", DOWN, DOWN, DOWN, DOWN, DOWN, ENTER);
    await second.answer("Write config/vigie.yaml?", ENTER);
    expect(await second.ended).toBe(0);
    expect(await readFile(join(cwd, "config/vigie.yaml.old"), "utf8")).toBe(own);
  });

  describe("ended before its last question", { concurrent: LONG }, () => {
    beforeAll(async () => {
      await startBoiler(guarded.url.replace("//", `//vigie:${encodeURIComponent("s3cret ö#")}@`));
    });
    const QUESTIONS: [question: string, ...keys: string[]][] = [
      ["Langue / Language", ENTER],
      ["Where do the colours", ENTER],
      ["User for this broker", "vigie", ENTER],
      ["Password", "s3cret ö#", ENTER],
      ["A device to switch off", ENTER],
      ["Which one?", DOWN, DOWN, ENTER],
      ["What kind of device", DOWN, DOWN, ENTER],
      ['Its topic ("Topic"', "boiler", ENTER],
      ["Which of its relays", ENTER],
      ["Its name", ENTER],
      ["Try it now?", "n"],
      ["Another device, or a message?", ENTER],
      ["Write config/vigie.yaml?", ENTER],
    ];

    /** One of each kind, and the last one. */
    const OF_EACH_KIND = ["Langue / Language", "Password", "Its name", "Try it now?", "Write config"];
    const isTried = (question: string) => LONG || OF_EACH_KIND.some((one) => question.startsWith(one));

    test.each(
      QUESTIONS.map(([question], index) => [question, index] as const).filter(([one]) => isTried(one)),
    )("by Ctrl-C at '%s' it leaves nothing behind", async (_, last) => {
      waits.leave(HOLDS_WITHIN);
      const shipped = readPage("config/vigie.yaml");
      const cwd = await folder({ "config/vigie.yaml": shipped });
      const terminal = await sit(cwd, ["--official", days, "--broker", guarded.url], {
        LANG: "en_GB.UTF-8",
      });
      for (const [question, ...keys] of QUESTIONS.slice(0, last)) await terminal.answer(question, ...keys);
      await terminal.answer(QUESTIONS[last]?.[0] ?? "", CTRL_C);
      await terminal.shows("Stopped: nothing was written.");
      expect(await terminal.ended).toBe(1);
      expect(await filesIn(cwd)).toEqual(["config", "config/vigie.yaml"]);
      expect(await readFile(join(cwd, "config/vigie.yaml"), "utf8")).toBe(shipped);
    });

    test.each<[string, typeof sit, (terminal: AtTerminal) => void]>([
      ["Ctrl-D", sit, ({ press }) => press(CTRL_D)],
      ["Escape", sit, ({ press }) => press("\u001b")],
      ["SIGTERM", sitAtReal, ({ terminate }) => terminate()],
    ])("by %s it says so, and leaves nothing behind", async (_, start, leave) => {
      const cwd = await folder();
      const terminal = await start(cwd, [...sources(), "--broker", open.url, "--language", "en"]);
      await terminal.shows("A device to switch off");
      leave(terminal);
      await terminal.shows("Stopped: nothing was written.");
      expect(await terminal.ended).toBe(1);
      expect(await filesIn(cwd)).toEqual([]);
      // The cursor is there again, and the terminal shows what is typed.
      expect(terminal.raw().lastIndexOf("\u001b[?25h")).toBeGreaterThan(
        terminal.raw().lastIndexOf("\u001b[?25l"),
      );
    });
  });

  // At a real terminal also in `npm test`: what ends it comes from the system.
  test.concurrent.each<[string, (terminal: AtTerminal) => void, "off" | "sent" | "waiting"]>([
    ["Ctrl-C", ({ press }) => press(CTRL_C), "off"],
    ["Ctrl-C while it does not obey", ({ press }) => press(CTRL_C), "waiting"],
    ["SIGTERM", ({ terminate }) => terminate(), "off"],
    ["a terminal that is closed", ({ hangUp }) => hangUp(), "off"],
    // What is said of its report then meets a terminal that is not there.
    ["a terminal that is closed as it is told", ({ hangUp }) => hangUp(), "sent"],
  ])("a device that is being tried is told its 'else' at once, by %s", async (_, leave, when) => {
    const cwd = await folder();
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const relay = await startBoiler(broker.url);
    if (when === "waiting") relay.disobey();
    const observer = await observe(broker.url);
    cleanup.add(observer.disconnect);
    const terminal = await sitAtReal(cwd, [...sources(), "--broker", broker.url, "--language", "en"]);
    await terminal.answer("A device to switch off", ENTER);
    await terminal.answer("boiler · Tasmota", ENTER);
    await terminal.answer("Its name", ENTER);
    await terminal.answer("Try it now?", ENTER);
    if (when === "sent") await terminal.shows("cmnd/boiler/POWER ← OFF");
    else await observer.until(() => relay.told.at(-1) === "OFF", "it is told to be off");
    leave(terminal);
    await observer.until(() => relay.told.at(-1) === "ON", "it is told to be on again");
    await terminal.ended;
    expect(relay.isOn()).toBe(true);
    expect(await filesIn(cwd)).toEqual([]);
    expect([...observer.retained.keys()]).toEqual(["tele/boiler/LWT"]);
  });
});
