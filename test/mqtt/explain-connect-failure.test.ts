import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { explainEnd, explainFailure } from "../../src/mqtt/explain-connect-failure.ts";
import { openShortConnection } from "../../src/mqtt/short-connection.ts";

describe("what-if: The network is away · explainFailure", () => {
  test.each<[code: string | number | undefined, says: RegExp]>([
    [undefined, /closed the connection before it answered.*TLS/],
    [4, /user name or password/],
    [134, /user name or password/],
    [5, /not authorised/],
    [135, /not authorised/],
    [133, /client id/],
    [137, /too busy/],
    [157, /refuses: words/],
    ["ECONNREFUSED", /is not listening/],
    ["ENOTFOUND", /has an unknown host name\. Check that the name is right/],
    ["EAI_AGAIN", /has an unknown host name/],
    ["EHOSTUNREACH", /cannot be reached\. Check that the machine is on/],
    ["ECONNRESET", /both sides use TLS/],
    ["EPIPE", /both sides use TLS/],
    ["ECONNABORTED", /both sides use TLS/],
    ["EACCES", /firewall/],
    ["EPERM", /firewall/],
    ["EADDRNOTAVAIL", /the network works/],
    ["ERR_SSL_WRONG_VERSION_NUMBER", /does not use TLS/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /server_name/],
    ["CERT_HAS_EXPIRED", /expired/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /ca_file/],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /ca_file/],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", /over TLS/],
    ["NOT_MQTT", /not in MQTT: this looks like the port of a web server.*usually has 1883/],
    ["EWHATEVER", /cannot be reached: words/],
  ])("%s: %s", (code, says) => {
    const sentence = explainFailure(code, "words", "mqtt://nas:1883");
    expect(sentence).toMatch(says);
    expect(sentence).toContain("mqtt://nas:1883");
  });
});

test("what-if: The broker is frozen · a connection that is taken and not answered is told as such", () => {
  expect(explainFailure("TIMEOUT", "words", "mqtt://nas:1883")).toBe(
    "The broker at mqtt://nas:1883 takes connections and does not answer. Check that it is not frozen or overloaded",
  );
});

test.each<[code: unknown, message: string, says: string]>([
  ["EPIPE", "write EPIPE", "the broker or the network cut it off"],
  ["ECONNRESET", "read ECONNRESET", "the broker or the network cut it off"],
  ["ETIMEDOUT", "read ETIMEDOUT", "the broker does not answer any more"],
  ["ENETUNREACH", "write ENETUNREACH", "the network between vigie and the broker is away"],
  [undefined, "Keepalive timeout", "the broker does not answer any more"],
  [undefined, "the broker shuts down", "the broker shuts down"],
])("the end of a connection is told in plain words: %s", (code, message, says) => {
  expect(explainEnd(code, message)).toBe(says);
});

test("a connection that is reset after it was made ends in plain words", async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.write(Buffer.of(0x20, 3, 0, 0, 0));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const broker = { url, base_topic: "vigie", grace: 0, tls: { verify: true } };
  const { signal } = new AbortController();
  const visit = await openShortConnection({ broker, instance: "vigie", random: Math.random, signal });
  sockets[0]?.resetAndDestroy();
  expect(await visit.closed).toBe("the broker or the network cut it off");
});

test("a web server in place of the broker is recognised", async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const broker = { url, base_topic: "vigie", grace: 0, tls: { verify: true } };
  const { signal } = new AbortController();
  const connecting = openShortConnection({ broker, instance: "vigie", random: Math.random, signal });
  await expect(connecting).rejects.toThrow(
    `The broker at ${url} answers, but not in MQTT: this looks like the port of a web server`,
  );
});
