import type { Language } from "../core/calendar/day-in-words.ts";
import { isHttpAddress } from "./address.ts";
import { topic } from "./value-schemas.ts";

/**
 * How a message to a phone is written into a configuration. These are the lines of docs/messages.md; a test compares both.
 */
export const MESSAGE_KINDS = [
  "ntfy",
  "gotify",
  "telegram",
  "matrix",
  "signal",
  "home_assistant",
  "mqtt",
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** What is asked of its owner. */
export type MessageField = "server" | "from" | "to" | "secret";

/** How a message finds its phone. */
export interface Message {
  kind: MessageKind;
  /** The address of the service, up to its port. */
  server?: string | undefined;
  /** The number that sends, with Signal. */
  from?: string | undefined;
  /** A chat of Telegram, a room of Matrix, a number with Signal, a topic over MQTT. */
  to?: string | undefined;
  /** Holds what nobody else may know: a token, the topic of ntfy, the id of a webhook. */
  secret_file?: string | undefined;
}

/** An output that sends a message, as its owner writes it. */
export interface WrittenMessage {
  id: string;
  name: Record<Language, string> | string;
  topic?: string;
  url?: string;
  method?: "PUT";
  headers?: Record<string, string>;
  secret_file?: string;
  message: true;
  choose: { when: string; payload: string | { [key: string]: unknown } }[];
}

/** On the eve, at an hour at which nobody sleeps. */
export const MESSAGE_RULE = {
  id: "rouge_tomorrow",
  name: { fr: "Rouge annoncé pour demain", en: "Rouge announced for tomorrow" },
  when: { all: [{ day: "next", color: "rouge", official: true }, { between: ["07:00", "21:30"] }] },
} as const;

export const MESSAGE_USE = { id: "phone", name: { fr: "Téléphone", en: "Phone" } } as const;

/** `text` may hold placeholders. */
export function messageOutput(
  { id, name, text }: { id: string; name?: WrittenMessage["name"] | undefined; text: string },
  message: Message,
): WrittenMessage {
  const { kind, server = usualServer(kind) ?? "", from = "", to = "", secret_file } = message;
  const { payload, ...address } = TEMPLATES[kind].write(
    { server: server.replace(/\/$/, ""), from, to },
    text,
  );
  return {
    id,
    name: name ?? MESSAGE_USE.name,
    ...address,
    ...(secret_file !== undefined && { secret_file }),
    message: true,
    choose: [{ when: MESSAGE_RULE.id, payload }],
  };
}

/** In the order in which they are asked for. */
export function fieldsOf(kind: MessageKind): readonly MessageField[] {
  return TEMPLATES[kind].fields;
}

/** What most people answer; undefined: nobody knows. */
export function usualServer(kind: MessageKind): string | undefined {
  return TEMPLATES[kind].usualServer;
}

/** Whether this may stand in a configuration. */
export function isMessageField(kind: MessageKind, field: MessageField, given: string): boolean {
  switch (field) {
    case "server":
      return isHttpAddress(given) && !/[{}]/.test(given);
    case "from":
      return NUMBER.test(given);
    case "to":
      return TEMPLATES[kind].isRecipient?.(given) ?? given !== "";
    case "secret":
      return given !== "";
  }
}

interface Template {
  fields: readonly MessageField[];
  usualServer?: string;
  isRecipient?: (given: string) => boolean;
  write: (
    message: { server: string; from: string; to: string },
    text: string,
  ) => Pick<WrittenMessage, "topic" | "url" | "method" | "headers"> &
    Pick<WrittenMessage["choose"][number], "payload">;
}

/** Of a phone, as Signal wants it. */
const NUMBER = /^\+\d{6,15}$/;

const TEMPLATES: Record<MessageKind, Template> = {
  ntfy: {
    fields: ["server", "secret"],
    usualServer: "https://ntfy.sh",
    write: ({ server }, text) => ({ url: `${server}/{secret}`, payload: text }),
  },
  gotify: {
    fields: ["server", "secret"],
    write: ({ server }, text) => ({
      url: `${server}/message`,
      headers: { "X-Gotify-Key": "{secret}" },
      payload: { message: text, priority: 5 },
    }),
  },
  telegram: {
    fields: ["to", "secret"],
    usualServer: "https://api.telegram.org",
    isRecipient: (given) => /^(-?\d{1,15}|@\w+)$/.test(given),
    write: ({ server, to }, text) => ({
      url: `${server}/bot{secret}/sendMessage`,
      payload: { chat_id: to.startsWith("@") ? to : Number(to), text },
    }),
  },
  matrix: {
    fields: ["server", "to", "secret"],
    isRecipient: (given) => /^![^/?#{}\s]+$/.test(given),
    write: ({ server, to }, text) => ({
      url: `${server}/_matrix/client/v3/rooms/${to}/send/m.room.message/{id}`,
      method: "PUT",
      headers: { Authorization: "Bearer {secret}" },
      payload: { msgtype: "m.text", body: text },
    }),
  },
  signal: {
    fields: ["server", "from", "to"],
    isRecipient: (given) => NUMBER.test(given),
    write: ({ server, from, to }, text) => ({
      url: `${server}/v2/send`,
      payload: { message: text, number: from, recipients: [to] },
    }),
  },
  home_assistant: {
    fields: ["server", "secret"],
    usualServer: "http://homeassistant.local:8123",
    write: ({ server }, text) => ({
      url: `${server}/api/webhook/{secret}`,
      payload: { message: text },
    }),
  },
  mqtt: {
    fields: ["to"],
    isRecipient: (given) => topic.safeParse(given).success,
    write: ({ to }, text) => ({ topic: to, payload: text }),
  },
};
