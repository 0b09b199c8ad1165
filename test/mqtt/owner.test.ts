import { expect, onTestFinished, test, vi } from "vitest";
import { askBase, claimBase, hasVigieClientId, type Identity, ownerOf } from "../../src/mqtt/owner.ts";
import type { ShortConnection } from "../../src/mqtt/short-connection.ts";
import { ownerNamed } from "../support/publisher.ts";

const OWNER = ownerNamed("z");
const { installation } = OWNER;

test.each<[client_id: string, installation: string, isVigies: boolean]>([
  [`vigie-vigie-${installation}`, installation, true],
  [`vigie-house_2-${installation}`, installation, true],
  [`vigie-vigie-${installation}`, "abcdefghijkl", false],
  ["vigie-vigie-", "", false],
  ["vigie-vigie-boiler", "boiler", false],
  ["vigie-vigie-visit-abcdefghijkl", "visit-abcdefghijkl", false],
  [`vigie--${installation}`, installation, false],
  [`vigie-House-${installation}`, installation, false],
  [`vigie-a-b-${installation}`, installation, false],
  [`vigie-${"a".repeat(41)}-${installation}`, installation, false],
  [`homeassistant-vigie-${installation}`, installation, false],
  [installation, installation, false],
])("the client id %s of the installation %s is one of a vigie: %s", (client_id, of, isVigies) => {
  expect(hasVigieClientId({ ...OWNER, client_id, installation: of })).toBe(isVigies);
});

const IDENTITY: Identity = {
  installation: "abcdefghijkl",
  incarnation: "mine",
  previousIncarnation: null,
  host: "here",
  version: "0.1.0",
  since: 0,
};
const ME = ownerOf(IDENTITY, "vigie");
const CLAIM = { ...OWNER, incarnation: "theirs" };

interface Among {
  /** What `owner` holds at first. */
  before?: string;
  /** It is on `owner` when this process asks who runs. */
  late?: object;
  yieldedTo?: string;
  previousIncarnation?: string;
}

/** Another program has written `owner`, and these answers are there when this process asks who runs. */
async function claimAmong(
  answers: readonly object[],
  { before = JSON.stringify(CLAIM), late, ...identity }: Among = {},
) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = 0;
  let latest = before;
  const listeners = new Set<Parameters<ShortConnection["listen"]>[0]>();
  const connection = {
    subscribeToOwner: async () => undefined,
    latest: () => latest,
    listen: (listener: Parameters<ShortConnection["listen"]>[0]) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waitForEcho: async () => {
      now += 300;
      if (late) latest = JSON.stringify(late);
      for (const answer of answers)
        for (const listener of listeners)
          listener({ topic: "owner/pong", payload: JSON.stringify(answer), retain: false });
    },
    publish: async ({ topic, payload }: { topic: string; payload: string }) => {
      if (topic === "owner") latest = payload;
    },
  } as unknown as ShortConnection;
  const options = {
    instance: "vigie",
    identity: { ...IDENTITY, ...identity },
    takeOver: false,
    clock: { steady: () => now },
    log: { warn: () => undefined },
    signal: new AbortController().signal,
  };
  const claiming = askBase(connection, options).then((other) => other ?? claimBase(connection, options));
  await vi.advanceTimersByTimeAsync(20_000);
  return { other: await claiming, latest: JSON.parse(latest) };
}

test("a process that connects again yields to nobody but who answers for the claim: not to its own answer, nor to a stranger's", async () => {
  expect(await claimAmong([ME, { ...OWNER, incarnation: "nobody" }])).toEqual({ other: null, latest: ME });
  expect((await claimAmong([ME, CLAIM])).other).toEqual(CLAIM);
});

test("a process does not take itself for another one when its own word comes late", async () => {
  expect((await claimAmong([ME], { late: ME })).other).toBe(null);
});

test("a process that had to leave asks also if the broker has lost who owns the base topic, and yields to nobody else", async () => {
  const lost = { before: "null", yieldedTo: OWNER.installation };
  expect((await claimAmong([OWNER], lost)).other).toEqual(OWNER);
  const stranger = { ...OWNER, installation: "stranger0000" };
  expect(await claimAmong([stranger], lost)).toEqual({ other: null, latest: ME });
  expect(await claimAmong([OWNER], { before: "null" })).toEqual({ other: null, latest: ME });

  const earlier = { ...ME, incarnation: "earlier00000" };
  const restored = { ...lost, before: JSON.stringify(earlier), previousIncarnation: earlier.incarnation };
  expect((await claimAmong([OWNER], restored)).other).toEqual(OWNER);
});
