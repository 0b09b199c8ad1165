import { addDays, instantInParis, wallClock } from "./calendar.ts";
import { type Draw, drawFrom } from "./draw.ts";
import { randomFrom } from "./random.ts";
import type { Device, Scenario, ScriptEvent } from "./scenario.ts";

/**
 * In some households the power of the house fails as much changes, or somebody unplugs a device that does something else. By draws of
 * their own: they move no other one.
 */
export function withPowerCuts(
  seed: number,
  { from, length, devices, events }: Pick<Scenario, "from" | "length" | "devices" | "events">,
): readonly ScriptEvent[] {
  const draw = drawFrom(randomFrom(`power cuts/${seed}`));
  const { one, whole, chance, times } = draw;
  if (devices.length === 0 || length < LEAST || !chance(0.35)) return events;
  const [first, ...others] = boundaries(Date.parse(from), length);
  const cuts = first !== undefined && chance(0.6) ? cutHouse(draw, one([first, ...others]), devices) : [];
  const unplugged = times(0, 3, () => unplug(draw, whole(600, length - 1_800), devices)).flat();
  const more = [...cuts, ...unplugged].filter(({ at }) => at < length);
  return [...events, ...more].toSorted((before, after) => before.at - after.at);
}

/** The seconds at which the period changes. */
function boundaries(from: number, length: number): number[] {
  const { date } = wallClock(from);
  const days = Array.from({ length: Math.ceil(length / DAY) + 1 }, (_, index) => addDays(date, index));
  return days
    .flatMap((day) => ["06:00", "22:00"].map((time) => (instantInParis(day, time) - from) / 1_000))
    .filter((at) => at > 600 && at < length - 1_800);
}

/** Its devices hear nothing of what changes; vigie and the broker have power. */
function cutHouse(draw: Draw, boundary: number, devices: readonly Device[]): ScriptEvent[] {
  const { one, whole, chance } = draw;
  const at = boundary - whole(-3, 60);
  const away = one([700, 1_500, 4_000, 3 * HOUR]);
  return devices
    .filter(() => chance(0.8))
    .flatMap(({ id: device }): ScriptEvent[] => {
      // Some need longer until they are on the network.
      const length = away + whole(0, 40);
      const back = one(["report", "report", "report first", "online", "silence"] as const);
      const pressed = { at: at + length + whole(5, 120), kind: "press", device } as const;
      return [{ at, kind: "power", device, for: length, back }, ...(chance(0.3) ? [pressed] : [])];
    });
}

/** Somebody operates a device by hand, and unplugs it soon after. Perhaps it is pressed once more when it is back. */
function unplug(draw: Draw, at: number, devices: readonly Device[]): ScriptEvent[] {
  const { one, whole, chance } = draw;
  const [first, ...others] = devices;
  if (!first) return [];
  const device = one([first, ...others]).id;
  // It is told 5 s later what it has to do, and does it if it still has power.
  const cut = at + one([whole(1, 5), whole(1, 5), whole(1, 60)]);
  const away = one([120, 700, 1_500, 4_000, 3 * HOUR]);
  const back = one(["report", "report first", "online"] as const);
  const keeps = chance(0.2) && { keeps: true as const };
  const pressed = { at: cut + away + whole(10, 400), kind: "press", device } as const;
  return [
    { at, kind: "press", device },
    { at: cut, kind: "power", device, for: away, back, ...keeps },
    ...(chance(0.6) ? [pressed] : []),
  ];
}

const HOUR = 3_600;
const DAY = 86_400;
/** Seconds. */
const LEAST = 3 * HOUR;
