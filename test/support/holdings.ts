import type { Observer } from "./observer.ts";

type Wanted = Record<string, string | RegExp>;

/** What the topics below a base topic hold, by their names. */
export interface Holdings {
  /** What one holds. */
  holds: (name: string) => string | undefined;
  /** What several hold. */
  held: (...names: string[]) => Record<string, string | undefined>;
  /** Waits until they hold this. */
  until: (wanted: Wanted, patience?: number) => Promise<void>;
}

/** `output` is what vigie has printed: told where something is waited for in vain. */
export function watchHoldings(observer: Observer, base: string, output: () => string): Holdings {
  const holds = (name: string) => observer.retained.get(`${base}/${name}`);
  const held = (...names: string[]) => Object.fromEntries(names.map((name) => [name, holds(name)]));
  const until = async (wanted: Wanted, patience = PATIENCE) => {
    const names = Object.keys(wanted);
    const isHeld = () => names.every((name) => fits(holds(name), wanted[name]));
    await observer.until(isHeld, JSON.stringify(wanted), patience).catch((error: unknown) => {
      const found = names.map((name) => `${name} ${holds(name)}`).join(", ");
      throw new Error(`Held ${found}; vigie said:\n${output()}`, { cause: error });
    });
  };
  return { holds, held, until };
}

function fits(payload: string | undefined, value: string | RegExp = ""): boolean {
  if (payload === undefined) return false;
  return typeof value === "string" ? payload === value : value.test(payload);
}

export const PATIENCE = 25_000;
