import { describe, expect, test } from "vitest";
import { openLoopMemory } from "../../src/app/loop-memory.ts";
import { NO_OFFICIAL_MEMORY, type OfficialMemory } from "../../src/service/request-memory.ts";
import { emptyState } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { createMemoryStore } from "../support/memory-store.ts";

const RTE = "https://official.example/v1";
const AT = Date.UTC(2026, 0, 5, 10);

function open(store = createMemoryStore(emptyState("test")), official: string | null = RTE) {
  const memory = openLoopMemory(store, {
    source: "https://days.example",
    official,
    rules: [],
    log: SILENT_LOG,
    values: () => ({}),
  });
  const send = (count: number): OfficialMemory => ({
    ...memory.officialClient.get(),
    spent: { day: "2026-01-05", count },
    sent_at: AT,
  });
  return { memory, store, send };
}

/** The store that a vigie has after a restart: read back from the text of the state file. */
const restart = (store: ReturnType<typeof createMemoryStore>) =>
  createMemoryStore(parseState(serialiseState(store.state())));

describe("how much was sent to the official source, and since when it fails", () => {
  test("is kept over a restart, under its address", async () => {
    const { memory, store, send } = open();
    memory.officialClient.set(send(1));
    const pause = { until: AT + 60_000, turns: 1 };
    memory.officialClient.set({ ...send(1), pause });
    memory.officialClient.set({ ...send(1), pause, failing_since: AT });
    const kept = { ...send(1), pause, failing_since: AT };
    expect(open(restart(store)).memory.officialClient.get()).toEqual(kept);
  });

  test("is not used for another address, nor mixed with what was sent to the service", () => {
    const { memory, store, send } = open();
    memory.officialClient.set(send(7));
    const elsewhere = open(restart(store), "https://other.example").memory;
    expect(elsewhere.officialClient.get()).toEqual(NO_OFFICIAL_MEMORY);
    expect(elsewhere.client.get().spent.count).toBe(0);
    expect(open(restart(store), "https://days.example").memory.officialClient.get()).toEqual(
      NO_OFFICIAL_MEMORY,
    );
  });

  test("is saved request by request after a start, then by tens", async () => {
    const { memory, store, send } = open();
    for (let count = 1; count <= 40; count += 1) memory.officialClient.set(send(count));
    expect(store.writes()).toBe(13);
    await memory.flush();
    expect(open(restart(store)).memory.officialClient.get().spent.count).toBe(40);
  });

  test("begins at nothing where the state file is of an older vigie, or this part of it is damaged", () => {
    const { installation, ...older } = emptyState("test");
    const read = parseState(JSON.stringify({ installation, ...older }));
    expect(open(createMemoryStore(read)).memory.officialClient.get()).toEqual(NO_OFFICIAL_MEMORY);
    const damaged = { ...emptyState("test"), official_clients: { [RTE]: { spent: 3 } } };
    expect(open(createMemoryStore(damaged)).memory.officialClient.get()).toEqual(NO_OFFICIAL_MEMORY);
  });

  test("is nowhere with official.source: off", async () => {
    const { memory, store } = open(undefined, null);
    await memory.flush();
    expect(store.state().official_clients).toEqual({});
  });
});
