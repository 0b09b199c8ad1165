import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { blocksOf, readPage, sectionOf, sectionsOf } from "../support/guide.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";
import { DOCUMENTED, startRelay } from "./device-programs.ts";

const PAGE = readPage("docs/devices.md");

test("docs/devices.md has no device without a program that behaves like it", () => {
  const titles = sectionsOf(PAGE).map(({ title }) => title);
  expect(titles.filter((title) => title !== "Another device")).toEqual(Object.keys(DOCUMENTED));
});

test.each(Object.keys(DOCUMENTED))(
  "docs/devices.md has an address of the documentation, and its version or date: %s",
  (title) => {
    const text = sectionOf(PAGE, title).replaceAll("\n", " ");
    expect(text).toMatch(/Follows .*\(https:\/\//);
    expect(text).toMatch(/version|since \d|as of \d{4}-\d\d-\d\d/);
  },
);

describe.skipIf(withoutMosquitto)(`the lines of docs/devices.md ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.each(Object.entries(DOCUMENTED))(
    "%s: is switched off and on, confirms, and is not believed when it disobeys",
    async (title, documented) => {
      const broker = await startMosquitto();
      cleanup.add(broker.remove);
      const relay = await startRelay(documented, broker.url);
      cleanup.add(relay.disconnect);
      const service = await startPlainService((path) => answerDays(path, Date.now(), { colors: {} }));
      cleanup.add(service.stop);
      const running = await startVigieAndBroker(cleanup, {
        service: service.url,
        broker,
        config: withQuickConfirmation(parse(yamlOf(title))),
      });
      const pretend = (color: string) => running.observer.publish("vigie/simulation/set", color, false);
      await running.until({
        availability: "online",
        "service/status": "ok",
        "outputs/boiler/state": "nothing",
      });

      await pretend("rouge");
      await running.until({ "outputs/boiler/state": "confirmed" });
      const off = running.payloadOf("outputs/boiler/payload");
      expect(relay.isOn()).toBe(false);

      await pretend("auto");
      await running.observer.until(
        () => running.payloadOf("outputs/boiler/payload") !== off,
        "it is told to be on",
      );
      await running.until({ "outputs/boiler/state": "confirmed" });
      expect(relay.isOn()).toBe(true);
      const confirmations = () => running.vigie.lines.filter(({ msg }) => msg.includes("has confirmed"));
      await expect.poll(confirmations).toHaveLength(2);

      relay.disobey();
      await pretend("rouge");
      await running.until({
        "outputs/boiler/state": "failed",
        "outputs/boiler": /"state":"failed".*"last_answer":"(on|ON|1|true|.*\\"ON\\".*)"/,
        "service/problem_code": "output",
        "service/failed_outputs": `boiler (${documented.takes})`,
      });
      expect(running.payloadOf("outputs/boiler/payload")).toBe(off);
    },
  );
});

function yamlOf(title: string): string {
  const [block, ...more] = blocksOf(sectionOf(PAGE, title)).filter(({ language }) => language === "yaml");
  if (!block || more.length > 0) throw new Error(`Expected one configuration below ${title}`);
  return block.text;
}

/** The lines of the page on a day that is all peak, with a device that is given up after 5 s. */
function withQuickConfirmation({ rules, outputs }: Page): Record<string, unknown> {
  const quick = outputs.map((output) => ({
    ...output,
    confirm: { ...output.confirm, every: "5s", for: "5s" },
  }));
  return { rules, outputs: quick, tariff: { off_peak: [] } };
}

interface Page {
  rules: unknown;
  outputs: { confirm: object }[];
}
