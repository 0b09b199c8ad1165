import { isIP } from "node:net";
import { z } from "zod";

/** Where one server listens; `host` null: at every address of this machine. */
export interface ListenAddress {
  host: string | null;
  port: number;
  /** Who may connect there; without it, those of `http.allow`. */
  allow?: readonly Network[];
}

/** The addresses that begin with the same `prefix` bits. */
export interface Network {
  address: string;
  prefix: number;
  family: "ipv4" | "ipv6";
}

const LISTEN =
  'off, a port such as 8427 (all interfaces), an address with a port such as 127.0.0.1:8427 or "[::1]:8427", or a list of these';
const ONE_LISTEN =
  'a port from 1 to 65535 such as 8427 (all interfaces), or an address with a port such as 127.0.0.1:8427 or "[::1]:8427"';
const LISTEN_IN_LIST = `${ONE_LISTEN}, or { at: 8099, allow: [172.30.32.2] } with who may connect there`;

const ONCE = "each address once: two entries would say twice who may connect there";

function listenAddress(expected: string, words: readonly string[]) {
  const isRight = (given: string | number) =>
    words.includes(String(given)) || parseListen(given) !== undefined;
  return z
    .union([z.string({ error: expected }), z.number({ error: expected })], { error: expected })
    .check(({ value, issues }) => {
      if (!isRight(value)) issues.push({ code: "custom", input: value, message: expected });
    });
}

/** undefined where this is neither a port nor a host with a port. */
function parseListen(given: string | number): ListenAddress | undefined {
  const [, ipv6, name, digits] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(String(given)) ?? [];
  const port = Number(digits);
  const host = ipv6 ?? name ?? null;
  if (digits === undefined || port < 1 || port > 65_535) return undefined;
  if (ipv6 !== undefined && isIP(ipv6) !== 6) return undefined;
  // 300.1.1.1 and 192.168.1 are no names, either.
  if (name !== undefined && /^[\d.]+$/.test(name) && isIP(name) !== 4) return undefined;
  return { host, port };
}

const NETWORKS = "a list of addresses or networks, such as [192.168.1.0/24]";
const A_NETWORK = "an address or a network, such as 192.168.1.7, 192.168.1.0/24 or fd00::/8";

const listOfNetworks = z.array(
  z.string({ error: A_NETWORK }).refine((text) => parseNetwork(text) !== undefined, { error: A_NETWORK }),
  { error: NETWORKS },
);
const networks = listOfNetworks.default([]);

const listenFor = z.strictObject({
  at: listenAddress(ONE_LISTEN, []).meta({ description: "Where it listens." }),
  allow: listOfNetworks.exactOptional().meta({
    description: "Who may connect there, in place of http.allow. Default http.allow.",
  }),
});

const listen = z.union(
  [
    listenAddress(LISTEN, ["off"]),
    z
      .array(z.union([listenAddress(LISTEN_IN_LIST, []), listenFor], { error: LISTEN_IN_LIST }))
      .superRefine((list, { addIssue }) => {
        const names = list.map((one) => JSON.stringify(parseListen(typeof one === "object" ? one.at : one)));
        for (const [index, name] of names.entries())
          if (names.indexOf(name) < index) addIssue({ code: "custom", path: [index], message: ONCE });
      }),
  ],
  { error: LISTEN },
);

/** An IPv4 address in IPv6 form is none: it would match nobody, for peers are compared as IPv4. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = "", digits] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || /^::ffff:.*\./i.test(address)) return undefined;
  const longest = version === 4 ? 32 : 128;
  const prefix = digits === undefined ? longest : Number(digits);
  return prefix > longest ? undefined : { address, prefix, family: version === 4 ? "ipv4" : "ipv6" };
}

const HOSTS = "a list of host names, such as [vigie.example.org]";
const A_HOST = "a host name without http:// and port, such as vigie.example.org";
export const HOST_NAME = /^[\w-]+(\.[\w-]+)*$/;

export const httpOptions = z
  .strictObject({
    listen: listen.default("127.0.0.1:8427").meta({
      description:
        "Where the page and the other views are served: off, HOST:PORT, a PORT alone (all interfaces), or a list of these, in which { at: PORT, allow: [ADDRESS] } also says who may connect there. Default 127.0.0.1:8427: this machine only, because whoever reaches it can read rules, devices and values of the house.",
    }),
    allow: networks.meta({
      description:
        "Addresses or networks that may connect, such as [192.168.1.0/24]. Default none, which means whoever can reach the address.",
    }),
    hosts: z
      .array(z.string({ error: A_HOST }).regex(HOST_NAME, { error: A_HOST }), { error: HOSTS })
      .default([])
      .meta({
        description:
          "More names by which browsers may call the page, such as [vigie.example.org]. Default none: IP addresses, localhost, names without a dot, and names that end in .local, .lan, .home.arpa or .internal are allowed anyway; others could be those of an attacker.",
      }),
    proxies: networks.meta({
      description:
        "Addresses of reverse proxies that log people in and pass on any host name, such as [172.30.32.2]. Default none.",
    }),
    language: z.enum(["auto", "fr", "en"]).default("auto").meta({
      description: "Language of the page: auto (the browser's), fr or en. Default auto.",
    }),
  })
  .prefault({})
  .meta({ description: "The page, the calendar and the other views over HTTP. They only show." });

/** Reads addresses and networks. */
export function finishHttp({ listen: given, allow, hosts, proxies, language }: z.output<typeof httpOptions>) {
  const addresses = given === "off" ? [] : [given].flat().map(finishListen);
  return {
    listen: addresses.filter((address) => address !== undefined),
    allow: readNetworks(allow),
    hosts: hosts.map((host) => host.toLowerCase()),
    proxies: readNetworks(proxies),
    language,
  };
}

function finishListen(given: string | number | z.output<typeof listenFor>): ListenAddress | undefined {
  if (typeof given !== "object") return parseListen(given);
  const address = parseListen(given.at);
  return address && { ...address, ...(given.allow && { allow: readNetworks(given.allow) }) };
}

function readNetworks(texts: readonly string[]): Network[] {
  return texts.map(parseNetwork).filter((network) => network !== undefined);
}
