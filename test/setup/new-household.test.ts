import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { MQTT_DEVICES, startMqttRelay } from "../support/devices/mqtt-devices.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { ENTER, startAtTerminal, withoutTerminal } from "../support/terminal.ts";
import { watchTopicValues } from "../support/topic-values.ts";
import { createCleanup, runHere } from "../support/vigie.ts";

const missing = withoutMosquitto || withoutTerminal;

describe.skipIf(missing)(`a household that is new to vigie ${missing}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("has, after a first look and a set-up in French, a boiler that obeys and confirms on a pretended rouge day", async () => {
    // As after a clone, in whose folder `npm start` ran.
    const folder = await cleanup.createFolder();
    await cp(join(import.meta.dirname, "../../config"), join(folder, "config"), { recursive: true });
    // All hours are peak hours, whenever this test runs.
    const env = { VIGIE_CONFIG: "", VIGIE_TARIFF_OFF_PEAK: "[]", LANG: "fr_FR.UTF-8" };
    // The days of a first look are rouge at some dates: in its hours no device is switched off for that.
    const offPeak = { ...env, VIGIE_TARIFF_OFF_PEAK: '["00:00-24:00"]' };
    const look = await cleanup.startVigie({ folder, env: offPeak, here: true });
    await look.prints(/These days are INVENTED/);
    await look.end();

    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const device = MQTT_DEVICES["Shelly, first generation"];
    if (!device) throw new Error("Expected a device");
    const boiler = await startMqttRelay(device, broker.url);
    cleanup.add(boiler.disconnect);
    const rte = await serveBleuDays(cleanup);
    // The addresses of a test cannot be found, nor asked for: RTE has one only.
    const args = ["setup", "--official", rte, "--broker", broker.url];
    const terminal = await startAtTerminal({ folder, args, env });
    cleanup.add(async () => terminal.hangUp());
    await terminal.answer("Langue / Language", ENTER);
    await terminal.shows("config/vigie.yaml est encore le fichier livré avec vigie");
    await terminal.answer("D’où viennent les couleurs des jours ?", ENTER);
    await terminal.shows("aujourd’hui");
    await terminal.answer(
      "Un appareil à couper quand le courant est cher, ou un message sur le téléphone ?",
      ENTER,
    );
    await terminal.answer("shellies/shelly1pm-A4CF12F3C5D6 · Shelly, première génération", ENTER);
    await terminal.answer("Son nom, pour vous", ENTER);
    await terminal.shows("L’essayer maintenant ? vigie coupe l’appareil (off), puis le remet en marche (on)");
    terminal.press(ENTER);
    await terminal.shows("confirmé par shellies/shelly1pm-A4CF12F3C5D6/relay/0 : off");
    await terminal.shows("confirmé par shellies/shelly1pm-A4CF12F3C5D6/relay/0 : on");
    await terminal.answer("Encore un appareil, ou un message ?", ENTER);
    await terminal.answer("Écrire config/vigie.yaml ?", ENTER);
    await terminal.shows("L’ancien fichier est config/vigie.yaml.old.");
    await terminal.shows("Vérification : le broker et RTE répondent, 1 appareil.");
    await terminal.shows("npm start");
    await terminal.shows(
      "npx vigie simulate rouge\n      un jour rouge : les appareils sont coupés, mais aux heures pleines",
    );
    expect(await terminal.ended, terminal.screen()).toBe(0);

    const observer = await observe(broker.url, "vigie/#");
    cleanup.add(observer.disconnect);
    const vigie = await cleanup.startVigie({ folder, env, here: true });
    const { until } = watchTopicValues(observer, "vigie", vigie.output);
    await until({ availability: "online", "outputs/boiler/state": "nothing" });
    await runHere({ folder, env, args: ["simulate", "rouge"] });
    await until({ "rules/rouge_peak/state": "ON", "outputs/boiler/state": "confirmed" });
    expect(boiler.isOn()).toBe(false);
    await runHere({ folder, env, args: ["simulate", "auto"] });
    await until({ "outputs/boiler/payload": "on", "outputs/boiler/state": "confirmed" });
    expect(boiler.isOn()).toBe(true);
    expect(boiler.refused).toEqual([]);
    // The set-up switched it once, and the pretended day once.
    expect(boiler.told).toEqual(["off", "on", "off", "on"]);
  });
});
