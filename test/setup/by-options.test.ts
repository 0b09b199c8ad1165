import { access, chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { setup } from "../../src/cli/setup.ts";
import { folderWith } from "../config/folder.ts";
import { makeCertificate, withoutOpenssl } from "../support/certificate.ts";
import { MQTT_DEVICES, startMqttRelay } from "../support/devices/mqtt-devices.ts";
import { readPage } from "../support/guide.ts";
import { holdWaits } from "../support/hold-waits.ts";
import { type Mosquitto, passwordLine, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, untilHandled } from "../support/observer.ts";
import { startPlainService } from "../support/plain-service.ts";
import { freePort, NOBODY } from "../support/ports.ts";
import { runCommand } from "../support/run-command.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const BOILER = "use=boiler,kind=tasmota,place=boiler";
const PASSWORD = " ö: #'\"$%";
const missing = withoutMosquitto || withoutOpenssl;

describe("vigie setup without a terminal", () => {
  test.each([
    [[], "--service, --broker"],
    [["--service", "none"], "--broker"],
    [["--broker", "mqtt://b", "--yes"], "--service"],
  ])("says which options are missing: %j", async (args, names) => {
    const cwd = await folderWith();
    const said = await run(args, { cwd });
    expect(said).toMatchObject({ code: 2, out: "" });
    expect(said.err).toBe(
      `vigie setup: there is no terminal for answers, or --yes is set. Missing: ${names} (vigie setup --help)\n`,
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  test.each([
    [{ LANG: "fr_FR.UTF-8" }, /^vigie setup: il n’y a pas de terminal/],
    [{ LC_ALL: "fr_BE", LANG: "C" }, /il n’y a pas/],
    [{ LC_MESSAGES: "fr", LANG: "en_GB.UTF-8" }, /il n’y a pas/],
    [{ LC_ALL: "C", LANG: "fr_FR.UTF-8" }, /there is no terminal/],
    [{ LANG: "fry_NL" }, /there is no terminal/],
  ])("speaks French where the system does: %j", async (env, words) => {
    expect((await run([], { env })).err).toMatch(words);
  });

  test("speaks the language of --language, whatever the system's is", async () => {
    expect((await run(["--language", "fr"])).err).toMatch(/il n’y a pas/);
    expect((await run(["--language", "en"], { env: { LANG: "fr_FR" } })).err).toMatch(/there is no/);
  });

  test.each([
    [["--langue", "fr"], "Unknown option '--langue' (did you mean --language?)"],
    [["--language", "de"], "Expected --language to be fr or en, got de"],
    [["--device", "boiler"], 'got "boiler"'],
    [["--device", `${BOILER},relai=1`], "(did you mean relay?)"],
    [["--device", `${BOILER},use=car`], "expected use once"],
    [
      ["--device", "use=boiler,kind=sonoff,place=x"],
      "expected kind to be one of shelly_gen1, shelly_gen2, tasmota",
    ],
    [
      ["--device", "use=pool,kind=tasmota,place=x"],
      "expected use to be one of boiler, car, heating, other, got pool",
    ],
    [["--device", "use=boiler,kind=tasmota"], "expected place for kind=tasmota"],
    [["--device", "use=boiler,kind=other,topic=a"], "expected payload for kind=other"],
    [["--device", `${BOILER},payload=off`], "expected no payload for kind=tasmota"],
  ])("refuses an option that cannot be meant: %j", async (args, words) => {
    const { code, err } = await run([...args, "--service", "none", "--broker", "mqtt://b"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) });
  });

  test.each([
    [["--service", "forecast.example.org"], "--service: an address that begins with https://"],
    [["--service", "https://forecast.example.org/v1/public"], "without /v1/public"],
    [["--service", "none", "--official", "off"], "--official: rte, off (with a service)"],
    [["--service", "none", "--official", "http://192.0.2.1"], "--official: rte"],
    [["--service", "simulator"], "Nothing has to be set up for that"],
  ])("refuses an answer that cannot be written: %j", async (args, words) => {
    const { code, err } = await run([...args, "--broker", "mqtt://b"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) });
  });
});

describe.skipIf(missing)(`vigie setup with options ${missing}`, () => {
  const cleanup = createCleanup();
  let days: string;
  let broker: Mosquitto;
  let tls: { url: string; file: string };
  let other: { url: string; file: string };
  let wantsCertificate: string;
  beforeAll(async () => {
    const certificate = makeCertificate(await cleanup.createFolder(), "IP:127.0.0.1");
    const otherName = makeCertificate(await cleanup.createFolder(), "DNS:broker.lan");
    const [port, otherPort, strictPort] = [await freePort(), await freePort(), await freePort()];
    broker = await startMosquitto({
      files: {
        passwords: passwordLine("vigie", PASSWORD),
        "cert.pem": certificate.cert,
        "key.pem": certificate.key,
        "other.pem": otherName.cert,
        "other.key": otherName.key,
      },
      lines: [
        ...["per_listener_settings true", "allow_anonymous true", `listener ${port} 127.0.0.1`],
        ...["certfile FOLDER/cert.pem", "keyfile FOLDER/key.pem"],
        ...["allow_anonymous false", "password_file FOLDER/passwords"],
        ...[`listener ${otherPort} 127.0.0.1`, "allow_anonymous true"],
        ...["certfile FOLDER/other.pem", "keyfile FOLDER/other.key"],
        ...[`listener ${strictPort} 127.0.0.1`, "allow_anonymous true", "require_certificate true"],
        ...["cafile FOLDER/cert.pem", "certfile FOLDER/cert.pem", "keyfile FOLDER/key.pem"],
      ],
    });
    cleanup.add(broker.remove);
    tls = { url: `mqtts://127.0.0.1:${port}`, file: certificate.path };
    other = { url: `mqtts://127.0.0.1:${otherPort}`, file: otherName.path };
    wantsCertificate = `mqtts://127.0.0.1:${strictPort}`;
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
  const set = (args: string[], cwd: string, env = {}) =>
    run(["--service", "none", "--official", days, "--broker", broker.url, ...args], { cwd, env });

  test("writes a configuration, checks it, and says how to start vigie", async () => {
    const cwd = await folder();
    const { code, out, err } = await set(["--device", BOILER], cwd);
    expect(code, err + out).toBe(0);
    expect(out).toMatch(/today bleu|today blanc|today rouge/);
    expect(out).toContain(`${broker.url} answers (MQTT 5)`);
    expect(out).toMatch(
      /config\/vigie.yaml is written[\s\S]*Check: the broker and RTE answer, 1 device\.[\s\S]*npm start/,
    );
    expect(await readdir(join(cwd, "config"))).toEqual(["vigie.yaml"]);
    expect(parse(await read(cwd, "config/vigie.yaml"))).toMatchObject({
      service: { base_url: "none" },
      official: { source: days },
      mqtt: { url: broker.url },
      homeassistant: { language: "en" },
      outputs: [
        { id: "boiler", topic: "cmnd/boiler/POWER", choose: [{ when: "rouge_peak", payload: "OFF" }] },
      ],
    });
  });

  test("asks a service for what a person wants to see of it", async () => {
    const cwd = await folder();
    const { code, out } = await run(["--service", `${days}/`, "--official", "off", "--broker", broker.url], {
      cwd,
    });
    expect(code).toBe(0);
    expect(out).toMatch(
      /: today \w+, tomorrow \w+ \(forecast, \d+ %\); 8 days of forecast\n|: today \w+, tomorrow \w+; 8 days/,
    );
    expect(parse(await read(cwd, "config/vigie.yaml"))).toMatchObject({ service: { base_url: days } });
  });

  test("keeps the password in a file of mode 600, and out of everything else", async () => {
    const cwd = await folder({ secret: `${PASSWORD}\n` });
    const args = [
      "--broker",
      tls.url,
      "--username",
      "vigie",
      "--password-file",
      "secret",
      "--ca-file",
      tls.file,
    ];
    const { code, out, err } = await set([...args, "--config", "own/vigie.yaml"], cwd);
    expect(code, err + out).toBe(0);
    expect(out + err + (await read(cwd, "own/vigie.yaml"))).not.toContain(PASSWORD);
    expect(parse(await read(cwd, "own/vigie.yaml")).mqtt).toEqual({
      url: tls.url,
      username: "vigie",
      password_file: join(cwd, "secret"),
      tls: { ca_file: tls.file },
    });
    const inAddress = tls.url.replace("//", `//vigie:${encodeURIComponent(PASSWORD)}@`);
    const again = await set(
      ["--broker", inAddress, "--ca-file", tls.file, "--config", "own/vigie.yaml", "--yes"],
      cwd,
    );
    expect(again.code, again.err + again.out).toBe(0);
    expect(again.out + again.err + (await read(cwd, "own/vigie.yaml"))).not.toContain(PASSWORD);
    expect(await read(cwd, "own/mqtt_password")).toBe(`${PASSWORD}\n`);
    expect((await stat(join(cwd, "own/mqtt_password"))).mode & 0o777).toBe(0o600);
  });

  test("replaces no file without --yes, and keeps a copy of each that it replaces", async () => {
    const cwd = await folder({ "config/vigie.yaml": "instance: mine\n" });
    const refused = await set([], cwd);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("config/vigie.yaml exists: --yes replaces it and keeps a copy");
    expect(await read(cwd, "config/vigie.yaml")).toBe("instance: mine\n");
    expect((await set(["--yes"], cwd)).out).toContain("The file before it is config/vigie.yaml.old.");
    expect(await read(cwd, "config/vigie.yaml.old")).toBe("instance: mine\n");
  });

  test("replaces the file that vigie ships, as it came, and names its copy, which explains every option", async () => {
    const shipped = readPage("config/vigie.yaml");
    const cwd = await folder({ "config/vigie.yaml": shipped });
    expect((await set([], cwd)).code).toBe(0);
    expect(await read(cwd, "config/vigie.yaml.old")).toBe(shipped);
    expect(await read(cwd, "config/vigie.yaml")).toContain("config/vigie.yaml.old explains every option");
  });

  test("names the devices that the file of an earlier set-up switches, before --yes replaces it", async () => {
    const cwd = await folder({ "config/vigie.yaml": readPage("config/vigie.yaml") });
    expect((await set(["--device", BOILER], cwd)).code).toBe(0);
    const refused = await set([], cwd);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("config/vigie.yaml exists") });
    const { code, out } = await set(["--yes"], cwd);
    expect(code, out).toBe(0);
    expect(out).toContain("config/vigie.yaml switches: Boiler. vigie will no longer switch a device");
    expect(out).toContain("The file before it is config/vigie.yaml.old-2.");
    expect(await read(cwd, "config/vigie.yaml")).toContain("config/vigie.yaml.old explains every option");
  });

  test.each([
    ["mqtt://127.0.0.1:9", "is not listening"],
    ["nowhere.invalid", "has an unknown name"],
    ["TLS as mqtt", "accepts only encrypted connections (TLS)"],
    ["plain as mqtts", "has no encryption (TLS)"],
    ["TLS", "has a certificate that this machine does not know"],
    ["TLS with its file", "refuses the user or the password"],
    [
      "TLS of another name",
      "has a certificate for another name: use that name as the address (DNS:broker.lan)",
    ],
    ["TLS that asks for a certificate", "do not agree on the encryption by TLS (ERR_SSL_TLSV13_ALERT"],
    ["HTTP", "answers, but not in MQTT"],
  ])("tells apart why a broker cannot be used, and writes nothing: %s", async (which, words) => {
    const cwd = await folder();
    const addresses: Record<string, string[]> = {
      "TLS as mqtt": [tls.url.replace("mqtts", "mqtt")],
      "plain as mqtts": [broker.url.replace("mqtt", "mqtts")],
      TLS: [tls.url],
      "TLS with its file": [tls.url, "--ca-file", tls.file, "--username", "vigie"],
      "TLS of another name": [other.url, "--ca-file", other.file],
      "TLS that asks for a certificate": [wantsCertificate, "--ca-file", tls.file],
      HTTP: [days.replace("http", "mqtt")],
    };
    const { code, err, out } = await set(["--broker", ...(addresses[which] ?? [which])], cwd);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(words) });
    expect(out).toContain(`FAILED  mqtt`);
    expect(await readdir(cwd)).toEqual([]);
  });

  test.each([
    [() => `http://${NOBODY}`, "does not answer"],
    [
      () => broker.url.replace("mqtt", "http"),
      "closes the connection without an answer: is this the address",
    ],
    [() => `${days}/elsewhere`, "has nothing at this address"],
  ])("says why a service cannot be used, and writes nothing", async (address, words) => {
    const cwd = await folder();
    const { code, err } = await set(["--service", address()], cwd);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(words) });
    expect(await readdir(cwd)).toEqual([]);
  });

  test("shows nothing of what a service says that refuses a request", async () => {
    const cwd = await folder();
    const service = await startPlainService(() => ({ status: 422, body: { detail: "\u001b[2Jgone\u202e" } }));
    cleanup.add(service.stop);
    const said: string[] = [];
    await runCommand(
      (io) => {
        const write = (text: string) => said.push(text);
        return setup(["--service", service.url, "--broker", broker.url, "--config", "x"], {
          ...io,
          stdout: { write },
          stderr: { write },
        });
      },
      { cwd },
    );
    expect(said.join("")).toContain(
      "answers, but refuses the request. Is the address right, and is a login needed? (HTTP 422)",
    );
    expect(said.join("")).not.toContain("gone");
    expect(said.join("").includes("\u001b")).toBe(false);
  });

  test.each([
    [
      "place=vigie/x,kind=shelly_gen1",
      "Its place on the broker: expected a topic that is neither below vigie/",
    ],
    ["place=a/#,kind=shelly_gen1", "Its place on the broker: expected the beginning of a topic"],
    ["place=boiler,kind=tasmota,id=Bad Id", "outputs[0].id: expected small letters"],
    ["kind=other,topic=a,payload=x,report=+/b", "Topic of its reports: expected the beginning of a topic"],
  ])(
    "refuses a device as the form of the app would, and an id as the configuration would: %s",
    async (device, words) => {
      const cwd = await folder();
      const { code, err } = await set(["--device", `use=boiler,${device}`], cwd);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) });
      expect(await readdir(cwd)).toEqual([]);
    },
  );

  test("gives devices for the same use ids of their own, and refuses one id or topic for two", async () => {
    const cwd = await folder();
    const second = "use=boiler,kind=tasmota,place=second,name=Hall";
    expect((await set(["--device", BOILER, "--device", second], cwd)).code).toBe(0);
    const { outputs } = parse(await read(cwd, "config/vigie.yaml"));
    expect(outputs).toMatchObject([{ id: "boiler" }, { id: "boiler_2", name: "Hall" }]);
    const twice = await set(["--yes", "--device", BOILER, "--device", BOILER], cwd);
    expect(twice).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "Its place on the broker: expected a device, or a relay of it, that is not there yet",
      ),
    });
  });

  test("with --try switches each device off and on, and says whether it confirms", async () => {
    const cwd = await folder();
    const relay = await startMqttRelay(documented("Shelly, first generation"), broker.url);
    cleanup.add(relay.disconnect);
    const observer = await observe(broker.url, "shellies/#");
    cleanup.add(observer.disconnect);
    const device = "use=boiler,kind=shelly_gen1,place=shellies/shelly1pm-A4CF12F3C5D6";
    const obeyed = await set(["--device", device, "--try"], cwd);
    expect(obeyed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/confirmed by .*: off[\s\S]*confirmed by .*: on/),
    });
    expect(relay.told).toEqual(["off", "on"]);
    // Nothing of it stays on the broker.
    expect([...observer.retained.keys()]).toEqual(["shellies/shelly1pm-A4CF12F3C5D6/online"]);
  });

  test("with --try a device that does not do what it is told is written, and is in the exit code", async () => {
    const cwd = await folder();
    const relay = await startMqttRelay(documented("OpenBeken"), broker.url);
    cleanup.add(relay.disconnect);
    relay.disobey();
    const observer = await observe(broker.url, "obk_boiler/1/get");
    cleanup.add(observer.disconnect);
    const tried = set(["--device", "use=car,kind=openbeken,place=obk_boiler", "--try"], cwd);
    await observer.until(({ received }) => received.length > 0, "the device reports");
    await untilHandled(observer);
    waits.end(5_000);
    const { code, out } = await tried;
    expect(out).toContain("FAILED  obk_boiler/1/get says something else: 1");
    expect(relay.told).toEqual(["0", "1"]);
    expect(code).toBe(1);
    await access(join(cwd, "config/vigie.yaml"));
  });

  test("with --try a device that does not report is sent both words, and that is all that is said of it", async () => {
    const cwd = await folder();
    const observer = await observe(broker.url, "pump/set");
    cleanup.add(observer.disconnect);
    const device = "use=heating,kind=other,topic=pump/set,payload=17,else=20";
    const { code, out } = await set(["--device", device, "--try"], cwd);
    expect(code, out).toBe(0);
    expect(out.match(/sent; this device does not say what it does/g)).toHaveLength(2);
    expect(observer.received.map(({ payload, retain }) => [payload, retain])).toEqual([
      ["17", false],
      ["20", false],
    ]);
  });

  test("with --try a payload whose placeholders only vigie can fill is not sent, which is said", async () => {
    const cwd = await folder();
    const observer = await observe(broker.url, "screen/set");
    cleanup.add(observer.disconnect);
    const device = "use=other,kind=other,topic=screen/set,payload={now.color},else=20";
    const { code, out } = await set(["--device", device, "--try"], cwd);
    expect(code, out).toBe(0);
    expect(out).toContain("screen/set is not tried: what stands in braces is known only when vigie runs.");
    expect(observer.received).toEqual([]);
  });

  test("a password without a user is refused", async () => {
    const cwd = await folder();
    await writeFile(join(cwd, "secret"), "s3cret\n");
    const { code, err } = await set(["--password-file", "secret"], cwd);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("Missing: --username") });
  });

  test("a relay that is no number is refused, for devices that number theirs", async () => {
    const cwd = await folder();
    const { code, err } = await set(["--device", `${BOILER},relay=abc`], cwd);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("--device relay=abc: Expected the number of the relay"),
    });
  });

  test("a folder that cannot be written, and a password file that cannot be read, are said, and nothing is written", async () => {
    const cwd = await folder({ file: "x" });
    expect(await set(["--config", "file/vigie.yaml"], cwd)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("cannot be written"),
    });
    const unread = await set(["--username", "v", "--password-file", "none"], cwd);
    expect(unread).toMatchObject({ code: 2, err: expect.stringContaining("cannot be read from") });
    await writeFile(join(cwd, "none"), "x");
    await chmod(join(cwd, "none"), 0o600);
    expect(await readdir(cwd)).toEqual(["file", "none"]);
  });
});

function documented(title: string) {
  const device = MQTT_DEVICES[title];
  if (!device) throw new Error(`Expected a device ${title}`);
  return device;
}

function run(args: string[], { cwd = "/", env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  return runCommand((io) => setup(args, io), { cwd, env });
}

function read(...path: string[]): Promise<string> {
  return readFile(join(...path), "utf8");
}
