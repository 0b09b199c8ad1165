/** In `npm run test:long`, which the gate runs: everything. `npm test` takes the quick part of what takes long. */
export const LONG = process.env["VIGIE_TEST_LONG"] === "1";

/** How often a property is tried. */
export function runs(inLong: number): number {
  return LONG ? inLong : Math.ceil(inLong / 10);
}
