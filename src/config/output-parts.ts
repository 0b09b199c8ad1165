import { listAt, valueAt } from "../runtime/value-at.ts";

// What an output of the file has, which may be wrong in itself.

/** One payload of an output, and where it stands. */
export interface GivenPayload {
  /** Of the choice or branch; with `expect` added to it, of its expectation. */
  path: PropertyKey[];
  payloadPath: PropertyKey[];
  payload: unknown;
  expect: unknown;
}

export function payloadsOf(output: unknown): GivenPayload[] {
  const choices = listAt(output, ["choose"]).map((_, index) => ["choose", index]);
  return [...choices, ["else"], ["unknown"]].flatMap((path) => {
    const given = valueAt(output, path);
    if (given === undefined) return [];
    const payloadPath = typeof given === "string" ? path : [...path, "payload"];
    const payload = valueAt(output, payloadPath);
    return [{ path, payloadPath, payload, expect: valueAt(output, [...path, "expect"]) }];
  });
}

export function countDifferent(payloads: readonly GivenPayload[]): number {
  return new Set(payloads.map(({ payload }) => JSON.stringify(payload))).size;
}

export function has(output: unknown, ...path: PropertyKey[]): boolean {
  return valueAt(output, path) !== undefined;
}

export function textOf(given: unknown): string {
  return typeof given === "string" ? given : (JSON.stringify(given) ?? "");
}
