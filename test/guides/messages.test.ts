import { spawn, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { MESSENGERS, type Messenger, startMessenger } from "../support/devices/messengers.ts";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { blocksOf, readPage, sectionOf, sectionsOf } from "../support/guide.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { lacking } from "../support/prepared.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";
import { examplesBelow, withServer } from "./page-blocks.ts";

const PAGE = readPage("docs/messages.md");
const OTHER_PARTS = ["What `message: true` means", "Tokens"];
const TITLES = Object.keys(MESSENGERS);
const missing = withoutMosquitto || withoutFakeTime;
const withoutCurl = lacking(
  !spawnSync("curl", ["--version"]).error,
  "curl is not installed (apt-get install curl)",
);
const PACE = 20;

test("docs/messages.md has no service without a program that behaves like it", () => {
  const titles = sectionsOf(PAGE).map(({ title }) => title);
  expect(titles.filter((title) => !OTHER_PARTS.includes(title))).toEqual(TITLES);
});

test.each(TITLES)(
  "docs/messages.md has one block, one command, the documentation and its date: %s",
  (title) => {
    expect(examplesBelow(PAGE, title)).toHaveLength(1);
    expect(commandsBelow(title)).toHaveLength(1);
    const text = sectionOf(PAGE, title).replaceAll("\n", " ");
    expect(text).toMatch(/Follows .*\(https:\/\//);
    expect(text).toMatch(/\d{4}-\d\d-\d\d|since \d{4}/);
  },
);

describe.skipIf(withoutCurl)(`the commands of docs/messages.md ${withoutCurl}`, () => {
  test.each(TITLES)("%s: brings one message to the phone", async (title) => {
    const documented = MESSENGERS[title]!();
    const messenger = await startMessenger(documented);
    const [command = ""] = commandsBelow(title);
    const script = command.replaceAll(/https?:\/\/[\w.:-]+(?=\/)/g, messenger.url);
    expect(await run(script, { TOKEN: documented.token })).toBe(0);
    expect(messenger.delivered).toEqual(["A test of vigie"]);
    expect(messenger.refused).toEqual([]);
    await messenger.stop();
  });
});

describe.skipIf(missing)(`the lines of docs/messages.md ${missing}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.each(TITLES)("%s: one message is on the phone, also over a restart", async (title) => {
    const { running, messenger, time } = await startHouse({ title });
    await isDelivered(messenger, "mardi 6 janvier: rouge");
    await running.until({ "outputs/phone/state": "sent" });
    await running.vigie.end();
    const again = await cleanup.startVigie({ folder: running.folder, env: time.env() });
    await again.says(/^Connected/);
    await nothingMore();
    expect(messenger.delivered).toEqual(["mardi 6 janvier: rouge"]);
    expect(messenger.refused).toEqual([]);
    const { token } = MESSENGERS[title]!();
    const published = running.observer.received.map(({ payload }) => payload).join("\n");
    if (token === "") return;
    const saved = await readFile(join(running.folder, "state", "state.json"), "utf8");
    for (const seen of [published, saved, running.vigie.output(), again.output()]) {
      expect(seen).not.toContain(token);
      expect(seen).not.toContain(encodeURIComponent(token));
    }
  });

  test.each(TITLES)("%s: one message is on the phone where the first request was lost", async (title) => {
    const { messenger } = await startHouse({ title, prepare: ({ loseRequests }) => loseRequests(1) });
    await isDelivered(messenger, "mardi 6 janvier: rouge");
    await nothingMore();
    expect(messenger.delivered).toHaveLength(1);
    expect(messenger.asked).toHaveLength(2);
    expect(messenger.refused).toEqual([]);
  });

  test("Matrix: one message is in the room where two answers were lost", async () => {
    const { messenger } = await startHouse({ title: "Matrix", prepare: ({ loseAnswers }) => loseAnswers(2) });
    await expect.poll(() => messenger.asked, { timeout: PATIENCE }).toHaveLength(3);
    await nothingMore();
    expect(messenger.delivered).toEqual(["mardi 6 janvier: rouge"]);
    expect(new Set(messenger.asked.map(({ path }) => path)).size).toBe(1);
  });

  test("a message whose answers are all lost is tried after half a minute and two minutes, then after ten", async () => {
    const { messenger, running } = await startHouse({
      title: "ntfy",
      prepare: ({ loseAnswers }) => loseAnswers(99),
    });
    await expect.poll(() => messenger.asked, { timeout: PATIENCE }).toHaveLength(3);
    await nothingMore();
    expect(messenger.asked).toHaveLength(3);
    await running.until({ "outputs/phone/state": "waiting" });
  });

  test("a service that is away gets the message when it is back", async () => {
    const { messenger, running } = await startHouse({
      title: "ntfy",
      prepare: ({ cutPower }) => cutPower(),
    });
    await running.until({ "outputs/phone/state": /^(waiting|failed)$/ });
    await nothingMore();
    await messenger.returnPower();
    await expect.poll(() => messenger.delivered.length, { timeout: PATIENCE }).toBeGreaterThan(0);
    await nothingMore();
    expect(messenger.delivered).toEqual(["mardi 6 janvier: rouge"]);
  });

  test("a wrong token is said at once, and a right one in the same file counts without a restart", async () => {
    const { messenger, running, example } = await startHouse({ title: "Gotify", token: "wrong" });
    await running.vigie.says(/401/);
    await running.until({ "outputs/phone/state": "failed", "service/problem_code": "output" });
    expect(messenger.delivered).toEqual([]);
    await writeFile(String(example.outputs[0]?.["secret_file"]), MESSENGERS["Gotify"]!().token);
    await isDelivered(messenger, "mardi 6 janvier: rouge");
  });

  test.each(TITLES)("%s: says that a day is pretended", async (title) => {
    const { messenger, running } = await startHouse({ title, colors: {} });
    await running.until({ "outputs/phone/state": "nothing" });
    const rouge = JSON.stringify({ color: "rouge", from: "next" });
    await running.observer.publish("vigie/simulation/set", rouge, false);
    await expect.poll(() => messenger.delivered, { timeout: PATIENCE }).toHaveLength(1);
    expect(messenger.delivered[0]).toMatch(/^\[simulation\] ?mardi 6 janvier: rouge$/);
    expect(messenger.refused).toEqual([]);
  });

  /** On the day before a rouge one, at eleven, with time that runs faster for vigie. */
  async function startHouse({ title, colors = { "2026-01-06": "rouge" }, token, prepare }: House) {
    const documented = MESSENGERS[title]!();
    const messenger = await startMessenger(documented);
    cleanup.add(messenger.stop);
    await prepare?.(messenger);
    const time = startFakeTime("2026-01-05T10:00:00Z", PACE);
    const service = await startPlainService((path) => answerDays(path, time.clock.now(), { colors }));
    cleanup.add(service.stop);
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const folder = await cleanup.createFolder();
    const secret = token ?? documented.token;
    const example = await withServer(examplesBelow(PAGE, title)[0]!, { url: messenger.url, folder, secret });
    const running = await startVigieAndBroker(cleanup, {
      service: service.url,
      broker,
      time,
      config: { ...example },
    });
    await running.until({ availability: "online", "service/status": "ok" });
    return { messenger, running, time, example };
  }
});

interface House {
  title: string;
  colors?: Record<string, string>;
  /** In place of the right one. */
  token?: string;
  prepare?: (messenger: Messenger) => Promise<void> | void;
}

async function isDelivered(messenger: Messenger, text: string): Promise<void> {
  await expect.poll(() => messenger.delivered, { timeout: PATIENCE }).toEqual([text]);
}

/** Two minutes of vigie: four times as long as it waits before it tries again. */
function nothingMore(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 120_000 / PACE));
}

function commandsBelow(title: string): string[] {
  return blocksOf(sectionOf(PAGE, title))
    .filter(({ language, mark }) => language === "sh" && mark === "by hand: sends a message")
    .map(({ text }) => text);
}

function run(script: string, env: Record<string, string>): Promise<number | null> {
  const path = process.env["PATH"] ?? "";
  const options = ["-ec", script.replaceAll("curl ", "curl --silent --show-error --fail --noproxy '*' ")];
  const child = spawn("sh", options, { env: { PATH: path, ...env }, stdio: "ignore" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}
