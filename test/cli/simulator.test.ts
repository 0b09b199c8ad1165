import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { check } from "../../src/cli/check.ts";
import { parseCommand } from "../../src/cli/command-line.ts";
import { simulator } from "../../src/cli/simulator.ts";
import { raw } from "../simulator/raw.ts";
import { readPage } from "../support/guide.ts";
import { runCommand } from "../support/run-command.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vigie-simulator-"));
  await writeFile(join(folder, "days.csv"), "date,color\n2026-01-06,rouge\n");
  await writeFile(join(folder, "bad.csv"), "date,color\n2026-01-06,rouge\n2026-01-07,red\n");
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the command until it has said where it listens. */
async function start(args: string[]) {
  const stop = new AbortController();
  let said = "";
  const done = simulator(args, {
    env: {},
    cwd: folder,
    stdout: { write: () => expect.unreachable("the simulator has no data to print") },
    stderr: {
      write: (text) => {
        said += text;
      },
    },
    signal: stop.signal,
    color: false,
  });
  await Promise.race([done, until(() => said.includes("try it"))]);
  const url = /http:\S+:\d+/.exec(said)?.[0] ?? "";
  const end = () => {
    stop.abort();
    return done;
  };
  return { said: () => said, url, end, done };
}

describe("vigie simulator", () => {
  test("says where it listens, what it is and how to try it, and serves until the signal", async () => {
    const one = await start([
      "--port",
      "0",
      "--from",
      "2026-01-05T12:00",
      "--speed",
      "60",
      "--days",
      "days.csv",
    ]);
    for (const words of ["1 day from the file", "invented from seed 1", "60 times", "10:30", "curl http"]) {
      expect(one.said()).toContain(words);
    }
    const answer = await raw(`${one.url}/v1/public`);
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      tomorrow: { date: "2026-01-06", color: "rouge", confidence: 1 },
    });
    expect(answer.headers["date"]).toBeUndefined();
    const official = await raw(`${one.url}/tempoLight`);
    expect(JSON.parse(official.body.toString())).toMatchObject({ values: { "2026-01-06": "RED" } });
    expect(one.said()).toContain(`curl ${one.url}/tempoLight`);
    expect(await one.end()).toBe(0);
    await expect(raw(one.url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("with another time than this machine's is what check --live speaks of", async () => {
    const one = await start(["--port", "0", "--from", "2020-01-05T12:00"]);
    const file = "live.yaml";
    await writeFile(join(folder, file), `service: { base_url: "${one.url}" }\nmqtt: { url: embedded }\n`);
    const said = await runCommand((io) => check(["--live", "--config", file], io), { cwd: folder });
    const words =
      /vigie: The service speaks of January 2020 \(2020-01-05 to 2020-01-12\), this machine's clock says /g;
    expect(said.err.match(words)).toHaveLength(1);
    expect(said.out).toContain("ok      service, forecasts: 8 days");
    await one.end();
  });

  test.each([
    ["vigie simulator --help", () => help(["simulator", "--help"])],
    ["docs/simulator.md", async () => readPage("docs/simulator.md")],
  ])("%s explains each option, and the columns of the file", async (_name, read) => {
    const text = await read();
    const usage = (await help(["--help"])).match(/vigie simulator (.*)/)?.[1] ?? "";
    const options = usage.match(/--[a-z-]+/g) ?? [];
    expect(options).toHaveLength(6);
    for (const option of options) expect(text).toMatch(new RegExp(`^[ |\`]*${option} .* [a-z]+ [a-z]+`, "m"));
    for (const words of ["date,color", "2026-01-06,rouge", "bleu", "blanc"]) expect(text).toContain(words);
    expect(text).toMatch(/only the simulator's clock/);
  });

  test("runs on the system's clock, and says its Date, unless told otherwise", async () => {
    const one = await start(["--port", "0", "--seed", "7"]);
    expect(one.said()).toContain("the time of this machine");
    expect((await raw(`${one.url}/v1/public`)).headers["date"]).toBeDefined();
    expect(await one.end()).toBe(0);
  });

  test("ends with 1 and a sentence where the port is taken", async () => {
    const one = await start(["--port", "0"]);
    const port = new URL(one.url).port;
    const other = await start(["--port", port]);
    expect(await other.done).toBe(1);
    expect(other.said()).toBe(
      `vigie simulator: could not listen on port ${port}: another program listens there (--port 0 takes a free one)\n`,
    );
    await one.end();
  });

  test.each([
    [["--port", "70000"], "Expected --port to be a port from 0 to 65535, got 70000"],
    [["--port", ""], "Expected --port to be a port from 0 to 65535, got "],
    [["--seed", "1.5"], "Expected --seed to be a whole number, got 1.5"],
    [["--speed", "0"], "Expected --speed to be a number above 0, at most 100000, got 0"],
    [["--speed", "-5"], "Expected --speed to be a number above 0, at most 100000, got -5\n"],
    [["--speed"], "Expected a value after --speed, got nothing (vigie --help"],
    [["--speed", "--seed", "3"], "Expected a value after --speed, got --seed (vigie --help"],
    [["--from", "soon"], "Expected --from to be a time like 2026-01-04T23:00"],
    [["--official-at", "25:00"], "Expected --official-at to be a time like 10:30, got 25:00"],
    [["--fault", "slow"], "Unknown option '--fault'"],
    [["--days", "none.csv"], "Expected --days to be a file that can be read: ENOENT"],
    [["--days", "bad.csv"], 'bad.csv line 3: Expected one of bleu, blanc, rouge, got "red"'],
    [["--sped", "2"], "Unknown option '--sped'"],
    [["now"], "Unexpected argument 'now'"],
  ])("%j ends with 2 and a sentence", async (args, sentence) => {
    const one = await start(args);
    expect(await one.done).toBe(2);
    expect(one.said()).toContain(`vigie simulator: `);
    expect(one.said()).toContain(sentence);
  });
});

async function help(argv: string[]): Promise<string> {
  let text = "";
  const { command, args } = parseCommand(argv);
  const place = { write: (part: string) => (text += part) };
  await command(args, {
    env: {},
    cwd: folder,
    stdout: place,
    stderr: place,
    signal: new AbortController().signal,
    color: false,
  });
  return text;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
