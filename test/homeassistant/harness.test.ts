import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bleuDaysWith } from "../support/bleu-days.ts";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { createCleanup } from "../support/vigie.ts";
import { complaints, expectNoComplaints } from "./complaints.ts";
import { fact, type PublishedDevice, publishDevice } from "./handwritten-device.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { type SharedHome, sharedHome } from "./shared-home.ts";
import { startInHomeAssistant } from "./vigie-in-home-assistant.ts";

const HAND = "hand";
const COLOR = "sensor.hand_now_color";
const NEXT_ON = "sensor.hand_rules_rouge_peak_next_on";
const ENABLED = "switch.hand_rules_rouge_peak_enabled";

const reason = withoutHomeAssistant || withoutFakeTime;

describe.skipIf(reason)(`a device announced by hand, and a vigie beside it ${reason}`, () => {
  const cleanup = createCleanup();
  let shared: SharedHome;
  let device: PublishedDevice;
  let mark: number;

  beforeAll(async () => {
    shared = await sharedHome();
    mark = await shared.home.mark();
    device = await publishDevice(shared.observer, HAND, {
      ...Object.fromEntries([
        fact(HAND, "sensor", "now/color", "moment", {
          device_class: "enum",
          options: ["bleu", "blanc", "rouge"],
        }),
        fact(HAND, "sensor", "rules/rouge_peak/next_on", "dated", { device_class: "timestamp" }),
      ]),
      rules_rouge_peak_enabled: {
        platform: "switch",
        name: "enabled",
        state_topic: "hand/rules/rouge_peak/enabled",
        command_topic: "hand/rules/rouge_peak/enabled/set",
      },
    });
    await device.publishValue("availability", "online");
    await device.publishValue("now/color", "rouge");
    await device.publishValue("rules/rouge_peak/next_on", "2026-01-05T04:55:00Z");
    await device.publishValue("rules/rouge_peak/enabled", "ON");
    await shared.home.until({ [COLOR]: "rouge", [NEXT_ON]: "2026-01-05T04:55:00+00:00", [ENABLED]: "on" });
  });
  afterAll(async () => {
    await cleanup.run();
    const left = [...(shared?.observer.retained.keys() ?? [])];
    expect(left.filter((topic) => topic.startsWith("attic/"))).toEqual([]);
  });

  test("its entities have the ids it asked for, on one device", async () => {
    const entries = (await shared.home.registry()).filter(({ unique_id }) =>
      String(unique_id).startsWith(`${HAND}_`),
    );
    expect(entries.map(({ entity_id }) => entity_id).sort()).toEqual([COLOR, NEXT_ON, ENABLED].sort());
    const devices = (await shared.home.devices()).filter(({ name }) => name === HAND);
    expect(new Set(entries.map(({ device_id }) => device_id))).toEqual(new Set(devices.map(({ id }) => id)));
    await expectNoComplaints(shared.home, mark);
  });

  test("None is unknown, and only what has an availability becomes unavailable", async () => {
    await device.publishValue("now/color", "None");
    await shared.home.until({ [COLOR]: "unknown" });
    await device.publishValue("availability", "offline");
    await shared.home.until({ [COLOR]: "unavailable", [NEXT_ON]: "2026-01-05T04:55:00+00:00" });
    await device.publishValue("availability", "online");
    await shared.home.until({ [COLOR]: "unknown" });
    await expectNoComplaints(shared.home, mark);
  });

  test("a switch that is pressed in Home Assistant is a command on the broker", async () => {
    const { home, observer } = shared;
    await home.call("switch", "turn_off", { entity_id: ENABLED });
    const isCommand = ({ topic, payload, retain }: (typeof observer.received)[number]) =>
      topic === "hand/rules/rouge_peak/enabled/set" && payload === "OFF" && !retain;
    await observer.until(({ received }) => received.some(isCommand), "the command came");
  });

  test("what was said while Home Assistant was away counts when it is back", async () => {
    const since = await shared.home.mark();
    await shared.home.restart(() => device.publishValue("now/color", "blanc"));
    await shared.home.until({ [COLOR]: "blanc", [NEXT_ON]: "2026-01-05T04:55:00+00:00" });
    await expectNoComplaints(shared.home, since);
  });

  test("a vigie on the same broker causes no complaint, also when its service is down", async () => {
    const days = bleuDaysWith("2025-09-01", "2026-02-01", { "2026-01-05": "rouge" } as const);
    const time = startFakeTime("2026-01-05T08:00:00Z", 60);
    const simulator = await startFaultyService({
      port: 0,
      seed: 1,
      clock: time.clock,
      sendDate: false,
      days,
    });
    cleanup.add(simulator.stop);
    const { home, running } = await startInHomeAssistant(cleanup, "attic", { service: simulator.url, time });
    const since = await home.mark();
    await running.until({ availability: "online", "now/color": "rouge" });
    simulator.faults.set(["down"]);
    await running.until({ "service/status": "degraded" });
    await expectNoComplaints(home, since);
  });

  test("a value that is not one of the options counts as a complaint", async () => {
    const since = await shared.home.mark();
    await device.publishValue("now/color", "green");
    await expect
      .poll(() => complaints(shared.home, since))
      .toEqual([expect.stringContaining("Ignoring invalid option received on topic 'hand/now/color'")]);
  });

  test("after a device is cleared in order, no entity, device or complaint remains", async () => {
    const since = await shared.home.mark();
    await device.clear();
    await shared.home.until({ [COLOR]: null, [NEXT_ON]: null, [ENABLED]: null });
    const devices = await shared.home.devices();
    expect(devices.filter(({ name }) => name === HAND)).toEqual([]);
    await expectNoComplaints(shared.home, since);
  });
});
