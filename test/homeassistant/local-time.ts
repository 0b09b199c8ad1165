import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { HomeAssistant } from "./home-assistant.ts";

/*
 * The local time of a Home Assistant is whatever a test wants, because its time zone is: "it is 05:54:50 here". Its clock is that
 * of the machine. All these times are in the 24 hours from one noon on, so that a night is one night: 05:00 comes after 22:00.
 */

export interface LocalTime {
  /** Makes it another local time, for automations that are loaded after that. */
  setLocalTime: (...time: Parameters<typeof timeZoneAt>) => Promise<void>;
  /** Makes it the local time of a real time zone. */
  setTimeZone: (name: string) => Promise<void>;
  /** Stops Home Assistant, does what happens meanwhile, and starts it when it is this local time. */
  restartAt: (time: string, meanwhile?: () => Promise<unknown>) => Promise<void>;
}

/** Of a Home Assistant with this time zone. */
export function controlLocalTime(home: HomeAssistant, zone: string): LocalTime {
  let [current, zones] = [zone, 0];
  const writeTimeZone = async (name: string) => {
    const configuration = await readFile(join(home.folder, "configuration.yaml"), "utf8");
    await home.writeFile("configuration.yaml", configuration.replace(`"${current}"`, `"${name}"`));
    current = name;
  };
  // Home Assistant reads the file of a zone once: each local time has another zone.
  const writeLocalTime: LocalTime["setLocalTime"] = async (...time) => {
    zones += 1;
    await home.writeFile(`zones/Test/${zones}`, timeZoneAt(...time));
    await writeTimeZone(`Test/${zones}`);
  };
  const reload = () => home.call("homeassistant", "reload_core_config");
  return {
    setLocalTime: (...time) => writeLocalTime(...time).then(reload),
    setTimeZone: (name) => writeTimeZone(name).then(reload),
    restartAt: (time, meanwhile) =>
      home.restart(async () => {
        await meanwhile?.();
        await writeLocalTime(time);
      }),
  };
}

/** The file of a time zone in which it is this local time now. With `wentBackAt`, the clocks went back by an hour in this night. */
export function timeZoneAt(local: string, { wentBackAt }: { wentBackAt?: string } = {}): string {
  const seconds = secondsOf(local);
  const here = NOON - DAY / 2 + (seconds < DAY / 2 ? seconds + DAY : seconds);
  const offset = here - Math.floor(Date.now() / 1000);
  const dayOfYear =
    Math.floor(here / DAY) - Date.UTC(new Date(here * 1000).getUTCFullYear(), 0, 1) / 1000 / DAY;
  const summer = wentBackAt ? `<SUMMER>${posix(offset + 3600)},0/0,${dayOfYear}/${wentBackAt}` : "";
  return `${EMPTY}${EMPTY}\n<LOCAL>${posix(offset)}${summer}\n`;
}

export function secondsOf(local: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = local.split(":").map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

const DAY = 86_400;
/** The last noon before this process began: an offset of a time zone is less than a day. */
const NOON = Math.floor((Date.now() / 1000 - DAY / 2) / DAY) * DAY + DAY / 2;

/** The two headers of a time zone file (RFC 9636), with one unused local time and no changes: the rule at its end says it all. */
const COUNTS = [0, 0, 0, 0, 1, 4].map((count) => `\0\0\0${String.fromCharCode(count)}`).join("");
const EMPTY = `TZif2${"\0".repeat(15)}${COUNTS}${"\0".repeat(6)}LMT\0`;

/** Such a rule counts westwards. */
function posix(offset: number): string {
  const size = Math.abs(offset);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  return `${offset > 0 ? "-" : ""}${parts.map((part) => String(part).padStart(2, "0")).join(":")}`;
}
