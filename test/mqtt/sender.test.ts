import { expect, test } from "vitest";
import { createLedger } from "../../src/mqtt/ledger.ts";
import { createSender } from "../../src/mqtt/sender.ts";
import { topics } from "../support/publisher.ts";

test("whoever sees `online` is heard: vigie listens first, once all else is there", async () => {
  const order: string[] = [];
  const note = async (word: string) => void order.push(word);
  const ledger = createLedger("{}", () => false);
  const sender = createSender({
    tree: { publish: (compose) => note(compose().topic) },
    ...{ ledger, clock: { now: () => 0 }, trouble: { begins: String, ends: String } },
    events: ["{}"],
    listen: () => note("listens"),
    onWhole: () => undefined,
  });
  sender.wake();
  ledger.want(topics({ a: "1", b: "2" }));
  sender.wake();
  await sender.idle();
  expect(order).toEqual(["a", "b", "listens", "availability", "event"]);
});
