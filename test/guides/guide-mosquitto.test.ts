import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import mqtt from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { renderTopics } from "../../src/core/topics/render-topics.ts";
import { withoutOpenssl } from "../support/certificate.ts";
import { rougeFacts } from "../support/facts.ts";
import { isSame, quotedOn, readPage, saysAsWritten } from "../support/guide.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe, untilHandled } from "../support/observer.ts";
import { freePort } from "../support/ports.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { type TopicValues, watchTopicValues } from "../support/topic-values.ts";
import { createCleanup, runVigie, type Vigie } from "../support/vigie.ts";
import { type Reader, readGuide } from "./guide-reader.ts";

const PAGE = readPage("docs/mosquitto.md");
const missing = withoutMosquitto || withoutOpenssl;
const DEVICE = "homeassistant/device/vigie/config";
const BOILER = "shellies/boiler/relay/0";

/** A broker and a vigie as the guide sets them up; whoever looks at it may do everything, as nobody in the guide. */
interface Site extends TopicValues {
  reader: Reader;
  folder: string;
  vigie: Vigie;
  observer: Observer;
  config: object;
  env: Record<string, string>;
  port: number;
  brokerLog: () => Promise<string>;
}

describe.skipIf(missing)(`docs/mosquitto.md, followed word for word ${missing}`, () => {
  const cleanup = createCleanup();
  let root: string;
  beforeAll(async () => {
    root = await cleanup.createFolder();
    const reader = readGuide(PAGE, root, { broker: 0 });
    await mkdir(join(root, "etc/mosquitto"), { recursive: true });
    await writeFile(join(root, "etc/mosquitto/acl"), reader.file("/etc/mosquitto/acl"));
    for (const name of ["authority", "certificate", "install-ca", "passwords", "protect-list"]) {
      expect(await reader.run(name), name).toMatchObject({ code: 0 });
    }
    const users = join(root, "etc/mosquitto/passwd");
    spawnSync("mosquitto_passwd", ["-b", users, "observer", passwordOf("observer")]);
  });
  afterAll(cleanup.run);

  /** With another access list, or another certificate, than the guide's. */
  async function startBroker(change: (list: string) => string = (list) => list, certificate = "broker") {
    const listener = await freePort();
    const folder = await cleanup.createFolder();
    const reader = readGuide(PAGE, root, { broker: listener });
    const list = change(reader.file("/etc/mosquitto/acl"));
    await writeFile(join(folder, "acl"), `${list}\nuser observer\ntopic readwrite #\n`);
    const lines = reader
      .file("/etc/mosquitto/conf.d/vigie.conf")
      .replace(join(root, "etc/mosquitto/acl"), join(folder, "acl"))
      .replace("certs/broker.crt", `certs/${certificate}.crt`)
      .replace(/^listener .*/m, "$& 127.0.0.1")
      .split("\n");
    const log = join(folder, "mosquitto.log");
    const broker = await startMosquitto({ lines: [...lines, `log_dest file ${log}`, "log_type all"] });
    cleanup.add(broker.remove);
    return { broker, reader, folder, listener, log };
  }

  async function openSite(change?: (list: string) => string, output: object = {}): Promise<Site> {
    const { broker, reader, folder, listener, log } = await startBroker(change);
    const observer = await observe(`mqtt://observer:${passwordOf("observer")}@127.0.0.1:${broker.port}`);
    cleanup.add(observer.disconnect);
    await observer.publish(BOILER, "off");
    const config = {
      ...parse(reader.file("/etc/vigie/vigie.yaml")),
      service: { base_url: await serveBleuDays(cleanup) },
      state: "./state",
      rules: [{ id: "known", when: { day: "now", known: true } }],
      outputs: [
        {
          topic: `${BOILER}/command`,
          choose: [{ when: "known", payload: "off" }],
          confirm: { topic: BOILER, every: "5s", for: "5s" },
          ...output,
        },
      ],
    };
    const env = { VIGIE_MQTT_PASSWORD: passwordOf("vigie") };
    const vigie = await cleanup.startVigie({ folder, config, env });
    return {
      reader,
      folder,
      vigie,
      observer,
      config,
      env,
      port: listener,
      ...watchTopicValues(observer, "vigie", vigie.output),
      brokerLog: () => readFile(log, "utf8"),
    };
  }

  test.concurrent("all topics come, commands and discovery work, a purge leaves nothing, and nothing is refused", async () => {
    const site = await openSite();
    const { vigie, observer, reader, payloadOf, until } = site;
    await until({ availability: "online", "rules/known/state": "ON", "service/status": "ok" });
    const wanted = [...renderTopics(rougeFacts(), { grace: 0, laws: "off" }).keys()];
    await expect.poll(() => wanted.filter((name) => payloadOf(name) === undefined)).toEqual([]);
    await observer.until(({ retained }) => retained.has(DEVICE), "the entities are announced");
    await vigie.says(/^Sent "off" to shellies/);
    const told = () => observer.received.filter(({ topic }) => topic === DEVICE).length;
    const before = told();
    await observer.publish("homeassistant/status", "online", false);
    const asOperator = { VIGIE_MQTT_USERNAME: "operator", VIGIE_MQTT_PASSWORD: passwordOf("operator") };
    const simulate = await runVigie({ folder: site.folder, env: asOperator, args: ["simulate", "auto"] });
    expect(simulate).toMatchObject({ code: 0 });
    const look = await reader.run("read");
    expect(look).toMatchObject({ code: 0, stdout: `${payloadOf("now/color")}\n` });
    expect(await reader.run("command")).toMatchObject({ code: 0 });
    await vigie.says(/^refresh\/set: vigie asks its sources as soon as its limits of requests allow it$/);
    await reader
      .run("check", { ...site.env, VIGIE_CONFIG: join(site.folder, "vigie.yaml") })
      .then(({ stdout }) =>
        expect(stdout).toContain(`ok      broker, mqtts://127.0.0.1:${site.port}: MQTT 5, `),
      );
    await observer.until(() => told() > before, "Home Assistant is told again");
    // A device that was heard is not asked again, and is no problem: it would be one after five seconds.
    expect(payloadOf("service/problem_code")).toBe("none");
    expect((await vigie.end()).code).toBe(0);
    expect(complaints(vigie)).toEqual([]);
    const purge = await runVigie({ folder: site.folder, env: site.env, args: ["purge"] });
    expect(purge).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Cleared \d+ topics below vigie and homeassistant\n$/),
    });
    await untilHandled(observer);
    expect([...observer.retained.keys()]).toEqual([BOILER]);
    expect(await site.brokerLog()).not.toMatch(/Denied/);
  });

  const ELSEWHERE = ["elsewhere", "homeassistant/device/other/config", "vigies/x", "shellies/other/relay/0"];
  const OF_VIGIE = [
    "vigie/x/set",
    "vigie/now/color",
    "vigie/owner",
    "vigie/owner/pong",
    "vigie/availability",
  ];
  const HOME = ["homeassistant/status", DEVICE];

  test.concurrent.each<[user: string, may: string[], mayNot: string[]]>([
    [
      "vigie",
      [...COMMANDS, ...OF_VIGIE, DEVICE, `${BOILER}/command`],
      [...ELSEWHERE, BOILER, "homeassistant/status"],
    ],
    [
      "homeassistant",
      [...COMMANDS, ...HOME, "homeassistant/device/other/config", `${BOILER}/command`],
      [...OF_VIGIE, BOILER, "elsewhere", "vigies/x", "shellies/other/relay/0"],
    ],
    [
      "boiler",
      [BOILER, `${BOILER}/command`, "shellies/boiler/online"],
      [...COMMANDS, ...OF_VIGIE, ...HOME, ...ELSEWHERE],
    ],
    [
      "operator",
      [...COMMANDS, "vigie/owner/ping"],
      [...OF_VIGIE, ...HOME, ...ELSEWHERE, BOILER, `${BOILER}/command`],
    ],
    ["reader", [], [...COMMANDS, ...OF_VIGIE, ...HOME, ...ELSEWHERE, BOILER, `${BOILER}/command`]],
  ])("%s may write to its own topics, and to no others", async (user, may, mayNot) => {
    const site = await openSite();
    await site.until({ availability: "online", "rules/known/state": "ON" });
    for (const topic of mayNot)
      expect([topic, await mayWrite(user, topic, site, root)]).toEqual([topic, false]);
    if (user !== "vigie") {
      expect(site.vigie.lines.filter(({ msg }) => msg.startsWith("Another program wrote"))).toEqual([]);
    }
    for (const topic of may) expect([topic, await mayWrite(user, topic, site, root)]).toEqual([topic, true]);
  });

  test.concurrent("each user reads what it needs, and nothing else", async () => {
    const site = await openSite();
    await site.until({ availability: "online", "rules/known/state": "ON" });
    await site.observer.until(({ retained }) => retained.has(DEVICE), "the entities are announced");
    const heard = async (user: string) => {
      const topics = await hearAll(user, site, root);
      const others = topics.filter((topic) => !topic.startsWith("vigie/"));
      return { own: others.length < topics.length, others: [...new Set(others)].sort() };
    };
    expect(await heard("vigie")).toEqual({ own: true, others: [DEVICE, "homeassistant/status", BOILER] });
    expect(await heard("reader")).toEqual({ own: true, others: [] });
    expect(await heard("operator")).toEqual({ own: true, others: [] });
    expect(await heard("homeassistant")).toMatchObject({
      own: true,
      others: expect.arrayContaining([BOILER, "secret"]),
    });
    expect(await heard("boiler")).toMatchObject({ own: false, others: expect.arrayContaining([BOILER]) });
    expect((await heard("boiler")).others.filter((topic) => !topic.startsWith("shellies/boiler/"))).toEqual(
      [],
    );
  });

  test.concurrent("what a stranger can still do is shown in the words of the guide", async () => {
    const site = await openSite(undefined, { id: "boiler" });
    const { vigie, observer, until } = site;
    await until({ availability: "online", "rules/known/state": "ON", "service/status": "ok" });
    await vigie.says(/^Sent "off" to boiler/);
    const boiler = await connect("boiler", site, root);
    await boiler.publishAsync(BOILER, "off", { qos: 1 });
    await boiler.endAsync();
    await until({ "outputs/boiler/state": "confirmed" });

    const operator = await connect("operator", site, root);
    await operator.publishAsync("vigie/simulation/set", "rouge", { qos: 1 });
    await operator.publishAsync("vigie/rules/known/enabled/set", "OFF", { qos: 1 });
    await operator.endAsync();
    await until({ "simulation/color": "rouge", "rules/known/enabled": "OFF" });
    await vigie.says(/^simulation\/set: /);
    await vigie.says(/^rules\/known\/enabled\/set: /);

    const stranger = await connect("vigie", site, root);
    await stranger.publishAsync("vigie/now/color", "bleu", { qos: 1, retain: true });
    await saysAsWritten(PAGE, vigie, /^Another program wrote to now\/color/);
    await until({ "now/color": "rouge" });

    const claim = JSON.stringify({ ...readOwnerOf(observer), incarnation: "stranger" });
    stranger.on("message", () => void stranger.publishAsync("vigie/owner/pong", claim));
    await stranger.subscribeAsync("vigie/owner/ping");
    await stranger.publishAsync("vigie/owner", claim, { qos: 1, retain: true });
    const { code, stderr } = await vigie.ended;
    expect(code).toBe(3);
    expect(quotedOn(PAGE).some((sentence) => isSame(`… ${sentence}`, stderr.trim()))).toBe(true);
    await stranger.endAsync();
  });

  test.concurrent("a reader that takes vigie's client id ends a connection of vigie, which comes back", async () => {
    const site = await openSite();
    await site.until({ availability: "online" });
    const reader = await connect("reader", site, root, readOwnerOf(site.observer).client_id);
    await saysAsWritten(PAGE, site.vigie, /^The connection to the broker was lost/);
    await reader.endAsync();
    await site.vigie.says(/accepts the connection again/);
  });

  const without = (line: string) => (list: string) => replaceOnce(list, `topic ${line}\n`, "");
  const only = (access: string, line: string) => (list: string) =>
    replaceOnce(list, `topic ${line}\n`, `topic ${line.replace("readwrite", access)}\n`);

  test.concurrent.each<
    [what: string, change: (list: string) => string, fails: (site: Site) => Promise<unknown>]
  >([
    [
      "vigie/# away",
      without("readwrite vigie/#"),
      ({ vigie }) => vigie.says(/refuses the login|refuses vigie\/owner/),
    ],
    [
      "vigie/# for reading",
      only("read", "readwrite vigie/#"),
      ({ vigie }) => vigie.says(/refuses the login|refuses vigie\/owner/),
    ],
    [
      "vigie/# for writing",
      only("write", "readwrite vigie/#"),
      ({ vigie }) => saysAsWritten(PAGE, vigie, /sends none back/),
    ],
    [
      "the entities away",
      without(`readwrite ${DEVICE}`),
      ({ vigie }) => saysAsWritten(PAGE, vigie, /Not every discovery message is published/),
    ],
    [
      "the entities for reading",
      only("read", `readwrite ${DEVICE}`),
      ({ vigie }) => vigie.says(/Not every discovery message is published/),
    ],
    ["the entities for writing", only("write", `readwrite ${DEVICE}`), leavesEntities],
    ["Home Assistant's status away", without("read homeassistant/status"), missesBirth],
    [
      "the boiler's command away",
      without(`write ${BOILER}/command`),
      ({ vigie }) => saysAsWritten(PAGE, vigie, /command: not authorized/),
    ],
    [
      "the boiler's answer away",
      without(`read ${BOILER}`),
      ({ until }) => until({ "service/problem_code": "output" }),
    ],
  ])("with %s something fails that worked", async (_, change, fails) => {
    await fails(await openSite(change));
  });

  test.concurrent("a rule on a value needs the line that the guide names", async () => {
    const [, line = ""] = /^\| a rule with `mqtt: .*` \| `(topic read [^`]*)`/m.exec(PAGE) ?? [];
    const site = await openSite((list) =>
      replaceOnce(list, `topic read ${BOILER}\n`, `topic read ${BOILER}\n${line}\n`),
    );
    const low = { id: "low", when: { mqtt: { topic: "car/status", equals: "low" } } };
    const other = { id: "other", when: { mqtt: { topic: "car/other", equals: "low" } } };
    await site.vigie.end();
    const config = { ...site.config, rules: [{ id: "known", when: { period: "hp" } }, low, other] };
    await writeFile(join(site.folder, "vigie.yaml"), JSON.stringify(config));
    for (const topic of ["car/status", "car/other"]) await site.observer.publish(topic, "low");
    await cleanup.startVigie({ folder: site.folder, env: site.env });
    await site.until({ availability: "online", "rules/low/state": "ON", "rules/other": /never heard/ });
  });

  test.concurrent("single components need the line that the guide names, and no other", async () => {
    const site = await openSite((list) => replaceOnce(list, DEVICE, "homeassistant/+/vigie/+/config"));
    await site.vigie.says(/Not every discovery message is published/);
    await site.vigie.end();
    await writeFile(
      join(site.folder, "vigie.yaml"),
      JSON.stringify({ ...site.config, homeassistant: { discovery: "components" } }),
    );
    const { vigie } = { vigie: await cleanup.startVigie({ folder: site.folder, env: site.env }) };
    await site.observer.until(
      ({ retained }) => retained.has("homeassistant/sensor/vigie/now_color/config"),
      "announced",
    );
    await site.until({ availability: "online" });
    expect(complaints(vigie)).toEqual([]);
  });

  test.concurrent("what-if: A certificate expires, or the access list forbids something · is logged in the words of the guide", async () => {
    const { reader, folder, listener } = await startBroker();
    const service = await serveBleuDays(cleanup);
    const said = async (change: object, password = passwordOf("vigie")) => {
      const config = parse(reader.file("/etc/vigie/vigie.yaml"));
      const mqttConfig = { ...config.mqtt, ...change };
      await writeFile(
        join(folder, "vigie.yaml"),
        JSON.stringify({ service: { base_url: service }, mqtt: mqttConfig, state: "./state" }),
      );
      return cleanup.startVigie({ folder, env: { VIGIE_MQTT_PASSWORD: password } });
    };
    const ca_file = join(root, "etc/vigie/ca.crt");
    const cases: [Vigie, RegExp][] = [];
    const hear = async (vigie: Vigie, words: RegExp) => {
      cases.push([vigie, words]);
      await saysAsWritten(PAGE, vigie, words);
      await vigie.end();
    };
    await hear(await said({}, "wrong"), /refuses the login/);
    await hear(await said({ tls: {} }), /Check that mqtt.tls.ca_file holds/);
    await hear(await said({ tls: { ca_file, server_name: "other.lan" } }), /certificate for another name/);
    const expire = reader.own(
      "cd ~/vigie-ca && openssl x509 -req -in broker.csr -CA ca.crt -CAkey ca.key -days -1 -copy_extensions copy -out /etc/mosquitto/certs/old.crt",
    );
    expect(spawnSync("sh", ["-c", expire], { env: { PATH: process.env["PATH"], HOME: root } }).status).toBe(
      0,
    );
    const old = await startBroker(undefined, "old");
    await hear(await said({ url: `mqtts://127.0.0.1:${old.listener}` }), /is not valid now: it has expired/);
    expect(listener).not.toBe(old.listener);
    expect(cases).toHaveLength(4);
  });
});

const COMMANDS = [
  ...["vigie/refresh/set", "vigie/simulation/set"],
  ...["vigie/rules/known/enabled/set", "vigie/rules/known/threshold/set"],
];

/** That the broker is on this machine is the test's doing. */
function complaints({ lines }: Vigie): string[] {
  const said = lines.filter(({ level }) => level !== "info").map(({ msg }) => msg);
  return said.filter((msg) => !msg.includes("in a container"));
}

function passwordOf(user: string): string {
  return `${user} password`;
}

function replaceOnce(text: string, what: string, by: string): string {
  if (text.split(what).length !== 2) throw new Error(`Expected '${what}' once in:\n${text}`);
  return text.replace(what, by);
}

/** The owner of the base topic, as everybody can read it. */
function readOwnerOf({ retained }: Observer): { client_id: string } {
  return JSON.parse(retained.get("vigie/owner") ?? "");
}

async function mayWrite(user: string, topic: string, site: Site, root: string): Promise<boolean> {
  const { observer } = site;
  const stored = (where: string, payload: string) =>
    observer.received.some((one) => one.topic === where && one.payload === payload);
  const client = await connect(user, site, root);
  const word = `${user} ${Math.random()}`;
  await client.publishAsync(topic, word, { qos: 1 }).catch(() => undefined);
  await observer.publish(`mark/${word}`, "x", false);
  await observer.until(() => stored(`mark/${word}`, "x"), "all before it came");
  await client.endAsync();
  return stored(topic, word);
}

function connect(user: string, { port }: Site, root: string, clientId?: string) {
  return readFile(join(root, "etc/vigie/ca.crt")).then((ca) =>
    mqtt.connectAsync(`mqtts://127.0.0.1:${port}`, {
      ca,
      ...(clientId !== undefined && { clientId }),
      username: user,
      password: passwordOf(user),
      protocolVersion: 5,
      reconnectPeriod: 0,
    }),
  );
}

/** What a user hears who asks for everything. */
async function hearAll(user: string, site: Site, root: string): Promise<string[]> {
  const client = await connect(user, site, root);
  const heard: string[] = [];
  client.on("message", (topic) => heard.push(topic));
  await client.subscribeAsync("#", { qos: 1 });
  await site.observer.publish("secret", "x");
  await site.observer.publish("homeassistant/status", "online", false);
  const marks = ["vigie/mark", "shellies/boiler/mark"];
  for (const mark of marks) await site.observer.publish(mark, "x", false);
  await site.observer.until(() => marks.some((mark) => heard.includes(mark)), `${user} hears what it may`);
  await client.endAsync();
  return heard;
}

/** It cannot see what it wrote itself, and so cannot take it away. */
async function leavesEntities({ vigie, until, observer, folder, env }: Site): Promise<void> {
  await until({ availability: "online" });
  await observer.until(({ retained }) => retained.has(DEVICE), "the entities are announced");
  await vigie.end();
  expect(await runVigie({ folder, env, args: ["purge"] })).toMatchObject({ code: 0 });
  await untilHandled(observer);
  expect([...observer.retained.keys()].sort()).toEqual([DEVICE, BOILER]);
}

async function missesBirth({ vigie, until, observer }: Site): Promise<void> {
  await until({ availability: "online" });
  await observer.until(({ retained }) => retained.has(DEVICE), "the entities are announced");
  await observer.publish("homeassistant/status", "online", false);
  // It is told again within ten seconds where it is heard.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  expect(observer.received.filter(({ topic }) => topic === DEVICE)).toHaveLength(1);
  await vigie.end();
}
