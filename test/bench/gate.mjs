import { createServer, request } from "node:http";

/** A way to the service that counts who went through. */
export async function openGate(service) {
  let count = 0;
  const server = createServer((asked, reply) => {
    count += 1;
    const { method, headers } = asked;
    const onward = request(`${service}${asked.url}`, { method, headers, agent: false }, (answer) => {
      reply.writeHead(answer.statusCode, answer.headers);
      answer.pipe(reply);
    });
    onward.once("error", () => reply.destroy());
    asked.pipe(onward);
  });
  // An hour later no connection would be open any more.
  server.keepAliveTimeout = 300;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    count: () => count,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
