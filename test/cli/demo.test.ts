import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { demo } from "../../src/cli/demo.ts";
import { type DemoPlan, readDemoPlan } from "../../src/cli/demo-options.ts";
import type { Io } from "../../src/cli/io.ts";
import { addDays, tariffDate } from "../../src/core/calendar/dates.ts";
import { inventSeason } from "../../src/simulator/invented-season.ts";
import { TEMPO } from "../../src/simulator/tempo.ts";
import { readPage } from "../support/guide.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vigie-demo-options-"));
});
afterAll(() => rm(folder, { recursive: true }));

const said = { out: "", err: "" };
const io = (): Io => ({
  // The demo must not even look at the broker of the house.
  env: { VIGIE_MQTT_URL: "mqtt://192.0.2.10", VIGIE_STATE: "/house", VIGIE_CONFIG: "/house.yaml" },
  cwd: folder,
  stdout: { write: (text) => (said.out += text) },
  stderr: { write: (text) => (said.err += text) },
  signal: new AbortController().signal,
  color: false,
});

async function planOf(yaml: string, ...args: string[]): Promise<DemoPlan> {
  await writeFile(join(folder, "house.yaml"), yaml);
  return readDemoPlan(["--config", "house.yaml", ...args], io(), "/temporary");
}

describe("vigie demo", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("takes rules, outputs and tariff of a configuration, and nothing that leads into the house", async () => {
    const { config, rulesFrom } = await planOf(`
instance: maison
service: { base_url: "https://forecast.example.org", poll: { every: 6h }, check_clock: "off" }
official: { source: rte }
mqtt: { url: "mqtts://192.0.2.10", username: vigie, password: secret, base_topic: house/vigie }
homeassistant: { discovery: components }
tariff: { off_peak: ["12:00-14:00", "22:00-04:00"] }
state: ./state
rules: [{ id: cheap, when: { day: now, color: bleu } }]
outputs: [{ topic: plug/set, choose: [{ when: cheap, payload: "on" }], confirm: { topic: plug/state } }]
`);
    expect(rulesFrom).toBe("house.yaml");
    expect(config).toMatchObject({
      service: { base_url: "simulator", poll: { every: 3_600_000 }, check_clock: "auto" },
      official: { source: "simulator" },
      mqtt: { url: "embedded", base_topic: "house/vigie" },
      homeassistant: { discovery: "off" },
      instance: "maison",
      tariff: {
        off_peak: [
          {
            windows: [
              { from: "12:00", to: "14:00" },
              { from: "22:00", to: "04:00" },
            ],
          },
        ],
      },
      state: "/temporary",
      rules: [{ id: "cheap" }],
      outputs: { list: [{ to: { topic: "plug/set" } }] },
    });
    expect(config.mqtt).not.toHaveProperty("username");
    expect(config.outputs.list[0]).not.toHaveProperty("confirm");
  });

  test("needs no file of the house's broker", async () => {
    const { config } = await planOf(`
mqtt: { url: "mqtts://192.0.2.10", tls: { ca_file: /house/ca.pem, cert_file: own.pem, key_file: own.key } }
rules: [{ id: cheap, when: { day: now, color: bleu } }]
`);
    expect(config.rules).toMatchObject([{ id: "cheap" }]);
  });

  test("without a configuration begins on the evening before a rouge day, with the shipped rules and a boiler", async () => {
    const plan = await readDemoPlan([], io(), "/temporary");
    const next = addDays(tariffDate(plan.from, TEMPO), 1);
    expect(inventSeason("2025-2026", 1).get(next)).toBe("rouge");
    expect(plan.config.rules.map(({ id }) => id)).toContain("rouge_peak");
    expect(plan.config.outputs.list).toMatchObject([{ id: "boiler", choose: [{ when: "rouge_peak" }] }]);
    expect(plan).toMatchObject({ speed: 720 });
  });

  test("reads its start on the wall of the tariff", async () => {
    const { from } = await planOf(
      "tariff: { time_zone: Europe/Paris }\nrules: []",
      "--from",
      "2026-07-01T20:00",
    );
    expect(new Date(from).toISOString()).toBe("2026-07-01T18:00:00.000Z");
  });

  test.each([
    [["--speed", "0.5"], "vigie demo: Expected --speed to be a number from 1 to 100000, got 0.5"],
    [["--speed", "100001"], "vigie demo: Expected --speed to be a number from 1 to 100000, got 100001"],
    [["--from", "soon"], "vigie demo: Expected --from to be a time like 2026-01-04T23:00"],
    [["--from", "9999-12-20"], "Expected --from to be a time from 2000 to 2099, got 9999-12-20"],
    [["--speed"], "vigie demo: Expected a value after --speed, got nothing"],
    [["--config", "none.yaml"], "none.yaml (named by --config): expected a file that can be read"],
    [["--sped", "2"], "vigie demo: Unknown option '--sped' (did you mean --speed?)"],
    [["now"], "vigie demo: Unexpected argument 'now'"],
  ])("%j ends with 2 and a sentence, and leaves no folder behind", async (args, sentence) => {
    Object.assign(said, { out: "", err: "" });
    const temporary = join(folder, "tmp");
    await mkdir(temporary, { recursive: true });
    vi.stubEnv("TMPDIR", temporary);
    expect(await demo(args, io())).toBe(2);
    expect(said.out).toBe("");
    expect(said.err).toContain(sentence);
    expect(await readdir(temporary)).toEqual([]);
  });

  test("says where no temporary folder can be made", async () => {
    Object.assign(said, { out: "", err: "" });
    vi.stubEnv("TMPDIR", join(folder, "nowhere"));
    expect(await demo([], io())).toBe(1);
    expect(said.err).toBe(
      `vigie demo: no temporary folder can be made in ${join(folder, "nowhere")}: it does not exist (TMPDIR names another place)\n`,
    );
  });

  test("docs/demo.md explains each option", () => {
    const page = readPage("docs/demo.md");
    for (const option of ["--from", "--speed", "--config"])
      expect(page).toMatch(new RegExp(`^\\| \`${option} .* \\| [a-z]+ [a-z]+`, "m"));
  });
});
