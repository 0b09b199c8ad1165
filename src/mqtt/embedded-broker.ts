import { createServer, type Server, type Socket } from "node:net";
import type { Aedes } from "aedes";
import { SIMULATED_DEVICES } from "../config/first-look-outputs.ts";
import type { Log } from "../runtime/log.ts";

export interface EmbeddedBrokerOptions {
  /** Where it is in use, another one is taken. */
  port: number;
  log: Log;
}

export interface EmbeddedBroker {
  url: string;
  port: number;
  stop: () => Promise<void>;
}

/** A broker for a first look: on this machine only, in memory only, MQTT 3.1.1 only, with two simulated devices. */
export async function startEmbeddedBroker({ port, log }: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const aedes = await createAedes();
  simulateDevices(aedes);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    aedes.handle(socket);
  });
  const taken = await listen(server, port);
  const url = `mqtt://127.0.0.1:${taken}`;
  log.warn(
    `vigie runs a small broker of its own at ${url}, for a first look: only this machine reaches it, and it forgets everything when vigie ends${
      taken === port || port === 0 ? "" : ` (port ${port} was in use)`
    }. For daily use set mqtt.url to a real broker`,
  );
  return { url, port: taken, stop: () => stop(aedes, server, sockets) };
}

/** Loaded only where it is used: most installations have a broker. */
async function createAedes(): Promise<Aedes> {
  const { Aedes: Broker } = await import("aedes");
  // A frozen subscriber must not delay the others.
  return Broker.createBroker({ drainTimeout: 60_000 });
}

/** Each does what it is told, and reports that, as a relay does. */
function simulateDevices(aedes: Aedes): void {
  for (const { topic, report, understands } of SIMULATED_DEVICES) {
    const obey: Parameters<Aedes["subscribe"]>[1] = ({ payload }, done) => {
      done();
      if (!understands.test(String(payload))) return;
      const state = { cmd: "publish", topic: report, payload, qos: 0, retain: true, dup: false } as const;
      aedes.publish(state, () => undefined);
    };
    aedes.subscribe(topic, obey, () => undefined);
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (port !== 0 && (error.code === "EADDRINUSE" || error.code === "EACCES")) resolve(listen(server, 0));
      else reject(error);
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

/** Cuts off the clients that are still connected. */
async function stop(aedes: Aedes, server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
  await new Promise<void>((resolve) => aedes.close(resolve));
}
