import { describe, expect, test } from "vitest";
import { officialAddress } from "../../src/config/official-options.ts";
import { folderWith, load, loadText, loadVariables, problemsOf } from "./folder.ts";

const REAL = "service: { base_url: https://days.example }\n";

describe("official.source", () => {
  test.each([
    [REAL, "off"],
    [`${REAL}official:\n`, "off"],
    [`${REAL}official: { source: off }`, "off"],
    [`${REAL}official: { source: rte }`, "rte"],
    [
      `${REAL}official: { source: "https://official.example/open_data/v1/" }`,
      "https://official.example/open_data/v1",
    ],
    [`${REAL}official: { source: "http://127.0.0.1:8787" }`, "http://127.0.0.1:8787"],
    [`${REAL}official: { source: "http://[::1]:8787" }`, "http://[::1]:8787"],
    [`${REAL}official: { source: "http://localhost/" }`, "http://localhost"],
    ["service: { base_url: none }\nofficial: { source: rte }", "rte"],
    ["service: { base_url: none }\nofficial: { source: simulator }", "simulator"],
    // Invented days have invented official colours, unless the option is set.
    ["{}", "simulator"],
    ["official: { source: off }", "off"],
    ["official: { source: simulator }", "simulator"],
  ])("%j", async (text, source) => {
    const { config } = await loadText(text);
    expect(config.official).toEqual({ source });
  });

  test("is a variable, too", async () => {
    expect((await loadVariables({})).config.official.source).toBe("off");
    expect((await loadVariables({ VIGIE_OFFICIAL_SOURCE: "off" })).config.official.source).toBe("off");
    const env = { VIGIE_SERVICE_BASE_URL: "none", VIGIE_OFFICIAL_SOURCE: "rte" };
    const { config } = await loadVariables(env);
    expect([config.service.base_url, config.official.source]).toEqual(["none", "rte"]);
  });

  test("names an address: that of RTE, and none where nobody is asked", () => {
    expect(officialAddress("off")).toBeNull();
    expect(officialAddress("rte")).toBe("https://www.services-rte.com/cms/open_data/v1");
    expect(officialAddress("https://official.example")).toBe("https://official.example");
  });

  test("at the address of the service gives a warning", async () => {
    const both = `${REAL}official: { source: https://days.example/ }`;
    expect((await loadText(both)).warnings).toEqual([
      "config/vigie.yaml:2:21 official.source: the same address as service.base_url. One server cannot check itself, and when it is down both sources are: for the colours of RTE itself, set rte",
    ]);
    expect((await loadText(`${REAL}official: { source: https://other.example }`)).warnings).toEqual([]);
  });
});

describe("what is refused", () => {
  const EXPECTED =
    "expected off, rte, simulator, or an address that begins with https:// (http:// only on this machine; no user or password, nothing after ? or #), got";

  test.each([
    ["http://official.example/v1", EXPECTED],
    ["ftp://official.example", EXPECTED],
    ["official.example", EXPECTED],
    ["https://me:secret@official.example", EXPECTED],
    ["https://official.example/?a=b", EXPECTED],
    ["RTE", EXPECTED],
    ["none", EXPECTED],
    ["https://official.example:99999", "expected an address with a port from 1 to 65535"],
    [
      "https://official.example/tempoLight",
      "expected the address without /tempoLight, which vigie adds itself",
    ],
  ])("official.source: %s", async (source, words) => {
    const problems = await problemsOf(loadText(`${REAL}official:\n  source: ${source}\n`));
    expect(problems).toEqual([expect.stringContaining(`config/vigie.yaml:3:11 official.source: ${words}`)]);
    expect(problems.join()).not.toContain("secret");
  });

  test.each([
    ["RTE", "rte"],
    ["edf", "rte"],
    ["NONE", "off"],
    ["aucun", "off"],
    ["Off", "off"],
    ["simulateur", "simulator"],
  ])("official.source: %s, with the word that is meant", async (source, meant) => {
    expect(await problemsOf(loadText(`${REAL}official: { source: ${source} }`))).toEqual([
      expect.stringContaining(`got "${source}" (did you mean ${meant}?)`),
    ]);
  });

  test.each(["NONE", "aucun", "off"])("service.base_url: %s, with none, which is meant", async (base_url) => {
    const text = `service: { base_url: ${base_url} }\nofficial: { source: rte }\n`;
    expect(await problemsOf(loadText(text))).toEqual([
      expect.stringContaining(`got "${base_url}" (did you mean none?)`),
    ]);
  });

  test("a value that is no text", async () => {
    expect(await problemsOf(loadText(`${REAL}official: { source: 1 }`))).toEqual([
      expect.stringContaining(`official.source: ${EXPECTED} 1`),
    ]);
  });

  test.each(["", "official: { source: off }\n"])(
    "service.base_url: none without official colours: %j",
    async (official) => {
      expect(await problemsOf(loadText(`service: { base_url: none }\n${official}`))).toEqual([
        expect.stringMatching(
          /official\.source: expected rte or an address, because with service\.base_url: none nothing else names a colour, got (nothing|"off")$/,
        ),
      ]);
    },
  );

  test("a source in place of the section, with one line also without a service", async () => {
    const problems = await problemsOf(loadText("service: { base_url: none }\nofficial: rte\n"));
    expect(problems).toEqual([expect.stringContaining("did you mean { source: rte }?")]);
  });

  const SERVICE =
    "expected the address of a service, or none for official colours only (official.source), because";

  test.each(["rte", "https://official.example"])(
    "invented days beside the real colours of %s: the service is named, or is none",
    async (source) => {
      for (const broker of ["", "mqtt: { url: mqtt://broker }\n"]) {
        expect(await problemsOf(loadText(`${broker}official: { source: "${source}" }\n`))).toEqual([
          expect.stringMatching(
            /service\.base_url: expected .*, because official\.source names real colours, got nothing\. Real and/,
          ),
        ]);
      }
      expect(
        await problemsOf(loadText(`service: { base_url: simulator }\nofficial: { source: "${source}" }\n`)),
      ).toEqual([
        `config/vigie.yaml:1:22 service.base_url: ${SERVICE} official.source names real colours, got "simulator". Real and invented days are never mixed`,
      ]);
    },
  );

  test("invented days on a real broker, where the service may be none", async () => {
    expect(await problemsOf(loadText("mqtt: { url: mqtt://broker }\n"))).toEqual([
      expect.stringContaining(`service.base_url: ${SERVICE} mqtt.url names a real broker, got nothing`),
    ]);
  });

  test("no service at all in the variables: one sentence, which names none", async () => {
    const env = { VIGIE_OFFICIAL_SOURCE: "rte", VIGIE_MQTT_URL: "mqtt://broker" };
    expect(await problemsOf(load({ cwd: await folderWith(), env }))).toEqual([
      expect.stringMatching(
        /^VIGIE_SERVICE_BASE_URL: expected the address of a service, or none for official colours only \(official\.source\), got nothing, and/,
      ),
    ]);
  });

  test.each(["", "mqtt: { url: mqtt://broker }\n"])(
    "invented official colours beside the real days of a service: %j",
    async (broker) => {
      for (const allow_simulator of [false, true]) {
        const service = `service: { base_url: https://days.example, allow_simulator: ${allow_simulator} }\n`;
        expect(await problemsOf(loadText(`${service}${broker}official: { source: simulator }\n`))).toEqual([
          expect.stringMatching(
            /official\.source: expected off, rte or an address, because service\.base_url is no simulator, got "simulator"\. Real and invented days are never mixed$/,
          ),
        ]);
      }
    },
  );

  test("invented official colours on a real broker, unless service.allow_simulator is set", async () => {
    const broker = "mqtt: { url: mqtt://broker }\nofficial: { source: simulator }\n";
    expect(await problemsOf(loadText(`service: { base_url: none }\n${broker}`))).toEqual([
      expect.stringContaining(
        "official.source: expected off, rte or an address, because mqtt.url names a real broker, got",
      ),
    ]);
    const allowed = await loadText(`service: { base_url: none, allow_simulator: true }\n${broker}`);
    expect(allowed.config.official.source).toBe("simulator");
  });
});

describe("a rule that only a forecast could turn", () => {
  const rules = "rules: [{ id: ahead, when: { day: d3, color: rouge } }]\n";

  test("is warned of with service.base_url: none only", async () => {
    const none = await loadText(`service: { base_url: none }\nofficial: { source: rte }\n${rules}`);
    expect(none.warnings).toEqual([
      expect.stringMatching(
        /rules\[0\] ahead: only a forecast service could turn it ON, and service.base_url is none: RTE names only today and tomorrow, and no count of days \(left is what vigie counts\)$/,
      ),
    ]);
    expect((await loadText(`${REAL}official: { source: rte }\n${rules}`)).warnings).toEqual([]);
  });
});
