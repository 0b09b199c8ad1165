import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCleanup } from "../support/vigie.ts";
import { expectNoComplaints } from "./complaints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { RULES, startInHomeAssistant, type VigieInHomeAssistant } from "./vigie-in-home-assistant.ts";

const OUTPUT = "sensor.contrary_outputs_relay_state";

describe.skipIf(withoutHomeAssistant)(
  `a device that changes its mind in Home Assistant ${withoutHomeAssistant}`,
  () => {
    const cleanup = createCleanup();
    let connected: VigieInHomeAssistant;
    let mark: number;

    beforeAll(async () => {
      connected = await startInHomeAssistant(cleanup, "contrary", {
        rules: [...RULES, { id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } }],
        outputs: [
          {
            id: "relay",
            topic: "contrary_relay/set",
            choose: [{ when: "always", payload: "off" }],
            confirm: {
              topic: "contrary_relay",
              every: "10s",
              online: { topic: "contrary_relay/online", equals: "true" },
            },
          },
        ],
      });
      mark = await connected.home.mark();
    });
    afterAll(cleanup.run);

    test("is shown as contrary, with what it said last, when, and how often it was told; and since when it is away", async () => {
      await connected.observer.until(
        ({ received }) => received.some(({ topic }) => topic === "contrary_relay/set"),
        "the relay was told",
      );
      await connected.observer.publish("contrary_relay", "off", false);
      await connected.home.until({ [OUTPUT]: "confirmed" });
      await connected.observer.publish("contrary_relay", "on", false);
      await connected.home.until({ [OUTPUT]: "contrary" });
      await connected.home.until({ [OUTPUT]: ({ attributes }) => attributes["last_answer"] === "on" });
      const { attributes } = (await connected.entities()).get(OUTPUT) ?? { attributes: {} };
      expect(attributes).toMatchObject({
        payload: "off",
        tries: expect.any(Number),
        last_answer: "on",
        answered_at: expect.stringMatching(/^20\d\d-/),
      });
      await connected.observer.publish("contrary_relay", "off", false);
      await connected.home.until({ [OUTPUT]: "confirmed" });
      await connected.observer.publish("contrary_relay/online", "false", false);
      await connected.home.until({ [OUTPUT]: "sent" });
      const awaySince = ({ attributes }: { attributes: Record<string, unknown> }) => attributes["away_since"];
      await connected.home.until({ [OUTPUT]: (entity) => /^20\d\d-/.test(String(awaySince(entity))) });
      await connected.observer.publish("contrary_relay/online", "true", false);
      await connected.observer.publish("contrary_relay", "off", false);
      await connected.home.until({ [OUTPUT]: (entity) => awaySince(entity) === null });
      await expectNoComplaints(connected.home, mark);
    });
  },
);
