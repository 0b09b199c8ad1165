import type { Observer } from "./observer.ts";
import { PATIENCE } from "./patience.ts";

type Wanted = Record<string, string | RegExp>;

/** The retained payloads of the topics below a base topic, by topic name. */
export interface TopicValues {
  payloadOf: (name: string) => string | undefined;
  payloadsOf: (...names: string[]) => Record<string, string | undefined>;
  /** Waits until the topics have these payloads. */
  until: (wanted: Wanted, patience?: number) => Promise<void>;
}

/** `output` is what vigie has printed: a part of the error when `until` fails. */
export function watchTopicValues(observer: Observer, base: string, output: () => string): TopicValues {
  const payloadOf = (name: string) => observer.retained.get(`${base}/${name}`);
  const payloadsOf = (...names: string[]) => Object.fromEntries(names.map((name) => [name, payloadOf(name)]));
  const until = async (wanted: Wanted, patience = PATIENCE) => {
    const names = Object.keys(wanted);
    const isReached = () => names.every((name) => fits(payloadOf(name), wanted[name]));
    await observer.until(isReached, JSON.stringify(wanted), patience).catch((error: unknown) => {
      const found = names.map((name) => `${name} ${payloadOf(name)}`).join(", ");
      throw new Error(`Found ${found}; vigie printed:\n${output()}`, { cause: error });
    });
  };
  return { payloadOf, payloadsOf, until };
}

function fits(payload: string | undefined, value: string | RegExp = ""): boolean {
  if (payload === undefined) return false;
  return typeof value === "string" ? payload === value : value.test(payload);
}
