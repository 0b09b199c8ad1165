import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { bundled } from "../support/bundled.ts";

const BUNDLED = await bundled("src/runtime/small-buffers.ts");
const BUFFERS = "[Buffer.from([1, 2]), Buffer.allocUnsafe(4)].map(({ buffer }) => buffer.byteLength)";

/** In a process of its own: the size of the pool is for the whole of it. */
function sizesAfter(call: string): unknown {
  const script = `import { keepBuffersSmall } from "${BUNDLED}"; ${call}; console.log(JSON.stringify(${BUFFERS}))`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script]).toString());
}

test("a small Buffer has memory of its own", () => {
  expect(sizesAfter("keepBuffersSmall()")).toEqual([2, 4]);
  expect(sizesAfter("")).not.toEqual([2, 4]);
});
