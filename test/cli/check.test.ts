import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { check } from "../../src/cli/check.ts";
import { checkLive } from "../../src/cli/check-live.ts";
import { emptyState } from "../../src/state/state.ts";
import { serialiseState } from "../../src/state/state-format.ts";
import { folderWith } from "../config/folder.ts";
import { knownDaysOf, official } from "../support/known-days.ts";
import { runCommand } from "../support/run-command.ts";

async function run(args: string[], env: NodeJS.ProcessEnv = {}, text = "{}") {
  const cwd = await folderWith({ "config/vigie.yaml": text });
  return runCommand((io) => check(args, io), { env, cwd });
}

vi.mock("../../src/cli/check-live.ts");
const live = vi.mocked(checkLive);
beforeEach(() => void live.mockReset().mockResolvedValue(["broker"]));

const OPTIONS = "The options of this command are --config, --live, --help, --version";

describe("vigie check", () => {
  test("says that all is right, and what matters of it", async () => {
    const { code, out, err } = await run([], { VIGIE_MQTT_URL: "embedded" });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /^The configuration is right\.\n {2}file .*config\/vigie\.yaml\n {2}source +simulator \(invented days\)\n/,
    );
    expect(live).not.toHaveBeenCalled();
  });

  test.each(["install.sh", "uninstall.sh"])(
    "says what %s looks for where the days are invented",
    async (script) => {
      const text = await readFile(join(import.meta.dirname, "..", "..", "systemd", script), "utf8");
      const sought = [...text.matchAll(/\*'([^']+)'\*/g)].map(([, words = ""]) => words);
      const { out } = await run([], { VIGIE_MQTT_URL: "embedded" });
      expect(sought).not.toEqual([]);
      for (const words of sought) expect(out).toContain(words);
    },
  );

  test("shows the broker and its user, but no password", async () => {
    const env = {
      VIGIE_SERVICE_BASE_URL: "https://days.example",
      VIGIE_MQTT_URL: "mqtt://me:hunter2@b:1884",
    };
    const { code, out, err } = await run([], env);
    expect(code).toBe(0);
    expect(out).toContain("broker    mqtt://b:1884 as me");
    expect(out + err).not.toContain("hunter2");
  });

  test.each([
    ["127.0.0.1:8427", "127.0.0.1:8427 (this machine only)"],
    ["8427", "port 8427 (open to every machine that reaches it, without a login)"],
    [
      "[{ at: 8099, allow: [172.30.32.2] }, 127.0.0.1:8427]",
      "port 8099 (open to 172.30.32.2/32, without a login), 127.0.0.1:8427 (this machine only)",
    ],
    ["off", "off"],
  ])("says who can reach the page at %s", async (listen, words) => {
    const { out } = await run([], { VIGIE_MQTT_URL: "embedded", VIGIE_HTTP_LISTEN: listen });
    expect(out).toContain(`  page      ${words}\n`);
  });

  test.each([
    ['["22:00-06:00", "12:00-14:00"]', "22:00-06:00, 12:00-14:00"],
    ["[]", "none"],
    [
      `[{ from: 2999-01-01, windows: none }, { months: [1, feb], weekdays: sat, windows: ["00:00-24:00"] },
        { from: 2026-01-01, windows: ["01:00-07:00", "13:00-14:00"], weekdays: [mon, tue, wed, thu, fri, sat, sun], months: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }, { windows: ["22:00-06:00"] }]`,
      `from 2999-01-01: none
            jan feb, sat: 00:00-24:00
            from 2026-01-01, jan feb mar apr may jun jul aug sep oct nov dec, mon tue wed thu fri sat sun: 01:00-07:00, 13:00-14:00 (today)
            else: 22:00-06:00`,
    ],
  ])("prints the off-peak hours %s, and which row counts today", async (off_peak, words) => {
    const { out } = await run([], { VIGIE_MQTT_URL: "embedded" }, `tariff: { off_peak: ${off_peak} }`);
    expect(out).toContain(`  off-peak  ${words}\n`);
  });

  describe("says that prices have grown old", () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["Date"], now: new Date("2027-05-03T12:00:00+02:00") });
      return () => vi.useRealTimers();
    });
    const OLD = "The newest prices of tariff.rates began on 2026-08-01, more than eight months ago, and";
    const DO = ". Compare them with your contract, and add a row with the new ones";
    const SERVICE = "https://days.example";
    async function runWith(base_url: string, state?: string) {
      const env = {
        VIGIE_SERVICE_BASE_URL: base_url,
        VIGIE_OFFICIAL_SOURCE: "rte",
        VIGIE_MQTT_URL: "embedded",
      };
      const cwd = await folderWith({
        "config/vigie.yaml": "{}",
        ...(state !== undefined && { "state/state.json": state }),
      });
      const { code, err } = await runCommand((io) => check([], io), { env, cwd });
      return { code, err: err.replaceAll(cwd, "") };
    }
    const stateWith = (rates: { hp: number | null; hc: null }) => {
      const days = knownDaysOf({ "2027-05-02": official("bleu", { rates }) });
      return serialiseState({ ...emptyState("here"), books: { [SERVICE]: days }, clients: {} });
    };

    test("without a service", async () => {
      expect(await runWith("none")).toEqual({
        code: 0,
        err: `warning: ${OLD} no service names any${DO}\n`,
      });
    });

    test("with a service that has named none so far", async () => {
      expect((await runWith(SERVICE, stateWith({ hp: null, hc: null }))).err).toBe(
        `warning: ${OLD} no service names any${DO}\n`,
      );
    });

    test("but not to an owner whose prices come from the service, nor before it has answered", async () => {
      expect((await runWith(SERVICE, stateWith({ hp: 0.2, hc: null }))).err).toBe("");
      expect((await runWith(SERVICE)).err).toBe("");
    });

    test("and what is not known if the state cannot be read", async () => {
      const { code, err } = await runWith(SERVICE, "{");
      expect(code).toBe(0);
      expect(err).toMatch(
        /^warning: The newest prices .* ago, and whether the service names any is not known \(The state in .* cannot be read: .*\)\. Compare them/,
      );
    });
  });

  test("names what the broker's access list must allow", async () => {
    const text = `rules:
  - { id: low, when: { mqtt: { topic: car/status, path: battery, below: 40, max_age: 2h } }, hold: 10m }
outputs:
  - { topic: charger/set, choose: [{ when: low, payload: "on" }], confirm: { topic: charger } }
  - { topic: lamp/set, choose: [{ when: low, payload: "on" }] }
`;
    const { out } = await run([], { VIGIE_MQTT_URL: "embedded" }, text);
    expect(out).toContain(`  rules     1
  values    car/status (vigie must be allowed to read these topics)
  outputs   charger/set, lamp/set (vigie must be allowed to write these topics)
  answers   charger (vigie must be allowed to read these topics)
  state `);
  });

  test("names the hosts that requests go to, and nothing else of their addresses", async () => {
    const text = `rules: [{ id: low, when: { period: hc } }]
outputs:
  - id: relay
    url: "http://u@192.0.2.40:81/S3CRET?turn={payload}"
    choose: [{ when: low, payload: "on" }]
    confirm: { url: "http://192.0.2.40:81/S3CRET", online: { topic: relay/online, equals: true } }
  - { id: phone, url: "https://ntfy.example.org/S3CRET", message: true, choose: [{ when: low, payload: "on" }] }
`;
    const { out, err } = await run([], { VIGIE_MQTT_URL: "embedded" }, text);
    expect(out).toContain(`  answers   relay/online (vigie must be allowed to read these topics)
  requests  http://192.0.2.40:81, https://ntfy.example.org (vigie must be allowed to reach these addresses)
`);
    expect(out + err).not.toContain("S3CRET");
  });

  test("says every problem and ends with 2", async () => {
    const { code, out, err } = await run([], { VIGIE_LOG_LEVEL: "loud" }, "instance: No\nfoo: 1\n");
    expect([code, out]).toEqual([2, ""]);
    expect(err.trim().split("\n")).toHaveLength(3);
  });

  test("says warnings apart from the result, and still ends with 0", async () => {
    const { code, out, err } = await run([], { VIGIE_ULR: "x" });
    expect(code).toBe(0);
    expect(err).toMatch(/^warning: VIGIE_ULR: no option has this name.*\n$/);
    expect(out).toMatch(/^The configuration is right\.\n/);
  });

  test("takes --config, which must be there", async () => {
    const { code, err } = await run(["--config", "other.yaml"]);
    expect([code, err]).toEqual([2, expect.stringContaining("other.yaml (named by --config)")]);
  });

  test.each([
    [["--lives"], `Unknown option '--lives' (did you mean --live?). ${OPTIONS}`],
    [["--confg", "x"], `Unknown option '--confg' (did you mean --config?). ${OPTIONS}`],
    [["-c", "x"], `Unknown option '-c' (did you mean --config?). ${OPTIONS}`],
    [["--watch"], `Unknown option '--watch'. ${OPTIONS}`],
    [["live"], `Unexpected argument 'live' (did you mean --live?). ${OPTIONS}`],
    [["my.yaml"], `Unexpected argument 'my.yaml' (did you mean --config my.yaml?). ${OPTIONS}`],
    [["--live=yes"], "Expected --live without a value (vigie --help lists the commands and their options)"],
    [
      ["--config"],
      "Expected a value after --config, got nothing (vigie --help lists the commands and their options)",
    ],
  ])("%j is wrong usage", async (args, words) => {
    const { code, err } = await run(args);
    expect([code, err]).toEqual([2, `vigie check: ${words}\n`]);
  });

  test("--live asks on with the configuration, and its answer is the exit code", async () => {
    const { code } = await run(["--live"]);
    expect(code).toBe(1);
    expect(live).toHaveBeenCalledWith(expect.objectContaining({ instance: "vigie" }), expect.anything());
  });

  test("--live with a wrong configuration asks nobody", async () => {
    const { code } = await run(["--live"], {}, "log: 1");
    expect(code).toBe(2);
    expect(live).not.toHaveBeenCalled();
  });
});
