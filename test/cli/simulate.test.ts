import { expect, test } from "vitest";
import { simulate } from "../../src/cli/simulate.ts";
import { runCommand } from "../support/run-command.ts";

const DAY =
  "Expected bleu, blanc, rouge, alone or with :now or :next, such as rouge:next, or auto to end the simulation";
const A_LENGTH = "a duration from 1s to 24h in s, m or h, such as 5m";

test.each([
  [[], `${DAY}, got nothing`],
  [["red"], `${DAY}, got red (did you mean rouge?)`],
  [["rouge:nxt"], `${DAY}, got rouge:nxt (did you mean next?)`],
  [["rouge:next:now"], `${DAY}, got rouge:next:now (did you mean next?)`],
  [["auto:next"], `${DAY}, got auto:next`],
  [["rouge", "next"], "Unexpected argument 'next'"],
  [["rouge", "--for", "2d"], `Expected --for to be ${A_LENGTH}, got 2d`],
  [["rouge", "--for", "25h"], `Expected --for to be ${A_LENGTH}, got 25h`],
  [["auto", "--for", "1h"], "Expected no --for with auto, which ends the simulation"],
  [
    ["rouge", "--until", "1h"],
    "Unknown option '--until' (did you mean --for?). The options of this command are --config, --for, --help, --version",
  ],
])("vigie simulate %s ends with 2, and says what is expected", async (args, said) => {
  expect(await runCommand((io) => simulate(args, io))).toEqual({
    code: 2,
    out: "",
    err: `vigie simulate: ${said}\n`,
  });
});
