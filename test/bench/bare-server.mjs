// Bare node:http that sends one text from memory: what vigie's views over HTTP are compared with.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [file, type] = process.argv.slice(2);
const body = readFileSync(file);
const headers = { "Content-Type": type, "Content-Length": body.length };
const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
server.listen(0, "127.0.0.1", () => process.stdout.write(`port ${server.address().port}\n`));
process.once("SIGTERM", () => process.exit(0));
