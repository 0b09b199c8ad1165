import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  fieldsOf,
  isMessageField,
  MESSAGE_KINDS,
  MESSAGE_RULE,
  type Message,
  type MessageField,
  type MessageKind,
  messageOutput,
} from "../../src/config/message-templates.ts";
import { examplesBelow } from "../guides/page-blocks.ts";
import { readPage } from "../support/guide.ts";
import { loadText } from "./folder.ts";

const PAGE = readPage("docs/messages.md");
const TEXT = "{next.day}: {next.color}";

/** The part of docs/messages.md, and the message that it has. */
const DOCUMENTED: [title: string, Message][] = [
  ["ntfy", { kind: "ntfy", server: "https://ntfy.example.org/", secret_file: "/etc/vigie/ntfy" }],
  ["Gotify", { kind: "gotify", server: "https://gotify.example.org", secret_file: "/etc/vigie/gotify" }],
  ["Telegram", { kind: "telegram", to: "123456789", secret_file: "/etc/vigie/telegram" }],
  [
    "Matrix",
    {
      kind: "matrix",
      server: "https://matrix.example.org",
      to: "!abcdefg:example.org",
      secret_file: "/etc/vigie/matrix",
    },
  ],
  [
    "Signal",
    { kind: "signal", server: "http://192.168.1.12:8080", from: "+33600000001", to: "+33600000002" },
  ],
  [
    "Home Assistant",
    { kind: "home_assistant", server: "http://192.168.1.11:8123", secret_file: "/etc/vigie/webhook" },
  ],
];

describe("the templates of messages", () => {
  test.each(DOCUMENTED)("give the lines of docs/messages.md: %s", (title, message) => {
    const { name: _, ...rule } = MESSAGE_RULE;
    const { name: __, ...output } = messageOutput({ id: "phone", text: TEXT }, message);
    expect([{ rules: [rule], outputs: [output] }]).toEqual(examplesBelow(PAGE, title));
  });

  test("have each kind once, and a gateway over MQTT", () => {
    expect([...DOCUMENTED.map(([, { kind }]) => kind), "mqtt"]).toEqual([...MESSAGE_KINDS]);
    expect(messageOutput({ id: "phone", text: TEXT }, { kind: "mqtt", to: "phone/message" })).toMatchObject({
      topic: "phone/message",
      message: true,
      choose: [{ when: "rouge_tomorrow", payload: TEXT }],
    });
  });

  test("are right as a configuration, with what is asked for and nothing else", async () => {
    for (const [, message] of [...DOCUMENTED, ["", { kind: "mqtt", to: "phone/message" }] as const]) {
      const { kind, ...given } = message;
      const asked = fieldsOf(kind).map((field) => (field === "secret" ? "secret_file" : field));
      expect(asked.toSorted()).toEqual(Object.keys(given).toSorted());
      const { config, warnings } = await loadText(
        stringify({
          service: { base_url: "none" },
          official: { source: "rte" },
          mqtt: { url: "mqtt://broker" },
          rules: [MESSAGE_RULE],
          outputs: [messageOutput({ id: "phone", text: TEXT }, message)],
        }),
      );
      expect(config.outputs.list).toMatchObject([{ id: "phone", message: true }]);
      expect(warnings.filter((words) => !words.includes("secret_file"))).toEqual([]);
    }
  });

  test.each<[MessageKind, MessageField, string, boolean]>([
    ["ntfy", "server", "https://ntfy.sh", true],
    ["gotify", "server", "https://home.example.org/gotify/", true],
    ["ntfy", "server", "ntfy.sh", false],
    ["ntfy", "server", "https://me:pw@ntfy.sh", false],
    ["ntfy", "server", "https://ntfy.sh/{secret}", false],
    ["ntfy", "secret", "", false],
    ["telegram", "to", "-100123", true],
    ["telegram", "to", "@channel", true],
    ["telegram", "to", "Anna", false],
    ["matrix", "to", "#room:example.org", false],
    ["signal", "from", "0612345678", false],
    ["mqtt", "to", "phone/+", false],
  ])("of %s, %s may be %s: %s", (kind, field, given, isRight) => {
    expect(isMessageField(kind, field, given)).toBe(isRight);
  });
});
