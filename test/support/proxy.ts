import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/** A way to a broker that can be cut and mended; connections are refused meanwhile. */
interface BrokerProxy {
  url: string;
  cut: () => void;
  mend: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Called for each part of what the broker sends on one connection: returns what is passed on. */
type Filter = (bytes: Buffer) => Buffer;

/** Called for each part of what is sent to the broker on one connection. */
type Watch = (bytes: Buffer) => void;

/** `createFilter` and `createWatch` are called for each connection; by default everything is passed on. */
export async function startProxy(
  brokerPort: number,
  createFilter: () => Filter = () => (bytes) => bytes,
  createWatch: () => Watch = () => () => undefined,
): Promise<BrokerProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = createConnection({ port: brokerPort, host: "127.0.0.1" });
    const filter = createFilter();
    client.on("data", createWatch());
    client.pipe(broker);
    broker.on("data", (bytes) => client.write(filter(bytes)));
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        sockets.delete(socket);
        client.destroy();
        broker.destroy();
      });
    }
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `mqtt://127.0.0.1:${port}`,
    cut,
    mend: () => listen(port),
    stop: async () => cut(),
  };
}
