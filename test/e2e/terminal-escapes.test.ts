import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownerOf } from "../../src/mqtt/owner.ts";
import { LONG } from "../support/long.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { startOldBroker } from "../support/old-broker.ts";
import { identity } from "../support/publisher.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { createCleanup, runHere, runVigie } from "../support/vigie.ts";

/** Clears the screen, sets a title, writes red, deletes, and turns the direction of writing. */
const EVIL = "\u001b[2J\u001b]0;mine\u0007\u009b31m\u007f\u202erouge\u2066\r";
// mosquitto takes only marks of direction in a topic.
const CONTROL = /[^\P{Cc}\n]|\p{Bidi_Control}/u;

describe.skipIf(withoutMosquitto)(`what a stranger wrote to the broker ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  let broker: Mosquitto;
  let service: string;
  let old: { url: string; stop: () => Promise<void> };
  const topics = {
    ...{ "now/color": EVIL, "now/period_until": EVIL, "now/date": EVIL, "season/label": EVIL, junk: EVIL },
    ...{
      "simulation/color": EVIL,
      "service/last_error": EVIL,
      "service/status": EVIL,
      availability: "online",
    },
    ...{
      "rules/x/state": EVIL,
      "rules/low/state": EVIL,
      "outputs/y/state": EVIL,
      "rules/\u202ex/state": EVIL,
    },
    "rules/low": JSON.stringify({ state: true, because: [EVIL] }),
    "outputs/y": JSON.stringify({ because: EVIL, last_answer: EVIL, would_send: EVIL }),
    today: JSON.stringify({ official_by: { rte: EVIL, service: EVIL } }),
    owner: JSON.stringify({ ...ownerOf(identity("a"), "vigie"), host: EVIL, version: EVIL }),
  };

  beforeAll(async () => {
    service = await serveBleuDays(cleanup);
    broker = await startMosquitto();
    cleanup.add(broker.remove);
    old = await startOldBroker(broker.port);
    cleanup.add(old.stop);
    const stranger = await observe(broker.url);
    for (const [topic, payload] of Object.entries(topics)) await stranger.publish(`vigie/${topic}`, payload);
    await stranger.publish("car", EVIL);
    // It lives: it answers whoever asks.
    const answer = setInterval(() => void stranger.publish("vigie/owner/pong", topics.owner, false), 100);
    cleanup.add(async () => {
      clearInterval(answer);
      await stranger.disconnect();
    });
  });

  const run = async (version: 4 | 5, args: string[], isProgram: boolean) =>
    (isProgram ? runVigie : runHere)({
      folder: await cleanup.createFolder(),
      config: {
        service: { base_url: service },
        mqtt: { url: version === 5 ? broker.url : old.url },
        rules: [{ id: "low", when: { mqtt: { topic: "car", equals: "on" } } }],
      },
      args,
    });

  const versions = LONG ? ([5, 4] as const) : ([5] as const);
  const commands = [
    "show",
    "show --json",
    "once",
    "once --dry-run",
    "purge",
    "explain",
    "explain --json",
    "check --live",
  ];

  test.each(
    versions.flatMap((version) => [...commands, "run"].map((command) => [command, version] as const)),
  )("is shown by vigie %s, and not obeyed by a terminal, MQTT %s", async (command, version) => {
    const args = command.split(" ");
    const isProgram = LONG || command === "show" || command === "run";
    const { stdout, stderr } = await run(version, args, isProgram);
    expect(stdout + stderr).not.toMatch(CONTROL);
    expect(stdout + stderr).not.toMatch(/^\s+at /m);
    expect(stdout + stderr).toContain("\\u001b[2J");
    if (!args.includes("--json")) return;
    const shown = JSON.parse(stdout);
    if (args[0] === "show") expect(shown).toMatchObject({ junk: EVIL, "rules/\u202ex/state": EVIL });
  });
});
