import { createConnection, createServer, type Socket } from "node:net";
import { freePort } from "./ports.ts";

/** The broker at this port, as one that knows MQTT 3.1.1 only: it refuses a connection with MQTT 5. */
export async function startOldBroker(port: number): Promise<{ url: string; stop: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined);
    client.once("data", (connect) => {
      // After the fixed header of one or two bytes of length: 0, 4, MQTT, and the version.
      const version = connect[connect.indexOf("MQTT") + 4];
      if (version === 5) return void client.end(Buffer.from([0x20, 2, 0, 1]));
      const broker = createConnection({ port, host: "127.0.0.1" });
      sockets.add(broker);
      broker.on("error", () => client.destroy()).once("close", () => client.destroy());
      client.once("close", () => broker.destroy());
      broker.write(connect);
      client.pipe(broker).pipe(client);
    });
  });
  const own = await freePort();
  await new Promise<void>((resolve) => server.listen(own, "127.0.0.1", resolve));
  return {
    url: `mqtt://127.0.0.1:${own}`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
