import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives each small Buffer memory of its own. Otherwise it is a part of a pool of 8 KB, and one that is kept keeps the
 * whole pool: mqtt-packet keeps a Buffer for each length that it ever wrote. To be called before that is imported.
 */
export function keepBuffersSmall(): void {
  Buffer.poolSize = 0;
}

/**
 * Tells V8 to prefer little memory to speed, once the start is over: vigie is idle most of the time. V8 reads these flags
 * each time that it grows its young generation, compiles or optimizes. The first two save 8 of 32 MB of anonymous memory;
 * from the first moment on, they would make the start a tenth longer. What runs once an hour is not worth optimizing:
 * in the first hours that takes a third of a poll's CPU time.
 */
export function keepHeapSmall(): void {
  for (const flag of ["--optimize-for-size", "--semi-space-growth-factor=1", "--no-opt"])
    setFlagsFromString(flag);
}

/** What is asked for thousands of times in a row is worth optimizing, while that lasts: it is then several times as fast. */
export function optimizeCode(isWorthIt: boolean): void {
  setFlagsFromString(isWorthIt ? "--opt" : "--no-opt");
}

let collect: (() => void) | undefined;

/** Gives back at once what is not used any more: V8 does that later, and on a busy machine much later. */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
