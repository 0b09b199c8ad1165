import { setFlagsFromString } from "node:v8";

/**
 * A small Buffer that is kept, as mqtt-packet keeps one for each length that it ever wrote, would keep 8 KB of a pool.
 * Called before the daemon is imported.
 */
export function keepBuffersSmall(): void {
  Buffer.poolSize = 0;
}

/**
 * vigie is idle for most of its life: V8's young generation need not grow any more, nor its code be tuned for speed, once
 * the burst of the start is over. V8 reads both flags each time that it grows or compiles. From the first moment on they
 * would save 8 of 32 MB of anonymous memory, and cost a tenth of the start.
 */
export function keepHeapSmall(): void {
  for (const flag of ["--optimize-for-size", "--semi-space-growth-factor=1"]) setFlagsFromString(flag);
}
