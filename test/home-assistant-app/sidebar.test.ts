import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Container } from "../docker/container.ts";
import { expectNoComplaints } from "../homeassistant/complaints.ts";
import { startHomeAssistant, withoutHomeAssistant } from "../homeassistant/home-assistant.ts";
import { OBSERVER, type watchGuardedBroker } from "../support/app-vigie.ts";
import { HAS_CHROMIUM, openBrowser } from "../support/browser.ts";
import { lacking } from "../support/prepared.ts";
import { createCleanup } from "../support/vigie.ts";
import { checkOptions, type House, openHouse, withoutCheck, withoutImage } from "./house.ts";
import { type Ingress, startIngress } from "./ingress.ts";

const APP = new URL("../../dist/app", import.meta.url).pathname;
const withoutChromium = lacking(HAS_CHROMIUM, "(chromium is not installed: apt-get install chromium)");

/** Whoever has filled in what is needed for a boiler, and nothing else. */
const BOILER = { use: "boiler", kind: "shelly_gen1", place: "shellies/boiler" };

describe.skipIf(withoutImage)(`the app in a house, from its form to the sidebar ${withoutImage}`, () => {
  const cleanup = createCleanup();
  let house: House;
  let app: Container;
  let topics: Awaited<ReturnType<typeof watchGuardedBroker>>;

  beforeAll(async () => {
    house = await openHouse(cleanup);
    const broker = await house.startBroker();
    // As the Supervisor hands it over, with the defaults of the form, where it is there.
    const rules = [{ id: "rouge_peak", colors: "rouge", day: "now", hours: "peak", lead_minutes: 5 }];
    const filled = {
      language: "fr",
      official_colors: true,
      service_address: "",
      rules,
      outputs: [BOILER],
      rates: [],
    };
    const { given, said } = withoutCheck ? { said: "" } : await checkOptions(APP, filled);
    expect(said).toBe("");
    await house.writeOptions(given ?? filled);
    app = await house.start();
    topics = await house.watch(broker, app);
    await topics.until({ availability: "online", "now/color": /bleu|blanc|rouge/ });
  });
  afterAll(cleanup.run);

  /** As a rouge day in its peak hours, whatever the time is. */
  const pretend = async (color: string) => {
    await topics.observer.publish("vigie/simulation/set", color, false);
    await topics.until({ "now/color": color === "auto" ? /bleu|blanc|rouge/ : color });
  };

  describe.skipIf(withoutChromium)(`in a browser ${withoutChromium}`, () => {
    let browser: Browser;
    let ingress: Ingress;
    let page: Page;
    const asked: string[] = [];
    const complaints: string[] = [];

    beforeAll(async () => {
      ingress = await startIngress();
      browser = await openBrowser();
      page = await browser.newPage();
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
    });
    afterAll(async () => {
      await browser?.close();
      await ingress?.stop();
    });
    const frame = () => page.frameLocator("iframe");

    test("the page stands in Home Assistant's own, in French, whatever name Home Assistant is called by", async () => {
      await page.goto(ingress.panel("my-house.localhost"));
      await frame().locator(".panel.now h1").waitFor();
      expect(await frame().locator("html").getAttribute("lang")).toBe("fr");
      expect(await frame().locator(".part h2").first().textContent()).toBe("La semaine");
      // Letters beyond ASCII, though the way drops the charset.
      expect(await frame().locator("body").textContent()).toContain("Ballon d'eau chaude");
      expect(await frame().locator("body").textContent()).toContain("à venir");
      const [, inner] = page.frames();
      expect(await inner?.evaluate("getComputedStyle(document.body).fontSize")).toBe("16px");
    });

    test("it is live, and what has not changed is not sent again", async () => {
      await page.waitForResponse((response) => response.status() === 304);
      await pretend("rouge");
      await frame().locator(".panel.now h1", { hasText: "rouge" }).waitFor();
      await pretend("auto");
      await frame().locator(".panel.now:not(.rouge) h1").waitFor();
    });

    test("every request goes through Home Assistant, which names who asks; nothing is complained of", async () => {
      const origin = new URL(ingress.panel("my-house.localhost")).origin;
      expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))).toEqual([]);
      expect(ingress.passed.length).toBeGreaterThan(3);
      expect(ingress.passed[0]).toMatchObject({
        host: new URL(origin).host,
        "X-Ingress-Path": expect.stringMatching(/^\/api\/hassio_ingress\//),
        "X-Remote-User-Name": "anna",
      });
      expect(complaints).toEqual([]);
    });

    test("while the app is stopped the page says that it is out of date, and goes on by itself afterwards", async () => {
      await app.end();
      await frame().locator("#stale:not([hidden])", { hasText: "Sans nouvelles de vigie" }).waitFor();
      app = await house.start();
      await frame().locator("#stale[hidden]").waitFor({ state: "attached" });
      complaints.length = 0;
    });

    test("a form that is wrong is explained there, beside what goes on", async () => {
      await app.end();
      await house.writeOptions({ language: "fr", outputs: [{ ...BOILER, kind: "fritz" }] });
      app = await house.start();
      await app.says(
        /^Configuration: Appareils 1, Type d’appareil\u00a0: attendu un de ces mots \(shelly_gen1/,
      );
      await frame().locator(".nothing-in-force h1", { hasText: "vigie ne fonctionne pas encore" }).waitFor();
      await frame().locator(".problems li", { hasText: "Appareils 1, Type d’appareil" }).waitFor();
      await app.end();
      await house.writeOptions({ language: "en", outputs: [BOILER] });
      app = await house.start();
      // The page that was open becomes the page of what is in force now.
      await frame().locator(".panel.now h1").waitFor();
      await page.reload();
      await frame().locator("h2", { hasText: "The week" }).waitFor();
      expect(complaints.filter((words) => !/502|status/.test(words))).toEqual([]);
    });
  });

  test.skipIf(withoutHomeAssistant)(
    `a real Home Assistant sees the entities, and a boiler that obeys ${withoutHomeAssistant}`,
    async () => {
      const home = await startHomeAssistant({
        broker: 1883,
        user: { username: "homeassistant", password: OBSERVER },
      });
      cleanup.add(home.remove);
      await app.end();
      const rule = { id: "rouge", colors: "rouge", day: "now" };
      await house.writeOptions({ language: "en", rules: [rule], outputs: [{ ...BOILER, rule: "rouge" }] });
      app = await house.start();
      const [told, reports] = ["shellies/boiler/relay/0/command", "shellies/boiler/relay/0"];
      const obeying = setInterval(() => {
        const last = topics.observer.received.findLast(({ topic }) => topic === told)?.payload ?? "on";
        void topics.observer.publish(reports, last, false);
      }, 200);
      cleanup.add(async () => clearInterval(obeying));
      const mark = await home.mark();
      await home.until({
        "sensor.vigie_now_color": /bleu|blanc|rouge/,
        "binary_sensor.vigie_rules_rouge_state": /on|off|unknown/,
        "sensor.vigie_outputs_boiler_state": /./,
      });
      const devices = await home.devices();
      expect(devices.filter(({ name }) => name === "Vigie")).toHaveLength(1);
      // Somebody presses it there.
      await home.call("select", "select_option", {
        entity_id: "select.vigie_simulation_color",
        option: "rouge",
      });
      await home.until({
        "sensor.vigie_now_color": "rouge",
        "binary_sensor.vigie_rules_rouge_state": "on",
        "sensor.vigie_outputs_boiler_state": "confirmed",
      });
      expect(topics.observer.received.findLast(({ topic }) => topic === told)?.payload).toBe("off");
      clearInterval(obeying);
      await expectNoComplaints(home, mark);
    },
  );
});
