import { expect, test } from "vitest";
import { rememberYield } from "../../src/app/claim.ts";
import { emptyState } from "../../src/state/state.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { ownerNamed } from "../support/publisher.ts";

test("that a vigie had to leave is said once a day for each other one", async () => {
  const store = createMemoryStore(emptyState("test"));
  const [hour, now] = [3_600_000, Date.parse("2026-01-05T12:00:00Z")];
  const saidFor = (name: string, at: number) => rememberYield(store, ownerNamed(name), at);
  expect(await saidFor("a", now)).toBe(true);
  expect(await saidFor("a", now + 23 * hour)).toBe(false);
  expect(store.writes()).toBe(1);
  expect(await saidFor("a", now + 24 * hour)).toBe(true);
  expect(await saidFor("b", now + 25 * hour)).toBe(true);
  // A clock that was set back hides nothing.
  expect(await saidFor("b", now)).toBe(true);
  // A container that is made anew has nothing in its log.
  const { yielded_to } = store.state();
  if (yielded_to) await store.save({ ...store.state(), yielded_to: { ...yielded_to, said_on: "another" } });
  expect(await saidFor("b", now + hour)).toBe(true);
});
