import { expect, test } from "vitest";
import { isThisMachine, peerOf } from "../../src/http/peers.ts";

test.each([
  ["192.168.1.7", "192.168.1.7"],
  ["::ffff:192.168.1.7", "192.168.1.7"],
  ["2001:db8:0:7:1:2:3:4", "2001:db8:0:7::/64"],
  ["2001:db8:0:7::1", "2001:db8:0:7::/64"],
  ["2001:db8::7:1:2:3:4", "2001:db8:0:7::/64"],
  ["2001:db8::8:1:2:3:4", "2001:db8:0:8::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::2", "0:0:0:0::/64"],
])("%s counts as %s: one machine can have all addresses of a /64 of IPv6", (address, peer) => {
  expect(peerOf(address)).toBe(peer);
});

test.each([
  ["127.0.0.1", "127.0.1.1", true],
  ["::ffff:127.0.0.1", "::ffff:127.0.0.1", true],
  ["::1", "::1", true],
  ["192.168.1.7", "192.168.1.7", true],
  ["192.168.1.8", "192.168.1.7", false],
])("a program at %s that calls %s is on this machine: %s", (peer, called, expected) => {
  expect(isThisMachine(peer, called)).toBe(expected);
});
