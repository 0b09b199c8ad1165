import { expect, test } from "vitest";
import { formatTopics } from "../../src/cli/show-topics.ts";

const PAGE = { title: "broker", color: false, zone: "Europe/Paris" };

test("vigie show lists each output: its state, what was sent, when and why, and what its device answered", () => {
  const sent = { "outputs/boiler/payload": "off", "outputs/boiler/since": "2026-01-05T04:55:00Z" };
  const page = (state: string, json: object) =>
    formatTopics(
      new Map(
        Object.entries({
          ...sent,
          "outputs/boiler/state": state,
          "outputs/boiler": JSON.stringify({
            because: "rouge_peak is ON",
            tries: 3,
            last_answer: null,
            ...json,
          }),
          "service/failed_outputs": state === "failed" ? "Boiler (boiler/set)" : "None",
        }),
      ),
      PAGE,
    ).replaceAll(/ +/g, " ");
  expect(page("confirmed", { last_answer: "off" })).toContain(
    "output boiler confirmed off since Mon 05 Jan, 05:55 rouge_peak is ON\n",
  );
  expect(page("waiting", { last_answer: "on" })).toContain("; last answer: on\n");
  expect(page("failed", {})).toContain("rouge_peak is ON; sent 3 times; last answer: none\n");
  expect(page("failed", {})).toContain("devices that do not do what they were sent: Boiler (boiler/set)\n");
  expect(page("dry", { would_send: "a payload that is longer than this" })).toContain(
    "would send a payload that is longer…\n",
  );
});

test("vigie show says of an output that has sent nothing only that, and reads JSON of another program", () => {
  const topics = {
    "outputs/a/state": "nothing",
    "outputs/a/payload": "None",
    "outputs/a/since": "None",
    "outputs/a": "no JSON",
    "outputs/a/x/state": "?",
    "outputs/b/state": "nothing",
    "outputs/b": "null",
  };
  const page = formatTopics(new Map(Object.entries(topics)), PAGE);
  expect(page).toMatch(/^output a +nothing *$/m);
  expect(page).toMatch(/^output b +nothing *$/m);
  expect(page.match(/^output/gm)).toHaveLength(2);
});
