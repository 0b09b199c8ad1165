import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { explainFailure } from "../../src/mqtt/explain-connect-failure.ts";
import { openShortConnection } from "../../src/mqtt/short-connection.ts";

describe("explainFailure", () => {
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
    ["ENOTFOUND", /unknown host name/],
    ["EAI_AGAIN", /unknown host name/],
    ["EHOSTUNREACH", /cannot be reached/],
    ["ECONNRESET", /both sides use TLS/],
    ["ERR_SSL_WRONG_VERSION_NUMBER", /does not use TLS/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /server_name/],
    ["CERT_HAS_EXPIRED", /expired/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /ca_file/],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /ca_file/],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", /over TLS/],
    ["NOT_MQTT", /not in MQTT: this looks like the port of a web server.*usually has 1883/],
    ["TIMEOUT", /does not answer/],
    ["EWHATEVER", /cannot be reached: words/],
  ])("%s: %s", (code, says) => {
    const sentence = explainFailure(code, "words", "mqtt://nas:1883");
    expect(sentence).toMatch(says);
    expect(sentence).toContain("mqtt://nas:1883");
  });
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
