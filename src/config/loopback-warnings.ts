import { connect } from "node:net";
import { isLoopback } from "./address.ts";
import type { Config } from "./config.ts";
import { addressesOf } from "./http-output-warnings.ts";
import { type Path, showPath } from "./shown-value.ts";
import type { Warning } from "./warning.ts";

/**
 * Addresses of the container itself, if nothing answers there: with the machine's network they are right. Said once, however many
 * there are.
 */
export async function findLoopbackWarnings(config: Config): Promise<Warning[]> {
  const { mqtt, service, official, outputs } = config;
  const addresses: { path: Path; address: string }[] = [
    { path: ["mqtt", "url"], address: mqtt.url },
    { path: ["service", "base_url"], address: service.base_url },
    { path: ["official", "source"], address: official.source },
    ...outputs.list.flatMap((output, index) =>
      addressesOf(output).map(({ path, address }) => ({ path: ["outputs", index, ...path], address })),
    ),
  ];
  const own = addresses.filter(({ address }) => isLoopback(address));
  const answers = await Promise.all(own.map(({ address }) => isAnswered(new URL(address))));
  const [first, ...others] = own.filter((_, index) => !answers[index]);
  if (!first) return [];
  const names = others.map(({ path }) => showPath(path));
  const also = (the: string, and: string) => (names.length === 0 ? "" : ` (${the} ${names.join(and)})`);
  const words = {
    en: `nothing answers there: in a container this address is the container itself, not the machine that it runs on, unless it has the machine's network (network_mode: host)${also("the same of", " and ")}`,
    fr: `rien ne répond à cette adresse, qui est celle de l’application elle-même, et non celle de la machine${also("de même pour", " et ")}`,
  };
  return [{ path: first.path, words }];
}

/** Whether somebody listens there. Nothing is sent. */
async function isAnswered({ hostname, port, protocol }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = connect({ host, port: Number(port || PORTS[protocol]) });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.setTimeout(LONGEST_WAIT, () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

const PORTS: Record<string, number> = {
  "mqtt:": 1883,
  "mqtts:": 8883,
  "ws:": 80,
  "wss:": 443,
  "http:": 80,
  "https:": 443,
};
/** A machine answers itself at once. */
const LONGEST_WAIT = 1_000;
