import { beforeAll, describe, expect, it } from "vitest";
import { type Findings, runOnMachine, withoutMachine } from "./machine.ts";

describe.skipIf(withoutMachine)(`the guide for a Raspberry Pi ${withoutMachine}`, () => {
  let found: Findings;
  let commands: { typed: string; code: number; text: string }[];
  beforeAll(async () => {
    found = await runOnMachine("guide.sh");
    commands = Array.from({ length: Number(found("commands").text) }, (_, index) => ({
      typed: found(`command ${index + 1}`).text,
      ...found(`${index + 1}`),
    }));
  });

  it("has no command that fails", () => {
    expect(commands.length).toBeGreaterThan(10);
    expect(commands.filter(({ code }) => code !== 0)).toEqual([]);
  });

  it.each([
    ["vigie health", /^vigie runs; broker reached at \S+; data fresh/],
    ["sudo vigie check --live", /ok {6}broker[\s\S]*ok {6}service, history/],
    ["sudo vigie show", /^now +\S+ +\S+ +bleu/m],
    ["systemctl status vigie", /active \(running\)[\s\S]*Status: "vigie runs/],
    ["journalctl -u vigie -n 20", /Connected to the broker/],
    ["sudo sh /usr/local/lib/vigie/systemd/uninstall.sh", /Cleared \d+ topics[\s\S]*nothing of it is left/],
  ])("%s shows what the guide says", (typed, words) => {
    expect(commands.find((command) => command.typed === typed)?.text).toMatch(words);
  });
});
