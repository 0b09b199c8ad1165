/** Milliseconds that a test waits for what has to happen. A wait that ends well costs nothing: long enough for a busy machine. */
export const PATIENCE = 60_000;

/** A limit that vigie keeps on a quiet machine, as a test allows it on one that does other work besides. */
export function onBusyMachine(limit: number): number {
  return 3 * limit;
}
