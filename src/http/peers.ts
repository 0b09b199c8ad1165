import { BlockList, isIP, isIPv6 } from "node:net";
import type { HttpConfig } from "../config/config.ts";
import type { ListenAddress, Network } from "../config/http-options.ts";

/** Who may read the views at one address, and by which names. */
export interface Guard {
  /** The option that says who may connect. */
  option: "http.allow" | "http.listen";
  /** `peer` is the address of the socket, never one that a header names: whoever connects could invent that. */
  isAllowed(peer: string): boolean;
  isProxy(peer: string): boolean;
  /** Whether a browser that follows a foreign name to this machine (DNS rebinding) could not have sent this `Host`. */
  isOwnName(host: string | undefined): boolean;
}

export function createGuard({ allow: ofAll, proxies, hosts }: HttpConfig, address?: ListenAddress): Guard {
  const allow = address?.allow ?? ofAll;
  const isListed = listPeers(allow);
  return {
    option: address?.allow ? "http.listen" : "http.allow",
    isAllowed: (peer) => allow.length === 0 || isListed(peer),
    isProxy: listPeers(proxies),
    isOwnName: (host) => isOwnName(host, hosts),
  };
}

function listPeers(networks: readonly Network[]): (peer: string) => boolean {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return (peer) => {
    const address = plainAddress(peer);
    return isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
  };
}

/** `192.168.1.7` of `::ffff:192.168.1.7`; `fe80::1` of `fe80::1%eth0`. */
export function plainAddress(peer: string): string {
  return peer.replace(/^::ffff:(?=[\d.]+$)/i, "").replace(/%.*$/, "");
}

/** Whoever has one address of IPv6 has all of its /64. */
export function peerOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [before = [], after = []] = plain.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array(8 - before.length - after.length).fill("0");
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}

/** A program that calls its own machine has the address that it calls, or one of these whatever the name. */
export function isThisMachine(peer: string, called: string): boolean {
  return peer === called || ["127.0.0.1", "::1"].includes(plainAddress(peer));
}

function isOwnName(header: string | undefined, hosts: readonly string[]): boolean {
  const [, ipv6, given = ""] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{0,5})?$/i.exec(header ?? "") ?? [];
  if (ipv6 !== undefined) return isIP(ipv6) === 6;
  const name = given.toLowerCase().replace(/\.$/, "");
  if (name === "") return false;
  return (
    isIP(name) === 4 ||
    !name.includes(".") ||
    HOME_DOMAINS.some((domain) => name.endsWith(domain)) ||
    hosts.includes(name)
  );
}

/** Nobody can own one of these in the public DNS. fritz.box is none of them: it has been owned by a stranger. */
const HOME_DOMAINS = [".local", ".lan", ".home.arpa", ".internal"];
