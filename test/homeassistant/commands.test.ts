import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveBleuDays } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";
import { expectNoComplaints } from "./complaints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { startInHomeAssistant, type VigieInHomeAssistant } from "./vigie-in-home-assistant.ts";

describe.skipIf(withoutHomeAssistant)(
  `what is asked of vigie in Home Assistant ${withoutHomeAssistant}`,
  () => {
    const cleanup = createCleanup();
    let connected: VigieInHomeAssistant;
    let mark: number;

    beforeAll(async () => {
      // No day of it is rouge, so that a rule turns when one is pretended.
      connected = await startInHomeAssistant(cleanup, "asked", { service: await serveBleuDays(cleanup) });
      mark = await connected.home.mark();
    });
    afterAll(cleanup.run);

    test("a rule is switched off and on", async () => {
      const entity_id = "switch.asked_rules_rouge_ahead_enabled";
      await connected.home.call("switch", "turn_off", { entity_id });
      await connected.home.until({
        [entity_id]: "off",
        "binary_sensor.asked_rules_rouge_ahead_state": "off",
      });
      expect(connected.observer.retained.get("asked/rules/rouge_ahead/enabled")).toBe("OFF");
      await connected.home.call("switch", "turn_on", { entity_id });
      await connected.home.until({ [entity_id]: "on" });
    });

    test("a threshold is moved", async () => {
      const entity_id = "number.asked_rules_week_threshold";
      await connected.home.call("number", "set_value", { entity_id, value: 85 });
      await connected.home.until({ [entity_id]: "85" });
      expect(connected.observer.retained.get("asked/rules/week/threshold")).toBe("85");
    });

    test("a colour is pretended, with all that follows, and given up", async () => {
      const entity_id = "select.asked_simulation_color";
      await connected.home.call("select", "select_option", { entity_id, option: "rouge" });
      await connected.home.until({
        [entity_id]: "rouge",
        "sensor.asked_now_color": "rouge",
        "binary_sensor.asked_rouge_now": "on",
        "binary_sensor.asked_rules_rouge_ahead_state": "on",
        "sensor.asked_simulation_until": /^20/,
      });
      expect((await connected.home.state("sensor.asked_now_color"))?.attributes["source"]).toBe("simulation");
      await connected.home.call("select", "select_option", { entity_id, option: "auto" });
      await connected.home.until({ [entity_id]: "auto", "sensor.asked_simulation_until": "unknown" });
    });

    test("a change of a rule is an event, and a press of the button polls the service", async () => {
      const before = (await connected.home.state("event.asked_event"))?.state;
      const entity_id = "select.asked_simulation_color";
      await connected.home.call("select", "select_option", { entity_id, option: "rouge" });
      await connected.home.until({
        "event.asked_event": (state) =>
          state.state !== before && state.attributes["event_type"] === "rule_on",
      });
      await connected.home.call("select", "select_option", { entity_id, option: "auto" });
      await connected.home.until({
        "event.asked_event": (state) => state.attributes["event_type"] === "rule_off",
      });
      const from = connected.vigie().lines.length;
      await connected.home.call("button", "press", { entity_id: "button.asked_refresh" });
      const isPress = ({ topic, payload }: { topic: string; payload: string }) =>
        topic === "asked/refresh/set" && payload === "PRESS";
      await connected.observer.until(({ received }) => received.some(isPress), "the press arrived");
      await connected.vigie().says(/^refresh\/set: vigie asks its sources/, from);
      await expectNoComplaints(connected.home, mark);
    });

    test("a command that is sent while vigie restarts is carried out afterwards", async () => {
      const entity_id = "number.asked_rules_week_threshold";
      await connected.restart("SIGTERM", () =>
        connected.home.call("number", "set_value", { entity_id, value: 40 }),
      );
      await connected.home.until({ [entity_id]: "40" });
      await expectNoComplaints(connected.home, mark);
    });
  },
);
