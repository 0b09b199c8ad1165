import { createConnection, createServer, type Server, type Socket } from "node:net";

/** A way to a broker that can be cut and mended; whoever comes meanwhile is refused. */
export interface Line {
  url: string;
  cut: () => void;
  mend: () => Promise<void>;
  close: () => Promise<void>;
}

export async function openLine(to: number): Promise<Line> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection({ port: to, host: "127.0.0.1" });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const port = await listen(server, 0);
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `mqtt://127.0.0.1:${port}`,
    cut,
    mend: async () => {
      await listen(server, port);
    },
    close: async () => cut(),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}
