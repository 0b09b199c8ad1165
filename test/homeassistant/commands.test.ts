import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCleanup } from "../support/vigie.ts";
import { type Guest, openGuest } from "./guest.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { judge } from "./judge.ts";

describe.skipIf(withoutHomeAssistant)(
  `what is asked of vigie in Home Assistant ${withoutHomeAssistant}`,
  () => {
    const cleanup = createCleanup();
    let guest: Guest;
    let mark: number;

    beforeAll(async () => {
      guest = await openGuest(cleanup, "asked");
      mark = await guest.home.mark();
    });
    afterAll(cleanup.run);

    test("a rule is switched off and on", async () => {
      const entity_id = "switch.asked_rules_rouge_ahead_enabled";
      await guest.home.call("switch", "turn_off", { entity_id });
      await guest.home.until({ [entity_id]: "off", "binary_sensor.asked_rules_rouge_ahead_state": "off" });
      expect(guest.observer.retained.get("asked/rules/rouge_ahead/enabled")).toBe("OFF");
      await guest.home.call("switch", "turn_on", { entity_id });
      await guest.home.until({ [entity_id]: "on" });
    });

    test("a threshold is moved", async () => {
      const entity_id = "number.asked_rules_week_threshold";
      await guest.home.call("number", "set_value", { entity_id, value: 85 });
      await guest.home.until({ [entity_id]: "85" });
      expect(guest.observer.retained.get("asked/rules/week/threshold")).toBe("85");
    });

    test("a colour is pretended, with all that follows, and given up", async () => {
      const entity_id = "select.asked_simulation_color";
      await guest.home.call("select", "select_option", { entity_id, option: "rouge" });
      await guest.home.until({
        [entity_id]: "rouge",
        "sensor.asked_now_color": "rouge",
        "binary_sensor.asked_rouge_now": "on",
        "binary_sensor.asked_rules_rouge_ahead_state": "on",
        "sensor.asked_simulation_until": /^20/,
      });
      expect((await guest.home.state("sensor.asked_now_color"))?.attributes["source"]).toBe("simulation");
      await guest.home.call("select", "select_option", { entity_id, option: "auto" });
      await guest.home.until({ [entity_id]: "auto", "sensor.asked_simulation_until": "unknown" });
    });

    test("a turn of a rule is an event, and the service is asked again at a press", async () => {
      const before = (await guest.home.state("event.asked_event"))?.state;
      const entity_id = "select.asked_simulation_color";
      await guest.home.call("select", "select_option", { entity_id, option: "rouge" });
      await guest.home.until({
        "event.asked_event": (state) =>
          state.state !== before && state.attributes["event_type"] === "rule_on",
      });
      await guest.home.call("select", "select_option", { entity_id, option: "auto" });
      await guest.home.until({
        "event.asked_event": (state) => state.attributes["event_type"] === "rule_off",
      });
      const from = guest.vigie().lines.length;
      await guest.home.call("button", "press", { entity_id: "button.asked_refresh" });
      const isPress = ({ topic, payload }: { topic: string; payload: string }) =>
        topic === "asked/refresh/set" && payload === "PRESS";
      await guest.observer.until(({ seen }) => seen.some(isPress), "the press arrived");
      await guest.vigie().says(/^refresh\/set: vigie asks the service/, from);
      await judge(guest.home, mark);
    });

    test("a command that is given while vigie restarts is obeyed when it is back", async () => {
      const entity_id = "number.asked_rules_week_threshold";
      await guest.restart("SIGTERM", () => guest.home.call("number", "set_value", { entity_id, value: 40 }));
      await guest.home.until({ [entity_id]: "40" });
      await judge(guest.home, mark);
    });
  },
);
