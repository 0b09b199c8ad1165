import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { type BlueprintHome, blueprintHome, expectMessages, type Inputs } from "./blueprints.ts";
import { expectNoComplaints } from "./complaints.ts";
import { fact, type PublishedDevice, publishDevice } from "./handwritten-device.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { pause } from "./states.ts";

const VIGIE = "evening_vigie";
const DATE = `sensor.${VIGIE}_next_rouge_date`;
const STAGE = `sensor.${VIGIE}_tomorrow_stage`;

describe.skipIf(withoutHomeAssistant)(`the evening's blueprints ${withoutHomeAssistant}`, () => {
  let shared: BlueprintHome;
  let vigie: PublishedDevice;
  let mark: number;
  let from: number;
  let automations = 0;

  beforeAll(async () => {
    shared = await blueprintHome();
    mark = await shared.home.mark();
    vigie = await publishDevice(
      shared.observer,
      VIGIE,
      Object.fromEntries([
        fact(VIGIE, "sensor", "next_rouge/date", "dated", { device_class: "date" }),
        fact(VIGIE, "sensor", "next_rouge/confidence", "dated", { unit_of_measurement: "%" }),
        fact(VIGIE, "sensor", "tomorrow/stage", "moment", {
          device_class: "enum",
          options: ["forecast", "announced", "final"],
        }),
        fact(VIGIE, "sensor", "tomorrow/date", "moment", { device_class: "date" }),
      ]),
    );
  });
  beforeEach(async () => {
    await shared.use({});
    await vigie.publishValue("availability", "online");
    await vigie.publishValue("next_rouge/date", "None");
    await vigie.publishValue("next_rouge/confidence", "None");
    await vigie.publishValue("tomorrow/date", await civil(1));
    await vigie.publishValue("tomorrow/stage", "final");
    await shared.home.until({ [DATE]: "unknown", [STAGE]: "final" });
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
  const expectSent = (...wanted: string[]) => expectMessages(shared, ["told", from], wanted);

  const untilTold = () => {
    const { observer } = shared;
    return observer.until(
      ({ received }) => received.slice(from).some(({ topic }) => topic === "told"),
      "it was told",
    );
  };

  /** An automation that was never there before, and tells the broker what it tells. */
  const use = async (blueprint: string, inputs: Inputs) => {
    automations += 1;
    const tell = [{ action: "mqtt.publish", data: { topic: "told", payload: "{{ message }}" } }];
    await shared.use({ [`evening_${automations}`]: [blueprint, { ...inputs, tell }] });
  };
  const useMessage = async (at: string) =>
    use("evening-message", {
      at,
      date_entity: DATE,
      confidence_entity: `sensor.${VIGIE}_next_rouge_confidence`,
    });
  const useAlarm = async (at: string, patience: number) =>
    use("announcement-alarm", {
      at,
      patience,
      stage_entity: STAGE,
      date_entity: `sensor.${VIGIE}_tomorrow_date`,
    });

  const comes = async (days: number, confidence: string) => {
    await vigie.publishValue("next_rouge/confidence", confidence);
    await vigie.publishValue("next_rouge/date", await civil(days));
    await shared.home.until({ [DATE]: await civil(days) });
  };

  test("the message about a rouge day is sent once, at the configured time, also when Home Assistant restarts", async () => {
    await comes(1, "100");
    await useMessage(await wall(15));
    await expectSent();
    await untilTold();
    const wanted = `${await civil(1)}: rouge from 06:00 on.`;
    await expectSent(wanted);
    await shared.home.restart();
    await shared.home.until({ [DATE]: await civil(1) });
    for (const confidence of ["None", "100"]) await vigie.publishValue("next_rouge/confidence", confidence);
    await pause(4_000);
    await expectSent(wanted);
    await expectNoComplaints(shared.home, mark);
  });

  test("for a day that becomes known later, or while Home Assistant was down, the message is sent then, also with vigie down", async () => {
    const tomorrow = await civil(1);
    await useMessage(await wall(-60));
    await vigie.publishValue("availability", "offline");
    await expectSent();
    await shared.home.restart(async () => {
      await vigie.publishValue("next_rouge/confidence", "85");
      await vigie.publishValue("next_rouge/date", tomorrow);
    });
    await untilTold();
    await expectSent(`${tomorrow}: rouge from 06:00 on (forecast, 85 %).`);
  });

  test("no message is sent for a forecast with too little confidence, nor for a later day", async () => {
    await useMessage(await wall(-60));
    await comes(1, "75");
    await pause(4_000);
    await comes(2, "100");
    await pause(4_000);
    await expectSent();
  });

  test("an alarm comes once where tomorrow is not final from its time on, and none where it is", async () => {
    await useAlarm(await wall(2), SHORT);
    await pause(3_000);
    await expectSent();
    await vigie.publishValue("tomorrow/stage", "announced");
    await untilTold();
    await expectSent("Tomorrow's colour is not final (announced).");
    await shared.home.restart();
    await shared.home.until({ [STAGE]: "announced" });
    await vigie.publishValue("tomorrow/stage", "forecast");
    await pause(5_000);
    await expectSent("Tomorrow's colour is not final (announced).");
    await expectNoComplaints(shared.home, mark);
  });

  test("a restart and a short absence of vigie cause no alarm, a longer absence does", async () => {
    await useAlarm(await wall(-60), SHORT);
    await shared.home.restart();
    await shared.home.until({ [STAGE]: "final" });
    for (const silence of ["offline", "online"]) await vigie.publishValue("availability", silence);
    for (const stage of ["None", "final"]) await vigie.publishValue("tomorrow/stage", stage);
    await shared.home.until({ [STAGE]: "final" });
    await pause(5_000);
    await expectSent();
    await vigie.publishValue("availability", "offline");
    await untilTold();
    await expectSent("vigie says nothing of tomorrow.");
  });

  test("what is final of another day is not tomorrow's", async () => {
    await useAlarm(await wall(-60), SHORT);
    await vigie.publishValue("tomorrow/date", await civil(0));
    await untilTold();
    await expectSent("vigie says nothing of tomorrow.");
  });
});

/** In minutes. */
const SHORT = 0.06;
