import { BlockList } from "node:net";

/** Whether this host is in the home as far as its name or address tells: what is sent to it does not cross the internet. */
export function isPrivateHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  if (name.includes(":")) return PRIVATE.check(name, "ipv6");
  if (/^\d+(\.\d+){3}$/.test(name)) return PRIVATE.check(name, "ipv4");
  return !name.includes(".") || ENDS.some((end) => name.endsWith(end));
}

const ENDS = [".localhost", ".local", ".lan", ".home", ".internal", ".home.arpa"];

const PRIVATE = new BlockList();
PRIVATE.addSubnet("10.0.0.0", 8);
PRIVATE.addSubnet("172.16.0.0", 12);
PRIVATE.addSubnet("192.168.0.0", 16);
PRIVATE.addSubnet("127.0.0.0", 8);
PRIVATE.addSubnet("169.254.0.0", 16);
PRIVATE.addSubnet("fc00::", 7, "ipv6");
PRIVATE.addSubnet("fe80::", 10, "ipv6");
PRIVATE.addAddress("::1", "ipv6");
