import { describe, expect, test } from "vitest";
import { loadText, loadVariables, problemsOf } from "./folder.ts";

const HERE = { host: "127.0.0.1", port: 8427 };

describe("http.listen", () => {
  test.each([
    ["{}", [HERE]],
    ["http:\n", [HERE]],
    ["http: { listen: off }", []],
    ["http: { listen: 9000 }", [{ host: null, port: 9000 }]],
    ['http: { listen: "9000" }', [{ host: null, port: 9000 }]],
    ["http: { listen: 0.0.0.0:80 }", [{ host: "0.0.0.0", port: 80 }]],
    ['http: { listen: "[::1]:8427" }', [{ host: "::1", port: 8427 }]],
    ["http: { listen: nas.local:8427 }", [{ host: "nas.local", port: 8427 }]],
    [
      'http: { listen: [127.0.0.1:8427, "[::1]:8427", 9000] }',
      [HERE, { host: "::1", port: 8427 }, { host: null, port: 9000 }],
    ],
    ["http: { listen: [] }", []],
    [
      "http: { listen: [{ at: 8099, allow: [172.30.32.2] }, 8427, { at: 127.0.0.1:8427 }] }",
      [
        { host: null, port: 8099, allow: [{ address: "172.30.32.2", prefix: 32, family: "ipv4" }] },
        { host: null, port: 8427 },
        HERE,
      ],
    ],
  ])("%j", async (text, listen) => {
    expect((await loadText(text)).config.http.listen).toEqual(listen);
  });

  test.each([
    ["off", []],
    ["9000", [{ host: null, port: 9000 }]],
    ["[::1]:8427", [{ host: "::1", port: 8427 }]],
    ["[127.0.0.1:8427, 127.0.0.2:8427]", [HERE, { host: "127.0.0.2", port: 8427 }]],
    ["[{ at: 127.0.0.1:8427, allow: [] }]", [{ ...HERE, allow: [] }]],
  ])("is a variable, too: %s", async (text, listen) => {
    expect((await loadVariables({ VIGIE_HTTP_LISTEN: text })).config.http.listen).toEqual(listen);
  });

  test("is refused with the same address twice: only one of them could count", async () => {
    const [problem] = await problemsOf(
      loadText("http: { listen: [{ at: 8099, allow: [172.30.32.2] }, 8099] }"),
    );
    expect(problem).toContain("http.listen[1]: expected each address once");
  });

  const EXPECTED =
    'expected off, a port such as 8427 (all interfaces), an address with a port such as 127.0.0.1:8427 or "[::1]:8427", or a list of these, got';
  test.each([
    ["127.0.0.1", '"127.0.0.1" (did you mean 127.0.0.1:8427?)'],
    ["http://127.0.0.1:8427/", '"http://127.0.0.1:8427/" (did you mean 127.0.0.1:8427?)'],
    ['"*:8427"', '"*:8427" (did you mean 8427?)'],
    ['":8427"', '":8427" (did you mean 8427?)'],
    ["offf", '"offf" (did you mean off?)'],
    ["127.0.0.1:99999", '"127.0.0.1:99999"'],
    ["300.0.0.1:80", '"300.0.0.1:80"'],
    ["70000", "70000"],
    ["0", "0"],
    ["80.5", "80.5"],
    ['"::1:8427"', '"::1:8427"'],
    ['"[::1::]:8427"', '"[::1::]:8427"'],
    ["true", "true"],
    ["{ port: 80 }", "key: value pairs"],
  ])("refuses %s, says what was expected, and what may be meant", async (value, got) => {
    const problems = await problemsOf(loadText(`http:\n  listen: ${value}\n`));
    expect(problems).toEqual([expect.stringContaining(`config/vigie.yaml:2:11 http.listen: ${EXPECTED} `)]);
    if (!got.startsWith("key")) expect(problems[0]).toContain(`${EXPECTED} ${got}`);
  });

  test("names the one of a list that is wrong, and the variable", async () => {
    const one =
      'expected a port from 1 to 65535 such as 8427 (all interfaces), or an address with a port such as 127.0.0.1:8427 or "[::1]:8427", got';
    const inList = one.replace(
      ", got",
      ", or { at: 8099, allow: [172.30.32.2] } with who may connect there, got",
    );
    expect(await problemsOf(loadText("http:\n  listen: [127.0.0.1:8427, off]\n"))).toEqual([
      `config/vigie.yaml:2:28 http.listen[1]: ${inList} "off"`,
    ]);
    expect(await problemsOf(loadText("http:\n  listen: [{ at: off }, { at: 80, allow: [here] }]\n"))).toEqual(
      [
        `config/vigie.yaml:2:18 http.listen[0].at: ${one} "off"`,
        'config/vigie.yaml:2:43 http.listen[1].allow[0]: expected an address or a network, such as 192.168.1.7, 192.168.1.0/24 or fd00::/8, got "here"',
      ],
    );
    expect(await problemsOf(loadVariables({ VIGIE_HTTP_LISTEN: "127.0.0.1:x" }))).toEqual([
      `VIGIE_HTTP_LISTEN: ${EXPECTED} "127.0.0.1:x"`,
    ]);
  });
});

describe.each(["allow", "proxies"] as const)("http.%s", (option) => {
  test("holds addresses and networks", async () => {
    const given = '[192.168.1.7, 10.0.0.0/8, "fd00::/8", "::1"]';
    const { config } = await loadText(`http: { ${option}: ${given} }`);
    expect(config.http[option]).toEqual([
      { address: "192.168.1.7", prefix: 32, family: "ipv4" },
      { address: "10.0.0.0", prefix: 8, family: "ipv4" },
      { address: "fd00::", prefix: 8, family: "ipv6" },
      { address: "::1", prefix: 128, family: "ipv6" },
    ]);
  });

  test.each(["192.168.1.0/33", "fd00::/129", "192.168.1", "nas.local", "::ffff:10.0.0.1", "10.0.0.0/", "*"])(
    "refuses %s",
    async (value) => {
      expect(await problemsOf(loadText(`http: { ${option}: ["${value}"] }`))).toEqual([
        expect.stringMatching(
          new RegExp(
            `http\\.${option}\\[0\\]: expected an address or a network, such as 192\\.168\\.1\\.7, 192\\.168\\.1\\.0/24 or fd00::/8, got`,
          ),
        ),
      ]);
    },
  );

  test("is a list, in the file and as a variable", async () => {
    const words = "expected a list of addresses or networks, such as [192.168.1.0/24], got";
    expect(await problemsOf(loadText(`http: { ${option}: 10.0.0.0/8 }`))).toEqual([
      expect.stringContaining(`${words} "10.0.0.0/8" (did you mean ["10.0.0.0/8"]?)`),
    ]);
    const name = `VIGIE_HTTP_${option.toUpperCase()}`;
    const { config } = await loadVariables({ [name]: "[10.0.0.0/8]" });
    expect(config.http[option]).toEqual([{ address: "10.0.0.0", prefix: 8, family: "ipv4" }]);
  });
});

describe("http.hosts", () => {
  test("holds names, in any case", async () => {
    const { config } = await loadText("http: { hosts: [Vigie.Example.org, nas] }");
    expect(config.http.hosts).toEqual(["vigie.example.org", "nas"]);
  });

  test.each(["http://vigie.example.org", "vigie.example.org:8427", "*.example.org", ""])(
    "refuses %j",
    async (value) => {
      expect(await problemsOf(loadText(`http: { hosts: ["${value}"] }`))).toEqual([
        expect.stringContaining(
          "http.hosts[0]: expected a host name without http:// and port, such as vigie.example.org, got",
        ),
      ]);
    },
  );
});

test.each([
  ["port: 80", "http.listen"],
  ["bind: 0.0.0.0", "http.listen"],
  ["whitelist: []", "http.allow"],
  ["trusted_proxies: []", "http.proxies"],
])("%s in the group http may mean %s", async (line, meant) => {
  const [problem] = await problemsOf(loadText(`http: { ${line} }`));
  expect(problem).toContain(`did you mean ${meant.split(".")[1]}?`);
});

test.each([
  ["hosts: http://vigie.example.org:8427/", '["vigie.example.org"]'],
  ["hosts: [vigie.example.org:8427]", "vigie.example.org"],
  ["allow: 192.168.1.0/24", '["192.168.1.0/24"]'],
])("http: { %s } has a suggestion that is right", async (line, meant) => {
  const [problem] = await problemsOf(loadText(`http: { ${line} }`));
  expect(problem).toContain(`(did you mean ${meant}?)`);
});

test("a range of addresses has no suggestion that would be refused", async () => {
  const [problem] = await problemsOf(loadText('http: { allow: "192.168.1.0-192.168.1.255" }'));
  expect(problem).not.toContain("did you mean");
});
