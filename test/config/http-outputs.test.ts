import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NOBODY } from "../support/ports.ts";
import { folderWith, load, loadText, loadVariables, problemsOf, SHIPPED_PLACE } from "./folder.ts";

const RULES =
  "rules:\n  - { id: peak, when: { day: now, color: rouge } }\n  - { id: low, when: { period: hc } }\n";
const OFF = 'choose: [{ when: peak, payload: "off" }]';
const OFF_ON = `${OFF}, else: "on"`;
const RELAY = "http://192.0.2.40/relay/0";

const textWith = (outputs: string) => `${RULES}outputs: ${outputs}\n`;

async function outputWith(options: string) {
  const { config } = await loadText(textWith(`[{ ${options} }]`));
  return config.outputs.list[0]!;
}

async function refusals(outputs: string): Promise<string[]> {
  return problemsOf(loadText(textWith(outputs)));
}

async function warningsOf(outputs: string, inContainer = false): Promise<string[]> {
  const cwd = await folderWith({ [SHIPPED_PLACE]: textWith(outputs), secret: "x" });
  return (await load({ cwd, inContainer })).warnings;
}

describe("an output over HTTP", () => {
  test("has the defaults of a request, its id as its name, and no topic", async () => {
    expect(await outputWith(`id: boiler, url: "${RELAY}?turn={payload}", ${OFF_ON}`)).toEqual({
      id: "boiler",
      name: { fr: "boiler", en: "boiler" },
      language: "fr",
      key: expect.stringMatching(/^http:boiler:[0-9a-f]{8}$/),
      to: { kind: "http", place: "http://192.0.2.40", url: `${RELAY}?turn={payload}`, method: "GET" },
      access: { headers: {} },
      message: false,
      choose: [{ when: "peak", payload: "off" }],
      else: { payload: "on" },
    });
  });

  test("has what is given, with the files relative to the working folder", async () => {
    const cwd = await folderWith({
      "secret.txt": "",
      "ca.pem": "",
      [SHIPPED_PLACE]: `${RULES}outputs:
  - id: phone
    name: Phone
    url: "https://u@NTFY.example.org:443/{secret}?id={id}"
    method: PUT
    content_type: "text/plain; charset=utf-8"
    headers: { Authorization2: "Bearer {secret}", X-Priority: high }
    secret_file: secret.txt
    tls: { ca_file: ./ca.pem }
    message: true
    choose: [{ when: peak, payload: "{next.date}" }]
    unknown: "?"
`,
    });
    const { config, warnings } = await load({ cwd });
    expect(warnings).toEqual([]);
    expect(config.outputs.list).toEqual([
      {
        id: "phone",
        name: { fr: "Phone", en: "Phone" },
        language: "fr",
        key: expect.stringMatching(/^http:phone:[0-9a-f]{8}$/),
        to: {
          kind: "http",
          place: "https://ntfy.example.org",
          url: "https://u@NTFY.example.org:443/{secret}?id={id}",
          method: "PUT",
          content_type: "text/plain; charset=utf-8",
        },
        access: {
          headers: { Authorization2: "Bearer {secret}", "X-Priority": "high" },
          secret_file: join(cwd, "secret.txt"),
          ca_file: join(cwd, "ca.pem"),
        },
        message: true,
        choose: [{ when: "peak", payload: "{next.date}" }],
        unknown: { payload: "?" },
      },
    ]);
  });

  test.each([
    [`url: "${RELAY}"`, "POST"],
    [`url: "${RELAY}/{payload}"`, "GET"],
    [`url: "${RELAY}/{payload}", method: POST`, "POST"],
    [`url: "${RELAY}", method: GET`, "GET"],
  ])("%s is requested by %s", async (options, method) => {
    expect((await outputWith(`id: a, ${options}, ${OFF}`)).to).toMatchObject({ method });
  });

  test("may share its address with another one if the bodies differ, and messages may", async () => {
    const texts = [
      `[{ id: a, url: "${RELAY}", ${OFF} }, { id: b, url: "${RELAY}", ${OFF} }]`,
      `[{ id: a, url: "${RELAY}/{payload}", message: true, ${OFF} }, { id: b, url: "${RELAY}/{payload}", message: true, ${OFF} }]`,
    ];
    for (const text of texts) expect((await loadText(textWith(text))).config.outputs.list).toHaveLength(2);
  });

  test("may be confirmed by an address, and one at a topic too", async () => {
    const asked = { kind: "http", place: "http://192.0.2.40", url: RELAY };
    const byAddress = await outputWith(
      `topic: a, ${OFF}, headers: { X: y }, confirm: { url: "${RELAY}", keep: true }`,
    );
    expect(byAddress.confirm).toEqual({ from: asked, every: 30_000, for: 3_600_000, keep: true });
    expect([byAddress.to.kind, byAddress.access]).toEqual(["mqtt", { headers: { X: "y" } }]);
    const byTopic = await outputWith(`id: a, url: "${RELAY}", ${OFF}, confirm: { topic: b }`);
    expect(byTopic.confirm?.from).toEqual({ kind: "mqtt", topic: "b" });
  });

  test.each([
    ["online", "online"],
    ["true", "true"],
    ["1", "1"],
    ["{ state: online }", { state: "online" }],
  ])("may be told again when its device says %s", async (given, equals) => {
    const { confirm } = await outputWith(
      `topic: a, ${OFF}, confirm: { topic: b, online: { topic: c, equals: ${given} } }`,
    );
    expect(confirm?.online).toEqual({ topic: "c", equals });
  });

  test.each([
    [
      `[{ ${OFF} }]`,
      "outputs[0].topic: expected topic (the topic of the device, at the broker) or url (the address of the device, over HTTP), one of the two, got nothing",
    ],
    [`[{ id: a, topic: b, url: "${RELAY}", ${OFF} }]`, "outputs[0].url: expected topic or url, not both"],
    [`[{ uri: "${RELAY}", id: a, ${OFF} }]`, 'got "uri" (did you mean url?)'],
    [
      `[{ url: "${RELAY}", ${OFF} }]`,
      "outputs[0].id: expected an id, because vigie makes none of an address",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { path: b } }]`,
      "outputs[0].confirm.topic: expected confirm.topic (the topic on which",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { topic: b, url: "${RELAY}" } }]`,
      "outputs[0].confirm.url: expected confirm.topic or confirm.url, not both",
    ],
    [
      `[{ id: a, url: "ftp://192.0.2.40/", ${OFF} }]`,
      "outputs[0].url: expected an address that begins with http:// or https://",
    ],
    [`[{ id: a, url: "192.0.2.40/x", ${OFF} }]`, "got a text of 12 characters"],
    [`[{ id: a, url: "${RELAY}#x", ${OFF} }]`, "outputs[0].url: expected an address without #"],
    [`[{ id: a, url: "${RELAY} x", ${OFF} }]`, "expected an address without spaces"],
    [`[{ id: a, url: "http://h:0/", ${OFF} }]`, "expected an address with a port from 1 to 65535"],
    [`[{ id: a, url: "http://u%x@h/", ${OFF} }]`, "have each % written as %25"],
    ...["{payload}://h/", "http://{payload}/", "http://h:{payload}/", "http://{secret}:x@h/"].map((url) => [
      `[{ id: a, url: "${url}", ${OFF} }]`,
      "outputs[0].url: expected an address without { and } before its path",
    ]),
    [
      `[{ id: a, url: "${RELAY}/{paylod}", ${OFF} }]`,
      "expected an address with no { and } but those of {payload}, {secret}, {id} (write others as %7B and %7D)",
    ],
    [`[{ id: a, url: ${RELAY}/{payload}, ${OFF} }]`, "expected quotes around an address with a placeholder"],
    [
      `[{ topic: a, ${OFF}, confirm: { url: "${RELAY}/{payload}" } }]`,
      "outputs[0].confirm.url: expected an address without {payload}: vigie only asks there",
    ],
    [`[{ topic: a, ${OFF}, confirm: { url: "${RELAY}/{id}" } }]`, "but those of {secret}"],
    [
      `[{ id: a, url: "${RELAY}?turn={payload}", ${OFF}, confirm: { url: "${RELAY}?turn=off" } }]`,
      "outputs[0].confirm.url: expected another address than that of a GET",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { url: "${RELAY}?turn=toggle" } }]`,
      "outputs[0].confirm.url: expected an address without toggle: vigie asks there again and again",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { url: "${RELAY}" } }, { id: b, url: "${RELAY}", method: GET, ${OFF} }]`,
      "outputs[0].confirm.url: expected another address than that of a GET",
    ],
    [
      `[{ id: a, url: "${RELAY}?turn={payload}", ${OFF} }, { id: b, url: "${RELAY}?turn={payload}", ${OFF} }]`,
      "outputs[1].url: expected another address than every other output",
    ],
    [
      `[{ id: a, url: "${RELAY}", method: GET, ${OFF_ON} }]`,
      "outputs[0].url: expected an address with {payload}, because this output has 2 payloads",
    ],
    [
      `[{ id: a, url: "${RELAY}", method: GET, choose: [{ when: peak, payload: "{next.color}" }] }]`,
      "expected an address with {payload}, because the payload changes",
    ],
    [
      `[{ id: a, url: "${RELAY}", ${OFF_ON}, confirm: { url: "${RELAY}", path: ison } }]`,
      "outputs[0].else: expected an expect beside this payload",
    ],
    [`[{ id: a, url: "${RELAY}", qos: 1, ${OFF} }]`, "outputs[0].qos: expected no qos beside url"],
    [
      `[{ id: a, url: "${RELAY}", retain: false, ${OFF} }]`,
      "outputs[0].retain: expected no retain beside url",
    ],
    [`[{ topic: a, method: GET, ${OFF} }]`, "outputs[0].method: expected no method beside topic"],
    [`[{ topic: a, content_type: a/b, ${OFF} }]`, "outputs[0].content_type: expected no content_type beside"],
    [`[{ topic: a, headers: {}, ${OFF} }]`, "outputs[0].headers: expected no headers here: without url and"],
    [`[{ topic: a, secret_file: /x, ${OFF} }]`, "outputs[0].secret_file: expected no secret_file here"],
    [`[{ topic: a, tls: {}, ${OFF} }]`, "outputs[0].tls: expected no tls here"],
    [
      `[{ id: a, url: "${RELAY}", method: get, ${OFF} }]`,
      'expected GET, POST or PUT, got "get" (did you mean GET?)',
    ],
    [`[{ topic: a, message: true, ${OFF_ON} }]`, "outputs[0].else: expected no else beside message: true"],
    [
      `[{ topic: a, message: true, ${OFF}, confirm: { topic: b } }]`,
      "outputs[0].confirm: expected no confirm beside message: true",
    ],
    [`[{ id: a, url: "${RELAY}/{secret}", ${OFF} }]`, "outputs[0].url: expected secret_file beside it"],
    [
      `[{ id: a, url: "${RELAY}", headers: { X: "{secret}" }, ${OFF} }]`,
      "outputs[0].headers.X: expected secret_file beside it",
    ],
    [
      `[{ id: a, url: "${RELAY}", secret_file: /x, ${OFF} }]`,
      "outputs[0].secret_file: expected {secret} in an address or in a header of this output",
    ],
    [
      `[{ id: a, url: "${RELAY}", headers: { content-type: a/b }, content_type: a/b, ${OFF} }]`,
      "outputs[0].content_type: expected content_type or the header content-type, not both",
    ],
    [
      `[{ id: a, url: "http://u:p@192.0.2.40/", headers: { Authorization: x }, ${OFF} }]`,
      "outputs[0].url: expected a user in the address or the header Authorization, not both",
    ],
    ...["Host", "content-length", "Connection", "COOKIE"].map((name) => [
      `[{ id: a, url: "${RELAY}", headers: { ${name}: x }, ${OFF} }]`,
      `outputs[0].headers.${name}: expected another header`,
    ]),
    [`[{ id: a, url: "${RELAY}", headers: { X: 1 }, ${OFF} }]`, "headers.X: expected a text, in quotes"],
    [
      `[{ id: a, url: "${RELAY}", headers: { X: "a\\nb" }, ${OFF} }]`,
      "headers.X: expected a text of one line",
    ],
    [
      `[{ id: a, url: "${RELAY}", headers: { X: "a\\rb" }, ${OFF} }]`,
      "headers.X: expected a text of one line",
    ],
    [`[{ id: a, url: "${RELAY}", headers: { X: é }, ${OFF} }]`, "headers.X: expected a text of one line"],
    [`[{ id: a, url: "${RELAY}", headers: { X: "{payload}" }, ${OFF} }]`, "no placeholder but {secret}"],
    [`[{ id: a, url: "${RELAY}", headers: { X: a, x: b }, ${OFF} }]`, "headers.x: expected each header once"],
    [`[{ id: a, url: "${RELAY}", headers: { é: a }, ${OFF} }]`, "outputs[0].headers: expected the names of"],
    [
      `[{ id: a, url: "${RELAY}", headers: { "X\\r\\nY": a }, ${OFF} }]`,
      "outputs[0].headers: expected the names",
    ],
    [
      `[{ id: a, url: "${RELAY}", ${OFF} }, { id: a, url: "http://h/", ${OFF} }]`,
      "outputs[1].id: expected an id that no other output has: a is that of the output for http://192.0.2.40",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { topic: c, keep: true } }, { topic: b, ${OFF}, confirm: { topic: c, keep: true } }]`,
      "outputs[1].confirm.keep: expected keep in one output only",
    ],
    [
      `[{ topic: a, choose: [{ when: peak, payload: { state: "OFF" } }], confirm: { topic: c, keep: true } }, { topic: b, ${OFF}, confirm: { topic: c, path: state, keep: true } }]`,
      "outputs[1].confirm.keep: expected keep in one output only",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { url: "http://192.0.2.40:80/x", keep: true } }, { topic: b, ${OFF}, confirm: { url: "http://192.0.2.40/x", keep: true } }]`,
      "outputs[1].confirm.keep: expected keep in one output only",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { topic: c, online: { topic: vigie/x, equals: x } } }]`,
      "outputs[0].confirm.online.topic: expected a topic outside of mqtt.base_topic (vigie)",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { topic: c, online: { topic: homeassistant/x, equals: x } } }]`,
      "outputs[0].confirm.online.topic: expected a topic outside of homeassistant.prefix",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { topic: c, online: { topic: a, equals: x } } }]`,
      "outputs[0].confirm.online.topic: expected another topic than that of the output",
    ],
    [`[{ topic: a, ${OFF}, confirm: { topic: c, online: { topic: "x/#", equals: x } } }]`, "no + or #"],
    [
      `[{ topic: a, ${OFF}, confirm: { topic: c, online: { topic: x } } }]`,
      "outputs[0].confirm.online.equals: expected a text, a number, true, false, or an object",
    ],
    [
      `[{ topic: a, ${OFF}, confirm: { topic: c, online: { topic: x, equals: "{now.color}" } } }]`,
      "outputs[0].confirm.online.equals: expected what the device always says when it is there",
    ],
  ])("%s is refused, and why", async (outputs, words) => {
    expect((await refusals(outputs!)).join("\n")).toContain(words);
  });

  test.each([
    ["?turn=toggle", "off", "url: expected an address without toggle"],
    ["?turn=%74oggle", "off", "url: expected an address without toggle"],
    ["/rpc/Switch.Toggle?id=0", "off", "url: expected an address without toggle"],
    ["?turn={payload}&timer=60", "off", "url: expected an address without timer"],
    ["?cmnd={payload}", "POWER TOGGLE", "choose[0].payload: expected a payload without toggle"],
    ["?cmnd={payload}", "cycle", "choose[0].payload: expected a payload without cycle"],
  ])("%s with %j is refused: vigie sends it again when no answer comes", async (rest, payload, words) => {
    const outputs = `[{ id: a, url: "${RELAY}${rest}", choose: [{ when: peak, payload: "${payload}" }] }]`;
    expect((await refusals(outputs)).join("\n")).toContain(
      `outputs[0].${words}, because vigie sends a request again when no answer comes`,
    );
  });

  test.each([
    `[{ id: a, url: "http://timer.local/x?turn={payload}", ${OFF_ON} }]`,
    `[{ id: a, url: "${RELAY}/timers", ${OFF} }]`,
    `[{ id: a, url: "${RELAY}", message: true, choose: [{ when: peak, payload: "The timer is set" }] }]`,
    `[{ id: a, url: "${RELAY}", ${OFF} }, { id: b, url: "${RELAY}", ${OFF} }]`,
    `[{ id: a, url: "${RELAY}", ${OFF}, confirm: { url: "${RELAY}", path: ison, expect: "false" } }]`,
    `[{ topic: a, ${OFF}, confirm: { topic: c, path: x, keep: true } }, { topic: b, ${OFF}, confirm: { topic: c, path: y, keep: true } }]`,
    `[{ topic: a, ${OFF}, confirm: { topic: c, keep: true } }, { topic: b, ${OFF}, confirm: { topic: c } }]`,
  ])("%s is right", async (outputs) => {
    expect(await warningsOf(outputs)).toEqual([]);
  });
});

test("with another address an output is another device: nothing is known of it, and the state file shows no address", async () => {
  const keyOf = async (url: string) => (await outputWith(`id: a, url: "${url}", ${OFF}`)).key;
  const [one, other, again] = await Promise.all([keyOf(RELAY), keyOf(`${RELAY}/1`), keyOf(RELAY)]);
  expect(one).not.toBe(other);
  expect(one).toBe(again);
  expect(one).not.toContain("192.0.2.40");
});

describe("what an output keeps secret", () => {
  const HOSTILE = [
    `[{ id: a, url: "h/S3CRET", ${OFF} }]`,
    `[{ id: a, url: S3CRET, ${OFF} }]`,
    `[{ id: a, url: http://h/{S3CRET}, ${OFF} }]`,
    `[{ id: a, url: {S3CRET}, ${OFF} }]`,
    `[{ id: a, url: ["http://h/S3CRET"], ${OFF} }]`,
    `[{ id: a, url:http://h/S3CRET, ${OFF} }]`,
    `[{ id: a, "http://h/S3CRET", ${OFF} }]`,
    `[{ id: a, http://h/S3CRET, http://h/S3CRET, ${OFF} }]`,
    `[{ id: a, url: 'http://h/S3CRET'x, ${OFF} }]`,
    `[{ id: a, url: "http://h/S3CRET, ${OFF} }]`,
    '"http://h/S3CRET"',
    '["http://h/S3CRET"]',
    `[{ topic: "http://h/S3CRET", ${OFF} }, { topic: "http://h/S3CRET", ${OFF} }]`,
    `[{ id: "http://h/S3CRET", url: "ftp://u:S3CRET@h/S3CRET", ${OFF} }, { id: "http://h/S3CRET", topic: a, ${OFF} }]`,
    `[{ id: a, url: "slack://S3CRET", ${OFF} }]`,
    `[{ id: a, url: "discord://S3CRET@S3CRET/x", ${OFF} }]`,
    `[{ id: a, url: "http://u:S3CRET@h:99999/S3CRET", ${OFF} }]`,
    `[{ id: a, url: "http://u:S3CRET%@h/S3CRET", ${OFF} }]`,
    `[{ id: a, url: "http:///S3CRET", ${OFF} }]`,
    `[{ id: a, url: "http:S3CRET", ${OFF} }]`,
    `[{ id: a, url: "http:\\\\S3CRET", ${OFF} }]`,
    `[{ id: a, url: "http://h/S3CRET #", headers: { X: S3CRETé, Host: S3CRET, "Y S3CRET": S3CRET }, ${OFF} }]`,
    `[{ id: a, url: "http://h/", headers: { X: S3CRETé, Host: S3CRET, l: [S3CRET], p: "{x} S3CRET" }, ${OFF} }]`,
    `[{ id: a, url: "http://h/", headers: { X: 53123 }, ${OFF} }]`,
    `[{ id: a, url: "http://h/", headers: S3CRET, ${OFF} }]`,
    `[{ id: a, url: "http://h/", headers: [S3CRET], ${OFF} }]`,
    `[{ id: a, url: "http://h/", headers: { Authorization:S3CRET }, ${OFF} }]`,
    `[{ id: a, url: "http://h/", headers: { S3CRET }, ${OFF} }]`,
    `[{ id: a, url: "http://h/", headers: { S3CRET, S3CRET }, ${OFF} }]`,
    `\n  - id: a\n    url: http://h/S3CRET: x\n    ${OFF}`,
    `\n  - id: a\n    headers:\n      Authorization: Bearer: S3CRET\n    ${OFF}`,
    `[{ id: a, url: "http://h/S3CRET", secret_file: S3CRET, ${OFF} }]`,
    `[{ id: a, url: "http://h/{secret}/S3CRET", ${OFF} }]`,
    `[{ id: a, url: "http://h/S3CRET{x}", ${OFF}, confirm: { url: "http://h/S3CRET/{payload}" } }]`,
    `[{ id: a, url: "http://h/S3CRET?turn={payload}&timer=4", ${OFF}, confirm: { url: "http://h/S3CRET?turn=off&timer=4" } }]`,
    `[{ id: a, url: "http://h/S3CRET", ${OFF} }, { id: a, url: "http://u:S3CRET@h/", qos: 1, ${OFF} }]`,
  ];

  test.each(HOSTILE)("is in no problem: %s", async (outputs) => {
    const inFile = await refusals(outputs);
    const inVariable = await problemsOf(
      loadVariables({ VIGIE_RULES: RULES.slice(6), VIGIE_OUTPUTS: outputs }),
    );
    expect(inFile.length).toBeGreaterThan(0);
    expect(inVariable.length).toBeGreaterThan(0);
    expect([...inFile, ...inVariable].join("\n")).not.toMatch(/S3CRET|53123/i);
  });

  test("is in no warning", async () => {
    const warnings = await warningsOf(
      `[{ id: a, url: "http://u:S3CRET@example.org/bot1:S3CRET?token=S3CRET", headers: { X-Api-Key: S3CRET }, ${OFF} }, { id: b, url: "http://h/S3CRET/{secret}", secret_file: S3CRET, ${OFF} }]`,
      true,
    );
    expect(warnings.length).toBeGreaterThan(3);
    expect(warnings.join("\n")).not.toContain("S3CRET");
  });
});

describe("a warning is given", () => {
  const FILE = "secret_file: ./secret";

  test.each([
    [
      'url: "http://10.0.0.1/x?token=abc"',
      "outputs[0].url: what follows token= is written out in this address",
    ],
    ['url: "http://10.0.0.1/x?user=a&Password=abc"', "outputs[0].url: what follows Password= is written out"],
    ['url: "https://api.telegram.org/bot12:ab/send"', "the token of the bot is written out"],
    ['url: "http://u:p@10.0.0.1/x"', "outputs[0].url: the password is written out in this address"],
    [
      'url: "http://10.0.0.1/x", headers: { Authorization: Bearer x }',
      "outputs[0].headers.Authorization: it is probably a secret",
    ],
    [
      'url: "http://10.0.0.1/x", headers: { X-Gotify-Key: x }',
      "outputs[0].headers.X-Gotify-Key: it is probably a secret",
    ],
    [
      `url: "http://example.org/{secret}", ${FILE}`,
      "outputs[0].url: a secret is sent to http://example.org without encryption",
    ],
    [
      `url: "http://[2001:db8::1]/", headers: { X: "{secret}" }, ${FILE}`,
      "a secret is sent to http://[2001:db8::1] without encryption",
    ],
    [
      'url: "http://10.0.0.1/{secret}", secret_file: ./absent',
      "outputs[0].secret_file: the file that is named there cannot be read now (it does not exist)",
    ],
    ['url: "https://h/", tls: { ca_file: ./absent }', "outputs[0].tls.ca_file: the file that is named there"],
    [
      'url: "http://h/", tls: { ca_file: ./secret }',
      "outputs[0].tls.ca_file: set, but no address of this output",
    ],
  ])("of %s", async (options, words) => {
    const warnings = await warningsOf(`[{ id: a, ${options}, ${OFF} }]`);
    expect(warnings).toEqual([expect.stringContaining(words)]);
  });

  test.each([
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.4",
    "127.0.0.1",
    "169.254.1.1",
    "[fd00::1]",
    "[fe80::1]",
    "[::1]",
    "localhost",
    "plug.local",
    "plug.lan",
    "plug.home",
    "plug.internal",
    "plug.home.arpa",
    "plug",
  ])("of no secret that is sent to %s", async (host) => {
    expect(await warningsOf(`[{ id: a, url: "http://${host}/{secret}", ${FILE}, ${OFF} }]`)).toEqual([]);
  });

  test("of a .local name and of the machine itself, in a container only", async () => {
    const local = `[{ id: a, url: "http://plug.local/", ${OFF} }]`;
    const own = `[{ id: a, url: "http://${NOBODY}/", ${OFF} }]`;
    expect([...(await warningsOf(local)), ...(await warningsOf(own))]).toEqual([]);
    expect(await warningsOf(local, true)).toEqual([expect.stringContaining("ends in .local")]);
    expect(await warningsOf(own, true)).toEqual([
      expect.stringContaining("outputs[0].url: nothing answers there: in a container this address is"),
    ]);
  });

  test("of keep with qos: 0", async () => {
    expect(await warningsOf(`[{ topic: a, qos: 0, ${OFF}, confirm: { topic: b, keep: true } }]`)).toEqual([
      expect.stringContaining("outputs[0].qos: 0, so that a payload may be lost on its way to the broker"),
    ]);
  });

  test("of a rule that listens to the topic by which its own output is confirmed", async () => {
    const rules =
      "rules: [{ id: low, when: { mqtt: { topic: b, above: 1, max_age: 1h } }, hold: 10m, when_unknown: off }]\n";
    const outputs = `outputs: [{ id: a, url: "${RELAY}", choose: [{ when: low, payload: x }], confirm: { topic: b } }]`;
    expect((await loadText(rules + outputs)).warnings).toEqual([
      expect.stringContaining(
        "outputs[0].confirm.topic: rule low listens to b, by which this output is confirmed",
      ),
    ]);
  });
});
