import { describe, expect, test } from "vitest";
import { parseCommand } from "../../src/cli/command-line.ts";
import { runCommand } from "../support/run-command.ts";

function run(argv: string[]) {
  const { command, args } = parseCommand(argv);
  return runCommand((io) => command(args, io));
}

describe("options before the command", () => {
  test.each([
    [
      ["--config", "f.yaml", "check", "--live"],
      ["check", "--config", "f.yaml", "--live"],
    ],
    [
      ["--config=f.yaml", "check"],
      ["check", "--config=f.yaml"],
    ],
    [
      ["--dry-run", "once"],
      ["once", "--dry-run"],
    ],
    [
      ["--config", "check", "show"],
      ["show", "--config", "check"],
    ],
    [["--take-over"], ["run", "--take-over"]],
  ])("%j means %j", ([...argv], [...usual]) => {
    const [given, expected] = [parseCommand(argv), parseCommand(usual)];
    expect(given.command).toBe(expected.command);
    expect(given.args).toEqual(expected.args);
  });

  test.each([
    [["--help", "check"], /^usage: vigie \[check\]/],
    [["--config", "f.yaml", "--help"], /^usage: vigie \[command\]/],
    [["help", "check"], /^usage: vigie \[check\]/],
    [["--version"], /^\d/],
  ])("%j is answered", async (argv, words) => {
    expect(await run(argv)).toEqual({ code: 0, out: expect.stringMatching(words), err: "" });
  });
});

describe("a command line that cannot be meant", () => {
  test.each([
    [["chek"], "there is no command 'chek'; did you mean 'check'? (vigie --help lists them)"],
    [["status"], "there is no command 'status'; did you mean 'show'? (vigie --help lists them)"],
    [["help", "chek"], "there is no command 'chek'; did you mean 'check'? (vigie --help lists them)"],
    [
      ["--config", "f.yaml", "chek"],
      "there is no command 'chek'; did you mean 'check'? (vigie --help lists them)",
    ],
    [["f.yaml"], "there is no command 'f.yaml' (vigie --help lists them)"],
    [
      ["--confg", "f.yaml", "check"],
      "Unknown option '--confg' (did you mean --config?) (vigie --help lists the commands and their options)",
    ],
    [
      ["--from", "2026-01-01", "history"],
      "there is no command '2026-01-01' (vigie --help lists them). Write the options of a command after it",
    ],
  ])("%j", async (argv, words) => {
    expect(await run(argv)).toEqual({ code: 2, out: "", err: `vigie: ${words}\n` });
  });
});
