import type { Clock } from "../runtime/clock.ts";

/** How many requests a host gets: sixteen at once, and 60 in any minute. */
export interface HostLimits {
  /** Milliseconds until a request to this host may begin; 0: now; null: when another one has ended. */
  waitFor(host: string): number | null;
  begin(host: string): void;
  end(host: string): void;
}

export function createHostLimits(clock: Pick<Clock, "steady">): HostLimits {
  const hosts = new Map<string, { underWay: number; begun: number[] }>();
  const of = (host: string) => {
    const found = hosts.get(host) ?? { underWay: 0, begun: [] };
    hosts.set(host, found);
    return found;
  };
  return {
    waitFor: (host) => {
      const { underWay, begun } = of(host);
      if (underWay >= AT_ONCE) return null;
      const first = begun.at(-PER_MINUTE);
      return first === undefined ? 0 : Math.max(0, first + MINUTE - clock.steady());
    },
    begin: (host) => {
      const one = of(host);
      one.underWay += 1;
      one.begun = [...one.begun.slice(1 - PER_MINUTE), clock.steady()];
    },
    end: (host) => {
      of(host).underWay -= 1;
    },
  };
}

/** Several devices may be behind one address: those that hang must not delay the others. */
const AT_ONCE = 16;
const PER_MINUTE = 60;
const MINUTE = 60_000;
