import type { Received, Version } from "./connection.ts";
import type { Message } from "./outbox.ts";

/** Who speaks of topics that are not vigie's own, over vigie's connection. */
export interface Guest {
  /** A connection stands, and its base topic is vigie's: the one before it is gone for good. */
  open: (link: Link) => void;
  /** Something was said outside of the base topic; it may come before `open`, from a session that was kept. */
  hear: (message: Received) => void;
}

/** One connection, for topics of any name. */
export interface Link {
  version: Version;
  /** Resolves when acknowledged; rejects with ConnectionLost or PublishRefused. */
  publish: (compose: () => Message) => Promise<void>;
  subscribe: (topic: string) => Promise<void>;
  /** When it resolves, all that the broker held for us at the call has been heard. */
  echo: () => Promise<void>;
  /** Why it ended; resolves, never rejects. */
  closed: Promise<string>;
}

export interface Guests extends Guest {
  /** Opened at once where a connection stands; returns how to leave. */
  attach: (guest: Guest) => () => void;
}

export function createGuests(): Guests {
  const guests = new Set<Guest>();
  let standing: Link | undefined;
  return {
    attach: (guest) => {
      guests.add(guest);
      if (standing) guest.open(standing);
      return () => guests.delete(guest);
    },
    open: (link) => {
      standing = link;
      void link.closed.then(() => {
        if (standing === link) standing = undefined;
      });
      for (const guest of guests) guest.open(link);
    },
    hear: (message) => {
      for (const guest of guests) guest.hear(message);
    },
  };
}
