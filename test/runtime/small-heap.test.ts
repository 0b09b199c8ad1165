import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const BUFFERS = "[Buffer.from([1, 2]), Buffer.allocUnsafe(4)].map(({ buffer }) => buffer.byteLength)";

/** In a process of its own: V8's flags are for the whole of it. */
function sizesAfter(call: string): unknown {
  const file = new URL("../../src/runtime/small-heap.ts", import.meta.url).href.replace("/src/", "/.build/");
  const script = `import { keepBuffersSmall } from "${file.replace(/ts$/, "js")}"; ${call}; console.log(JSON.stringify(${BUFFERS}))`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script]).toString());
}

test("a small Buffer has memory of its own", () => {
  expect(sizesAfter("keepBuffersSmall()")).toEqual([2, 4]);
  expect(sizesAfter("")).not.toEqual([2, 4]);
});
