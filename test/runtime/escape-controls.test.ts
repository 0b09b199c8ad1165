import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeControls, oneLine } from "../../src/runtime/escape-controls.ts";
import { anyText } from "../support/any-text.ts";

test("what would control a terminal is shown, and not obeyed", () => {
  expect(escapeControls("a\u001b[2Jb\u009b31mc\u007fd\re\u202ef\u2066g\u0007\nh")).toBe(
    "a\\u001b[2Jb\\u009b31mc\\u007fd\\u000de\\u202ef\\u2066g\\u0007\nh",
  );
  expect(oneLine("a\nb")).toBe("a\\nb");
  expect(escapeControls("é – 🔴 ✔")).toBe("é – 🔴 ✔");
});

test("JSON stays the same JSON", () => {
  fc.assert(
    fc.property(fc.dictionary(anyText(), anyText()), (value) => {
      expect(JSON.parse(escapeControls(JSON.stringify(value, null, 2)))).toEqual(value);
    }),
  );
  const value = { "a\u009b": "\u001b]0;x\u0007\u202e\u007f\u2028" };
  expect(JSON.parse(escapeControls(JSON.stringify(value, null, 2)))).toEqual(value);
});
