import { expect, test } from "vitest";
import { createLimit } from "../../src/mqtt/publish-queue.ts";

test("a limit runs so many jobs at a time, in order, and goes on after one that fails", async () => {
  const limit = createLimit(2);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const job = (n: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    order.push(n);
    await Promise.resolve();
    running -= 1;
    if (n === 1) throw new Error("no");
    return n;
  };
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => limit(job(n))));
  expect(results.map(({ status }) => status === "rejected")).toEqual([false, true, false, false, false]);
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});
