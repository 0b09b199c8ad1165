import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { FOUND } from "./found.ts";
import { findViolation } from "./run-households.ts";

test.each(FOUND)("not again: $what", async ({ scenario }) => {
  expect(await findViolation(scenario)).toBeUndefined();
});

// As a program of its own, bundled: they live four times as fast as here.
test("nothing is wrong in random households that live for 15 s", () => {
  const words = ["run", "--silent", "households", "--", "--seconds", "15", "--seeds", "1"];
  const { status, stdout } = spawnSync("npm", words, { encoding: "utf8" });
  console.log(stdout.trim().split("\n").at(-1));
  expect(status, stdout).toBe(0);
});
