import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDescription } from "../support/device-description.ts";
import { createCleanup } from "../support/vigie.ts";
import { expectNoComplaints } from "./complaints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { startInHomeAssistant, type VigieInHomeAssistant } from "./vigie-in-home-assistant.ts";

describe.skipIf(withoutHomeAssistant)(`a vigie that is gone ${withoutHomeAssistant}`, () => {
  const cleanup = createCleanup();
  let connected: VigieInHomeAssistant;
  let mark: number;

  beforeAll(async () => {
    connected = await startInHomeAssistant(cleanup, "away", { mqtt: { grace: "4s" } });
    mark = await connected.home.mark();
  });
  afterAll(cleanup.run);

  const unavailable = async () =>
    [...(await connected.entities())]
      .flatMap(([id, { state }]) => (state === "unavailable" ? [id] : []))
      .toSorted();

  test("is missed once the grace is over: what could become untrue is unavailable, and nothing else", async () => {
    const known = Object.values(testDescription({ instance: "away" }).components)
      .filter((component) => component["availability_topic"] && component["enabled_by_default"] !== false)
      .map((component) => String(component["default_entity_id"]))
      .filter((id) => !id.includes("_rules_rouge_peak_"));
    await connected.vigie().end("SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await unavailable()).toEqual([]);
    await expect.poll(unavailable).toEqual(expect.arrayContaining(known));
    const gone = await unavailable();
    expect(
      gone.filter((id) =>
        /_(next_change|next_rouge|season|prices|yesterday|next_on$|next_off$|forecast)/.test(id),
      ),
    ).toEqual([]);
    await expectNoComplaints(connected.home, mark);
  });

  test("is back at once, with everything", async () => {
    await connected.restart();
    await expect.poll(unavailable).toEqual([]);
    await expectNoComplaints(connected.home, mark);
  });
});
