import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLoopback, maskAddress, parseAddress, splitCredentials } from "../../src/config/address.ts";

describe("maskAddress", () => {
  test.each([
    ["mqtt://broker:1883", "mqtt://broker:1883"],
    ["mqtt://user:secret@broker:1883", "mqtt://***@broker:1883"],
    ["mqtt://user:se@cr/et@broker", "mqtt://***@broker"],
    ["user:secret@broker", "***@broker"],
    ["mqtt://user:secret", "mqtt://user:***"],
    ["https://user:secret@host/x?token=secret", "https://***@host/x?***"],
    ["https://host:8080?token=secret", "https://host:8080?***"],
    ["host/x#secret", "host/x#***"],
    ["https://host/x?", "https://host/x?"],
    ["mqtt://user:secret/1", "mqtt://user:***"],
    ["http://127.0.0.1:8787/days", "http://127.0.0.1:8787/days"],
    ["embedded", "embedded"],
    ["http://[2001:db8::1]/days", "http://[2001:db8::1]/days"],
    ["http://[2001:db8::1]:8787", "http://[2001:db8::1]:8787"],
    ["mqtt://[2001:db8::1]:secret", "mqtt://[2001:db8::1]:***"],
  ])("%s is shown as %s", (text, shown) => {
    expect(maskAddress(text)).toBe(shown);
  });

  test("never shows what stands before the @", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("mqtt://", "wss://", ""), (noise, scheme) => {
        expect(maskAddress(`${scheme}${noise}SECRET${noise}@host`)).not.toContain("SECRET");
      }),
    );
  });
});

describe("parseAddress", () => {
  test.each(["mqtt://b", "mqtt://b:1883", "mqtt://[::1]:1883", "mqtts://192.168.1.10", "MQTT://b"])(
    "%s is one",
    (text) => {
      expect(parseAddress(text, ["mqtt:", "mqtts:"])).toBeDefined();
    },
  );

  test.each([
    "",
    "b",
    "b:1883",
    "mqtt:b",
    "mqtt:///x",
    "mqtt://b:99999",
    "tcp://b",
    "mqtt://b c",
    " mqtt://b",
  ])("%j is none", (text) => {
    expect(parseAddress(text, ["mqtt:", "mqtts:"])).toBeUndefined();
  });
});

describe("splitCredentials", () => {
  test.each([
    ["mqtt://b:1883", { url: "mqtt://b:1883" }],
    ["mqtt://u:p@b:1883", { url: "mqtt://b:1883", username: "u", password: "p" }],
    ["mqtts://u@b", { url: "mqtts://b", username: "u" }],
    ["wss://u:p%40%3A%2Fx@b/mqtt", { url: "wss://b/mqtt", username: "u", password: "p@:/x" }],
  ])("%s", (text, parts) => {
    expect(splitCredentials(text)).toEqual(parts);
  });
});

test.each([
  ["mqtt://localhost", true],
  ["mqtt://LOCALHOST:1883", true],
  ["http://127.0.1.1:80", true],
  ["ws://[::1]:9001", true],
  ["mqtt://192.168.1.10", false],
  ["embedded", false],
])("%s is this machine itself: %j", (text, answer) => {
  expect(isLoopback(text)).toBe(answer);
});
