import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Blueprint,
  type BlueprintHome,
  blueprintHome,
  expectMessages,
  type Inputs,
  type Language,
} from "./blueprints.ts";
import { expectNoComplaints } from "./complaints.ts";
import { fact, forecastFact, type PublishedDevice, publishDevice } from "./handwritten-device.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { pause } from "./states.ts";

const VIGIE = "evening_vigie";
const FORECAST = `sensor.${VIGIE}_forecast`;
const COLOR = `sensor.${VIGIE}_tomorrow_color`;
const STAGE = `sensor.${VIGIE}_tomorrow_stage`;

describe.skipIf(withoutHomeAssistant)(`the evening's blueprints ${withoutHomeAssistant}`, () => {
  let shared: BlueprintHome;
  let vigie: PublishedDevice;
  let mark: number;
  let from: number;
  let automations = 0;
  let updates = 0;

  beforeAll(async () => {
    shared = await blueprintHome();
    mark = await shared.home.mark();
    vigie = await publishDevice(
      shared.observer,
      VIGIE,
      Object.fromEntries([
        forecastFact(VIGIE),
        fact(VIGIE, "sensor", "tomorrow/stage", "moment", {
          device_class: "enum",
          options: ["forecast", "announced", "final"],
        }),
        fact(VIGIE, "sensor", "tomorrow/color", "moment", { json_attributes_topic: `${VIGIE}/tomorrow` }),
      ]),
    );
  });
  beforeEach(async () => {
    await shared.use({});
    await shared.setLocalTime("19:01:00");
    await vigie.publishValue("availability", "online");
    await say();
    await sayTomorrow(1, "final");
    await shared.home.until({ [STAGE]: "final", [COLOR]: "bleu" });
    from = shared.observer.received.length;
  });
  afterAll(async () => {
    if (!shared) return;
    await shared.use({});
    await vigie.clear();
  });

  /** The date so many days from now, where this Home Assistant is. */
  const civil = (days: number) =>
    shared.render(`{{ (now() + timedelta(days=${days})).strftime('%Y-%m-%d') }}`);
  /** The time of the day so many seconds from now. */
  const wall = (seconds: number) =>
    shared.render(`{{ (now() + timedelta(seconds=${seconds})).strftime('%H:%M:%S') }}`);
  const expectSent = (...wanted: RegExp[]) =>
    expectMessages(
      shared,
      ["told", from],
      wanted.map((words) => expect.stringMatching(words)),
    );

  const untilTold = () => {
    const { observer } = shared;
    return observer.until(
      ({ received }) => received.slice(from).some(({ topic }) => topic === "told"),
      "it was told",
    );
  };

  /** vigie knows these days, so many days from now, and no other. */
  const say = async (...days: Days) => {
    const { updated_at, publish } = await forecast(...days);
    await publish();
    await shared.home.until({ [FORECAST]: ({ attributes }) => attributes["updated_at"] === updated_at });
  };
  type Days = [days: number, color: string, confidence?: number][];
  const forecast = async (...known: Days) => {
    updates += 1;
    const updated_at = new Date(Date.now() + updates * 1000).toISOString();
    const days = known.map(async ([ahead, color, confidence = 100]) => {
      return { date: await civil(ahead), color, confidence, official: confidence === 100 };
    });
    const payload = JSON.stringify({ updated_at, days: await Promise.all(days) });
    return { updated_at, publish: () => vigie.publishValue("forecast", payload) };
  };
  /** What vigie calls tomorrow is the day so many days from now. */
  const sayTomorrow = async (days: number, stage: string) => {
    await vigie.publishValue("tomorrow", JSON.stringify({ date: await civil(days), color: "bleu", stage }));
    await vigie.publishValue("tomorrow/color", "bleu");
    await vigie.publishValue("tomorrow/stage", stage);
  };

  /** An automation that was never there before, and tells the broker what it tells. */
  const use = async (edition: `${Language}/${Blueprint}`, inputs: Inputs) => {
    automations += 1;
    const payload = "{{ now().strftime('%H:%M:%S') }} {{ message }}";
    const tell = [{ action: "mqtt.publish", data: { topic: "told", payload } }];
    await shared.use({ [`evening_${automations}`]: [edition, { ...inputs, tell }] });
  };
  const useMessage = (language: Language, inputs: Inputs = {}) =>
    use(`${language}/evening-message`, { forecast_entity: FORECAST, ...inputs });
  const useAlarm = (language: Language, at: string, patience: number, stage_entity = STAGE) =>
    use(`${language}/announcement-alarm`, { at, patience, stage_entity, color_entity: COLOR });

  test("the message about a rouge day is sent once, as soon as it cannot be corrected any more", async () => {
    await shared.setLocalTime("11:57:00");
    await say([0, "bleu"], [1, "rouge"]);
    await shared.loadBefore("12:00:00", () => useMessage("en"));
    await expectSent();
    await untilTold();
    const wanted = [/^12:00:0\d Tomorrow, .*, is rouge: the peak hours are from 06:00 to 22:00\.$/];
    await expectSent(...wanted);
    await shared.home.restart();
    await say([0, "bleu"], [1, "rouge"], [2, "rouge"]);
    await say([0, "bleu"], [1, "bleu"]);
    await expectSent(...wanted);
    await expectNoComplaints(shared.home, mark);
  });

  test("in the quiet hours it waits until they end, also when Home Assistant restarts and vigie is dead", async () => {
    await shared.setLocalTime("22:31:00");
    await useMessage("fr", { quiet_end: "07:02:00" });
    await say([0, "bleu"], [1, "rouge"]);
    await vigie.publishValue("availability", "offline");
    await shared.home.mark();
    await expectSent();
    await shared.restartAt("07:01:48");
    await untilTold();
    const wanted = /^07:0[2-9]:\d\d Aujourd'hui, .*, est un jour rouge : heures pleines de 6 h à 22 h\.$/;
    await expectSent(wanted);
    await expectNoComplaints(shared.home, mark);
  });

  test("what was corrected in the quiet hours is not sent at their end", async () => {
    await shared.setLocalTime("22:31:00");
    await useMessage("en");
    await say([1, "rouge"]);
    await say([1, "bleu"]);
    await shared.setLocalTime("07:31:00");
    await say([0, "bleu"]);
    await shared.home.mark();
    await expectSent();
    await say([0, "rouge"]);
    await untilTold();
    await expectSent(/Today/);
  });

  test("each of two rouge days in a row has its message", async () => {
    const times = { at: "19:32:00", quiet_begin: "00:00:00", quiet_end: "00:00:00" };
    await shared.loadBefore("19:32:00", async () => {
      await useMessage("fr", times);
      from = shared.observer.received.length;
      await say([0, "rouge"], [1, "rouge"]);
      await untilTold();
    });
    await expectSent(/^19:31:.* Aujourd'hui/, /^19:32:.* Demain/);
  });

  test("for a day that becomes known later, or while Home Assistant was down, the message is sent then, also with vigie dead", async () => {
    await useMessage("en");
    await vigie.publishValue("availability", "offline");
    await expectSent();
    const { publish } = await forecast([1, "rouge"]);
    await shared.home.restart(publish);
    await untilTold();
    await expectSent(/Tomorrow/);
  });

  test("a forecast is told from the confidence on that its owner chooses, as a forecast, and no later day is", async () => {
    await useMessage("fr");
    await say([1, "rouge", 95]);
    await say([1, "rouge", 75], [2, "rouge"]);
    await useMessage("fr", { confidence: 80 });
    await say([1, "rouge", 76], [2, "rouge"]);
    await shared.home.mark();
    await expectSent();
    await say([1, "rouge", 85]);
    await untilTold();
    await expectSent(/ Demain, .* \(Prévision, 85 %\.\)$/);
  });

  test("an alarm comes once where tomorrow is not final from its time on, and none where it is", async () => {
    await useAlarm("en", await wall(2), SHORT);
    await pause(3_000);
    await expectSent();
    await vigie.publishValue("tomorrow/stage", "announced");
    await untilTold();
    await expectSent(/Tomorrow's colour is announced, but/);
    await shared.home.restart();
    await shared.home.until({ [STAGE]: "announced" });
    await vigie.publishValue("tomorrow/stage", "forecast");
    await pause(5_000);
    await expectSent(/Tomorrow's colour is announced, but/);
    await expectNoComplaints(shared.home, mark);
  });

  test("a restart and a short absence of vigie cause no alarm, a longer absence does", async () => {
    await useAlarm("fr", await wall(-60), SHORT);
    await shared.home.restart();
    await shared.home.until({ [STAGE]: "final" });
    for (const silence of ["offline", "online"]) await vigie.publishValue("availability", silence);
    for (const stage of ["None", "final"]) await vigie.publishValue("tomorrow/stage", stage);
    await shared.home.until({ [STAGE]: "final" });
    await pause(5_000);
    await expectSent();
    await vigie.publishValue("availability", "offline");
    await untilTold();
    await expectSent(/vigie ne dit rien de demain\.$/);
  });

  test("what is final of another day is not tomorrow's, and an entity that does not exist says nothing", async () => {
    await useAlarm("en", await wall(-60), SHORT);
    await sayTomorrow(0, "final");
    await vigie.publishValue("tomorrow/color", "None");
    await untilTold();
    await expectSent(/vigie says nothing of tomorrow\.$/);
    from = shared.observer.received.length;
    await useAlarm("fr", await wall(-60), SHORT, "sensor.renamed");
    await pause(4_000);
    await vigie.publishValue("tomorrow/color", "bleu");
    await untilTold();
    await expectSent(/vigie ne dit rien de demain\.$/);
  });
});

/** In minutes. */
const SHORT = 0.06;
