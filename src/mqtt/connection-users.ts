import type { ReceivedMessage, Version } from "./connection.ts";
import type { Message } from "./publish-queue.ts";

/**
 * A part of vigie that uses the publisher's connection for topics outside of vigie's base topic: discovery messages for
 * Home Assistant, messages to devices.
 */
export interface ConnectionUser {
  /** A new connection stands, and vigie owns its base topic. The connection before it is closed for good. */
  onConnection: (link: BrokerLink) => void;
  /**
   * A message outside of the base topic arrived. It may come before `onConnection`: the broker of a resumed session sends
   * what it kept at once.
   */
  onMessage: (message: ReceivedMessage) => void;
}

/** One connection to the broker, for full topic names. */
export interface BrokerLink {
  version: Version;
  /** Resolves when acknowledged; rejects with ConnectionLost or PublishRefused. */
  publish: (message: Message) => Promise<void>;
  subscribe: (filter: string) => Promise<void>;
  /**
   * Subscribes to these filters, outside of the base topic, and resolves with the payload of each topic that the broker
   * holds there. Topics of other subscriptions that arrive meanwhile may be among them.
   */
  readRetained: (filters: readonly string[]) => Promise<Map<string, string>>;
  /** Why it ended; resolves, never rejects. */
  closed: Promise<string>;
}

export interface ConnectionUsers extends ConnectionUser {
  /** Its `onConnection` is called at once where a connection stands. Returns how to remove it. */
  add: (user: ConnectionUser) => () => void;
}

export function createConnectionUsers(): ConnectionUsers {
  const users = new Set<ConnectionUser>();
  let current: BrokerLink | undefined;
  return {
    add: (user) => {
      users.add(user);
      if (current) user.onConnection(current);
      return () => users.delete(user);
    },
    onConnection: (link) => {
      current = link;
      void link.closed.then(() => {
        if (current === link) current = undefined;
      });
      for (const user of users) user.onConnection(link);
    },
    onMessage: (message) => {
      for (const user of users) user.onMessage(message);
    },
  };
}
