import type { Device, DeviceUse } from "../config/device-templates.ts";
import type { Message } from "../config/message-templates.ts";
import type { Language } from "../core/calendar/day-in-words.ts";
import type { Person, SetupIo } from "./person.ts";
import type { Words } from "./words.ts";

/** The answers that were given as options; the others are asked for. */
export interface SetupOptions {
  service?: string | undefined;
  official?: string | undefined;
  broker?: string | undefined;
  username?: string | undefined;
  passwordFile?: string | undefined;
  caFile?: string | undefined;
  language?: Language | undefined;
  devices: readonly GivenDevice[];
  messages: readonly GivenMessage[];
  /** The devices and messages that are options are tried. */
  tries: boolean;
  config?: string | undefined;
  /** Nobody is asked, and a file that exists is replaced. */
  yes: boolean;
}

export interface GivenDevice {
  use: DeviceUse;
  device: Device;
  id?: string | undefined;
  name?: string | undefined;
}

export interface GivenMessage {
  message: Message;
  id?: string | undefined;
  name?: string | undefined;
}

/** What every question needs. */
export interface Setup {
  options: SetupOptions;
  person: Person;
  words: Words;
  language: Language;
  io: Pick<SetupIo, "env" | "cwd">;
}

/** The set-up cannot go on. */
export class SetupFailed extends Error {
  override readonly name = "SetupFailed";
  /** The command line is what is wrong. */
  readonly isUsage: boolean;

  constructor(words: string, { isUsage = false } = {}) {
    super(words);
    this.isUsage = isUsage;
  }
}
