import { expect, test } from "vitest";
import { findMutations, mutate } from "./find-mutations.ts";

test.each([
  ["if (a < 4) f();", ["if (!(a < 4)) f();", "if (a <= 4) f();", "if (a < 5) f();", "if (a < 4) ;"]],
  [
    "const a = b === true && c;",
    ["const a = b !== true && c;", "const a = b === false && c;", "const a = b === true || c;"],
  ],
  ["const a = (b ?? c) as 3;", ["const a = (b && c) as 3;"]],
  ["const a = b ?? c ?? d;", []],
  ["function f(): void { return; }", ["function f(): void { ; }"]],
  ["type A = 3 | true; interface B { c: 4 }", []],
])("what may be changed in %s", (text, changed) => {
  const all = findMutations(text).map((mutation) => mutate(text, mutation));
  expect(all.sort()).toEqual([...changed].sort());
});
