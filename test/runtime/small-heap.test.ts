import { afterAll, expect, test } from "vitest";
import { keepHeapSmall } from "../../src/runtime/small-heap.ts";

const before = Buffer.poolSize;
afterAll(() => {
  Buffer.poolSize = before;
});

test("in a small heap a small Buffer keeps no more than itself", () => {
  const pooled = Buffer.from("vigie").buffer.byteLength;
  keepHeapSmall();
  expect([Buffer.from([1, 2]), Buffer.allocUnsafe(4)].map(({ buffer }) => buffer.byteLength)).toEqual([2, 4]);
  expect(pooled).toBe(before);
});
