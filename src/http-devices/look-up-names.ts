import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";

type AskForName = (host: string) => Promise<LookupAddress[]>;

/**
 * Looks the names of devices up. The system looks up two names at a time, and takes many seconds for each one that nobody answers
 * for. So names that were slow wait for each other, and never keep another name from being found. A name that was found before is
 * used as it was then, if the answer does not come soon.
 */
export function createNameLookup(ask: AskForName = askSystem): LookupFunction {
  const found = new Map<string, LookupAddress[]>();
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  const slow = new Set<string>();
  let lastSlow: Promise<unknown> = Promise.resolve();

  const askNow = async (host: string) => {
    const mark = setTimeout(() => slow.add(host), SLOW_AFTER);
    try {
      const addresses = await ask(host);
      found.set(host, addresses);
      slow.delete(host);
      return addresses;
    } finally {
      clearTimeout(mark);
    }
  };
  const askInTurn = (host: string) => {
    if (!slow.has(host)) return askNow(host);
    const turn = lastSlow.then(() => askNow(host));
    lastSlow = turn.catch(() => undefined);
    return turn;
  };
  const addressesOf = (host: string): Promise<LookupAddress[]> => {
    const asked = underWay.get(host) ?? askInTurn(host).finally(() => underWay.delete(host));
    underWay.set(host, asked);
    const before = found.get(host);
    return before ? Promise.race([asked.catch(() => before), later(before)]) : asked;
  };
  return (host, { all }, callback) => {
    addressesOf(host).then(
      (addresses) => {
        const [{ address, family } = { address: "", family: 0 }] = addresses;
        if (all) callback(null, addresses);
        else callback(null, address, family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

const askSystem: AskForName = (host) => lookup(host, { all: true });

function later<T>(value: T): Promise<T> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(value), KNOWN_AFTER).unref();
  });
}

/** Milliseconds. */
const SLOW_AFTER = 2_000;
const KNOWN_AFTER = 1_000;
