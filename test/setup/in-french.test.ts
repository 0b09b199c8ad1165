import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setup } from "../../src/cli/setup.ts";
import { folderWith } from "../config/folder.ts";
import { makeCertificate, withoutOpenssl } from "../support/certificate.ts";
import { holdWaits } from "../support/hold-waits.ts";
import { LONG } from "../support/long.ts";
import { type Mosquitto, passwordLine, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, untilHandled } from "../support/observer.ts";
import { type PlainAnswer, startPlainService } from "../support/plain-service.ts";
import { freePort, NOBODY } from "../support/ports.ts";
import { runCommand } from "../support/run-command.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { DOWN, ENTER, startSetup, withoutTerminal } from "../support/terminal.ts";
import { createCleanup } from "../support/vigie.ts";

const missing = withoutMosquitto || withoutOpenssl || withoutTerminal;
/** No word of French is one of these. */
const ENGLISH =
  /\b(the|is|are|was|not|and|of|to|cannot|expected|got|with|without|that|from|this|answer|answers|broker's|at|for)\b/i;

/** Addresses and paths do not count: the name of a folder, which chance gives, may read `of` while it is typed. */
function expectFrench(shown: string): void {
  const wrong = shown
    .split("\n")
    .filter((line) => ENGLISH.test(line.replaceAll(/[\w.-]*:\/\/\S+|docs\/\S+|\/tmp\/\S+/g, "")));
  expect(wrong).toEqual([]);
}

/** What a server may answer that is no forecast service, and what is said of it. */
const ANSWERS: [string, PlainAnswer, string][] = [
  ["404", { status: 404, body: { detail: "Not Found" } }, "répond, mais n’a rien à cette adresse"],
  ["403", { status: 403, body: { detail: "Not allowed" } }, "répond, mais refuse la requête"],
  ["503", { status: 503, body: "the service is down" }, "répond qu’il est en panne (HTTP 503)"],
  ["429", { status: 429, body: "too many", headers: { "retry-after": "60" } }, "demande d’attendre"],
  [
    "a web page",
    { body: "<!doctype html><p>It works!", headers: { "content-type": "text/html" } },
    "répond par une page web",
  ],
  [
    "a redirect",
    { status: 301, body: "", headers: { location: "https://elsewhere.example.org/x?token=1" } },
    "renvoie à une autre adresse, que vigie ne suit pas : donnez celle-là (https://elsewhere.example.org/x)",
  ],
  ["other JSON", { body: { hello: "world" } }, "répond, mais pas comme un service que vigie sait lire"],
  ["half of it", { body: '{"forecasts": [' }, "répond, mais pas comme un service que vigie sait lire"],
];

describe.skipIf(missing)(
  `the set-up in French says nothing in English ${missing}`,
  { concurrent: LONG },
  () => {
    const cleanup = createCleanup();
    let days: string;
    let open: Mosquitto;
    let guarded: Mosquitto;
    const tls = { own: "", other: "", file: "" };
    beforeAll(async () => {
      days = await serveBleuDays(cleanup);
      open = await startMosquitto();
      cleanup.add(open.remove);
      const own = makeCertificate(await cleanup.createFolder(), "IP:127.0.0.1");
      const other = makeCertificate(await cleanup.createFolder(), "DNS:broker.lan");
      const [ownPort, otherPort] = [await freePort(), await freePort()];
      guarded = await startMosquitto({
        files: {
          passwords: passwordLine("vigie", "s3cret"),
          list: "user vigie\ntopic read #\ntopic read $SYS/#\n",
          ...{ "cert.pem": own.cert, "key.pem": own.key, "other.pem": other.cert, "other.key": other.key },
        },
        lines: [
          ...["allow_anonymous false", "password_file FOLDER/passwords", "acl_file FOLDER/list"],
          ...[`listener ${ownPort} 127.0.0.1`, "certfile FOLDER/cert.pem", "keyfile FOLDER/key.pem"],
          ...[`listener ${otherPort} 127.0.0.1`, "certfile FOLDER/other.pem", "keyfile FOLDER/other.key"],
        ],
      });
      cleanup.add(guarded.remove);
      tls.own = `127.0.0.1:${ownPort}`;
      tls.other = `127.0.0.1:${otherPort}`;
      tls.file = other.path;
    });
    afterAll(cleanup.run);
    let waits: ReturnType<typeof holdWaits>;
    beforeEach(() => {
      waits = holdWaits();
      return waits.release;
    });

    const folder = () => folderWith({}, cleanup.add);
    const sit = async (cwd: string, args: string[]) => {
      const terminal = await startSetup({
        folder: cwd,
        args: ["setup", "--language", "fr", ...args],
        env: { VIGIE_CONFIG: "" },
      });
      cleanup.add(async () => terminal.hangUp());
      return terminal;
    };
    const run = async (args: string[], env = {}) => {
      const cwd = await folder();
      const said = await runCommand((io) => setup(["--language", "fr", ...args], io), { cwd, env });
      return { ...said, cwd };
    };
    const sources = () => ["--service", "none", "--official", days];

    test("of a service or of an official source that cannot be used", async () => {
      const selfSigned = makeCertificate(await cleanup.createFolder(), "IP:127.0.0.1");
      const secured = createTlsServer(selfSigned).listen(0, "127.0.0.1");
      await once(secured, "listening");
      cleanup.add(async () => void secured.close());
      const answering = await Promise.all(
        ANSWERS.map(async ([, answer, words]): Promise<[string, string]> => {
          const service = await startPlainService(() => answer);
          cleanup.add(service.stop);
          return [service.url, words];
        }),
      );
      const unreachable: [string, string][] = [
        [`http://${NOBODY}`, "ne répond pas : rien n’écoute à cette adresse"],
        ["http://nowhere.invalid", "a un nom inconnu. L’adresse est-elle la bonne"],
        [open.url.replace("mqtt", "http"), "ferme la connexion sans répondre"],
        [days.replace("http", "https"), "n’a pas de chiffrement (TLS) à cette adresse"],
        [
          `https://127.0.0.1:${(secured.address() as AddressInfo).port}`,
          "a un certificat que cette machine ne connaît pas",
        ],
      ];
      const terminal = await sit(await folder(), ["--official", days, "--broker", open.url]);
      for (const [address, words] of [...unreachable, ...answering]) {
        await terminal.answer("D’où viennent les couleurs des jours ?", DOWN, ENTER);
        await terminal.answer("L’adresse du service", address, ENTER);
        await terminal.shows(`${address} ${words}`);
        await terminal.answer("Que faire ?", DOWN, ENTER);
      }
      await terminal.answer("D’où viennent les couleurs des jours ?", ENTER);
      await terminal.shows("Un appareil à couper");
      expectFrench(terminal.screen());
      for (const [address, words] of [...unreachable, ...answering]) {
        const said = await run(["--service", days, "--official", address, "--broker", open.url, "--yes"]);
        if (said.code === 2) continue; // What cannot be an official source at all.
        expect(said.out.replaceAll("\u00a0", " ")).toContain(`${address} ${words}`);
        expectFrench(said.out + said.err);
      }
    });

    test("of a broker that cannot be used", async () => {
      const silent = createServer().listen(0, "127.0.0.1");
      await once(silent, "listening");
      cleanup.add(async () => void silent.close());
      const cwd = await folder();
      await writeFile(join(cwd, "junk.pem"), "this is no certificate\n");
      const terminal = await sit(cwd, [...sources(), "--broker", `mqtt://${NOBODY}`]);
      await terminal.shows(`mqtt://${NOBODY} n’écoute pas`);
      const type = async (address: string, words: string) => {
        await terminal.answer("L’adresse du broker", address, ENTER);
        await terminal.shows(words);
      };
      await type("://", "une adresse comme 192.168.1.10");
      terminal.press("\u0015");
      terminal.press("nowhere.invalid", ENTER);
      await terminal.shows("a un nom inconnu");
      await type(days.replace("http", "mqtt"), "répond, mais pas en MQTT");
      await type(`mqtts://${tls.other}`, "a un certificat que cette machine ne connaît pas");
      await terminal.answer("Le certificat de votre propre autorité", "none.pem", ENTER);
      await terminal.shows("le fichier du certificat ne peut pas être lu (il n’existe pas)");
      await terminal.answer("Le certificat de votre propre autorité", "junk.pem", ENTER);
      await terminal.shows(`mqtts://${tls.other} `);
      await terminal.answer("Le certificat de votre propre autorité", tls.file, ENTER);
      await terminal.shows(
        "a un certificat pour un autre nom : donnez ce nom comme adresse (DNS:broker.lan)",
      );
      await type(open.url.replace("mqtt", "mqtts"), "n’a pas de chiffrement (TLS) sur ce port");
      await terminal.answer(`Essayer ${open.url} ?`, "n");
      await type(tls.own, "n’accepte que des connexions chiffrées (TLS) sur ce port");
      await terminal.answer(`Essayer mqtts://${tls.own} ?`, "n");
      const silentPlace = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
      await type(silentPlace, `mqtt://${silentPlace}…`);
      waits.end(10_000);
      await terminal.shows("accepte la connexion, mais ne dit rien");
      await type(guarded.url, "demande un utilisateur et un mot de passe");
      await terminal.answer("Utilisateur pour ce broker", "vigie", ENTER);
      await terminal.answer("Mot de passe", "faux", ENTER);
      await terminal.shows("refuse l’utilisateur ou le mot de passe");
      await terminal.answer("Donner de nouveau l’utilisateur et le mot de passe ?", ENTER);
      await terminal.answer("Utilisateur pour ce broker", ENTER);
      await terminal.answer("Mot de passe", "s3cret", ENTER);
      await terminal.shows("Home Assistant n’a pas été vu sur ce broker");
      await terminal.shows("Un appareil à couper");
      expectFrench(terminal.screen());
    });

    test("of a message that the configuration does not accept", async () => {
      const broker = await startMosquitto();
      cleanup.add(broker.remove);
      const terminal = await sit(await folder(), [...sources(), "--broker", broker.url]);
      await terminal.answer("Un appareil à couper", ...Array(4).fill(DOWN), ENTER);
      await terminal.answer("Par quel service", ...Array(6).fill(DOWN), ENTER);
      await terminal.answer("Le topic où elle reçoit", "vigie/x", ENTER);
      await terminal.answer("Son nom", ENTER);
      await terminal.shows("La configuration n’accepte pas ce message");
      await terminal.shows("Un appareil à couper");
      expectFrench(terminal.screen());
    });

    test("of devices: none is seen, a topic is wrong, the try fails, the broker refuses it or goes away", async () => {
      const broker = await startMosquitto();
      cleanup.add(broker.remove);
      const observer = await observe(broker.url, "pump/set");
      cleanup.add(observer.disconnect);
      const cwd = await folder();
      const terminal = await sit(cwd, [...sources(), "--broker", broker.url]);
      const addOther = async (topic: string, { payload = "17", otherwise = "20", report = "" } = {}) => {
        await terminal.answer("Un appareil à couper", DOWN, DOWN, DOWN, ENTER);
        await terminal.answer("De quel type est-il ?", ...Array(6).fill(DOWN), ENTER);
        await terminal.answer("Le topic où il reçoit ses ordres", topic, ENTER);
        await terminal.answer("L’ordre pendant les heures chères", payload, ENTER);
        await terminal.answer("L’ordre pour le reste du temps", otherwise, ENTER);
        await terminal.answer("Le topic où il donne son état", report, ENTER);
        await terminal.answer("Son nom", ENTER);
      };
      await terminal.shows("Un appareil à couper");
      terminal.press(DOWN, DOWN, DOWN, ENTER);
      await terminal.shows("vigie écoute pendant dix secondes");
      waits.end(10_000);
      await terminal.shows("Aucun appareil n’a été vu.");
      await terminal.answer("De quel type est-il ?", DOWN, DOWN, ENTER);
      await terminal.answer("Son topic", "a/#", ENTER);
      await terminal.answer("Lequel de ses relais ?", "x", ENTER);
      await terminal.shows("Attendu : le numéro du relais");
      terminal.press("\u0015", ENTER);
      await terminal.answer("Son nom", ENTER);
      await terminal.shows("Cela est refusé :");
      await terminal.shows("Topic de l’appareil : attendu le début d’un topic");
      await addOther("vigie/set");
      await terminal.shows("attendu un topic qui n’est ni sous vigie/ ni sous homeassistant/");
      await addOther("homeassistant/x");
      await terminal.shows("attendu un topic qui n’est ni sous vigie/ ni sous homeassistant/");
      await addOther("pump/set", { report: "pump/set" });
      await terminal.shows("Topic de ses réponses : attendu un autre topic que celui de ses ordres");
      await addOther("pump/set", { payload: "{now.colour}" });
      await terminal.shows("attendu seulement des variables que vigie connaît");
      await addOther("pump/set", { payload: "{{now.color}}" });
      await terminal.shows("attendu une seule paire d’accolades");
      await addOther("x".repeat(250));
      await terminal.shows("Topic de l’appareil : attendu");
      await addOther("pump/set", { report: "pump/state" });
      await terminal.answer("L’essayer maintenant ? vigie envoie 17, puis 20", ENTER);
      await observer.until(({ received }) => received.length === 1, "it is told 17");
      await observer.publish("pump/state", "41", false);
      await untilHandled(observer);
      waits.end(5_000);
      await terminal.shows("pump/state dit autre chose : 41");
      await observer.until(({ received }) => received.length === 2, "it is told 20");
      await untilHandled(observer);
      waits.end(5_000);
      await terminal.shows("pump/state ne l’a pas confirmé en cinq secondes");
      await terminal.shows("Cet appareil n’a pas confirmé.");
      await broker.end();
      terminal.press(ENTER);
      await terminal.shows(`${broker.url} n’écoute pas`);
      await terminal.answer("Cet appareil n’a pas confirmé.", DOWN, ENTER);
      await broker.start();
      await terminal.answer("Encore un appareil, ou un message ?", ENTER);
      await terminal.answer("Écrire config/vigie.yaml ?", ENTER);
      await terminal.shows("Vérification : le broker et RTE répondent, 1 appareil.");
      await terminal.ended;
      expectFrench(terminal.screen());
    });

    test("of a broker that lets a device be told nothing", async () => {
      const args = [...sources(), "--broker", guarded.url.replace("//", "//vigie:s3cret@")];
      const device = "use=heating,kind=other,topic=pump/set,payload=17,else=20";
      const { code, out, err } = await run([...args, "--device", device, "--try", "--yes"]);
      expect(code).toBe(1);
      expect(out.replaceAll("\u00a0", " ")).toContain(
        "Le broker n’accepte pas ce que cet utilisateur envoie sur pump/set : voyez sa liste d’accès.",
      );
      expectFrench(out + err);
    });

    test("of files that cannot be read or written", async () => {
      const cwd = await folderWith(
        { file: "x", latin: Buffer.from([0xe9, 0x0a]).toString("latin1") },
        cleanup.add,
      );
      await writeFile(join(cwd, "latin"), Buffer.from([0xe9, 0x0a]));
      const access = (file: string) => ["--username", "vigie", "--password-file", join(cwd, file)];
      for (const [args, words] of [
        [["--config", join(cwd, "file/vigie.yaml")], "une partie de son chemin est un fichier"],
        [["--config", "/dev/null"], "ne peut pas être écrit"],
        [access("none"), "il n’existe pas"],
        [access("latin"), "ce n’est pas un fichier de texte en UTF-8"],
      ] as const) {
        const { code, out, err } = await run([...sources(), "--broker", open.url, ...args, "--yes"]);
        expect(code, out + err).toBeGreaterThan(0);
        expect(err).toContain(words);
        expectFrench(out + err);
      }
    });

    test("of what its check finds, for which it names the command that says more", async () => {
      const more = "Pour en savoir plus, en anglais : npx vigie check --live";
      const refused = await run([...sources(), "--broker", open.url, "--yes"], { VIGIE_MQTT_GRACE: "soon" });
      expect(refused.code).toBe(2);
      expect(refused.out.replaceAll("\u00a0", " ")).toContain("vigie refuse cette configuration");
      expect(refused.out.replaceAll("\u00a0", " ")).toContain(more);
      const elsewhere = await run([...sources(), "--broker", open.url, "--yes"], {
        VIGIE_OFFICIAL_SOURCE: `http://${NOBODY}`,
      });
      expect(elsewhere.code).toBe(1);
      expect(elsewhere.out).toContain("RTE n’a pas répondu comme il faut.");
      const doubtful = await run([...sources(), "--broker", open.url, "--username", "vigie", "--yes"]);
      expect(doubtful.code).toBe(0);
      expect(doubtful.out.replaceAll("\u00a0", " ")).toContain(
        `vigie fait une remarque sur cette configuration.\n${more}`,
      );
      for (const { out, err } of [refused, elsewhere, doubtful]) expectFrench(out + err);
    });
  },
);
