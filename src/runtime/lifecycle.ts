import type { Log } from "./log.ts";

/** Something that runs, the settings it was started with, and how it stops. */
export interface Part<T> {
  it: T;
  settings: string;
  stop: () => Promise<void>;
}

/** Keeps a part whose settings are still the same; otherwise stops it and starts it anew. */
export async function renewPart<T>(
  old: Part<T> | undefined,
  settings: unknown,
  start: () => Promise<{ it: T; stop: () => Promise<void> }>,
): Promise<Part<T>> {
  const wanted = JSON.stringify(settings);
  if (old?.settings === wanted) return old;
  await old?.stop();
  return { ...(await start()), settings: wanted };
}

/** Stops all, last started first; what fails to stop is said and keeps nothing else from stopping. */
export async function stopParts(parts: readonly (Part<unknown> | undefined)[], log: Log): Promise<void> {
  for (const part of [...parts].reverse()) {
    try {
      await part?.stop();
    } catch (error) {
      log.error("A part did not stop as it should", { error: String(error) });
    }
  }
}
