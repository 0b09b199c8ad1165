import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Clock, systemClock } from "../../src/runtime/clock.ts";
import { lacking } from "./prepared.ts";

const LIBRARY = folders()
  .map((folder) => join(folder, "faketime", "libfaketime.so.1"))
  .find(existsSync);

/** Where the library lies, for a machine that has none of its own. */
export const libraryFolder = LIBRARY && dirname(LIBRARY);

/** Says why where the library is missing; empty where it is there. A machine that was prepared must have it. */
export const withoutFakeTime = lacking(
  LIBRARY !== undefined,
  "libfaketime is not installed (apt-get install faketime)",
);

/** A time that all programs share, and that runs faster than the real one. */
export interface FakeTime {
  clock: Clock;
  /** For a program that starts now. */
  env: () => Record<string, string>;
}

/** How many times faster than life most tests go: a second is four minutes. */
export const SPEED = 240;
export const MINUTE = 60_000;

/** `from` is an instant like 2026-01-05T04:55:00Z. */
export function startFakeTime(from: string, speed: number): FakeTime {
  const started = performance.now();
  const steady = () => (performance.now() - started) * speed;
  const now = () => Math.round(Date.parse(from) + steady());
  const env = () => preload(`@${new Date(now()).toISOString().slice(0, 19).replace("T", " ")} x${speed}`);
  return { clock: { now, steady }, env };
}

/** From now on, and so much faster than life; as slow as that if libfaketime is missing. */
export function startFastTime(speed: number): FakeTime {
  if (withoutFakeTime) return { clock: systemClock, env: () => ({}) };
  return startFakeTime(new Date().toISOString(), speed);
}

/** The wall clock as the given file says it (`+0`, `-1d`), read anew each second; how long things take stays true. */
export function settableTime(file: string): Record<string, string> {
  return {
    ...preload(""),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}

function preload(time: string): Record<string, string> {
  if (LIBRARY === undefined) throw new Error("Expected libfaketime on a prepared machine, got none");
  return { LD_PRELOAD: LIBRARY, TZ: "UTC", ...(time && { FAKETIME: time }) };
}

function folders(): string[] {
  const places = ["/usr/lib", "/usr/lib64", "/usr/local/lib"];
  const inner = existsSync("/usr/lib") ? readdirSync("/usr/lib").map((name) => join("/usr/lib", name)) : [];
  return [...places, ...inner];
}
