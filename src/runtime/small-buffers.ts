/**
 * Gives each small Buffer memory of its own. Otherwise it is a part of a pool of 8 KB, and one that is kept keeps the
 * whole pool: mqtt-packet keeps a Buffer for each length that it ever wrote. To be called before that is imported.
 */
export function keepBuffersSmall(): void {
  Buffer.poolSize = 0;
}
