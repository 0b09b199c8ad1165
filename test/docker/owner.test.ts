import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { withoutDocker } from "./builder.ts";
import { createCleanup, openTree, openVolume, startContainer } from "./container.ts";
import { type RunningContainer, startContainerAndBroker, WHOLE } from "./running-container.ts";

const ROUNDS = 6;

describe.skipIf(withoutDocker)(`two containers on one base topic ${withoutDocker}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  it.concurrent("and restart: always: the second one checks and ends each time, and the first one is not disturbed", async () => {
    const running = await startContainerAndBroker(cleanup, { volumes: { "/data": await openVolume() } });
    await running.until(WHOLE);
    const before = look(running);
    // `always`: as it ended, it is started again, with the same folder.
    const second = {
      ...running.options,
      tree: await openTree(cleanup),
      volumes: { "/data": await openVolume() },
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { code, stderr } = await (await startContainer(cleanup, second)).ended;
      expect([code, stderr]).toEqual([
        3,
        // Its log has it then, all day.
        round === 0 ? expect.stringMatching(/^vigie run: The base topic vigie has another owner/) : "",
      ]);
    }
    expect(look(running)).toEqual(before);
    expect((await running.container.health()).code).toBe(0);
  });

  it.concurrent("and one folder: the lock of the folder refuses the second one", async () => {
    const options = { volumes: { "/data": await openVolume() } };
    const running = await startContainerAndBroker(cleanup, options);
    await running.until(WHOLE);
    const before = look(running);
    const { code, stderr } = await (
      await startContainer(cleanup, { ...running.options, tree: await openTree(cleanup) })
    ).ended;
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^vigie run: The state folder \/data is in use by/),
    ]);
    expect(look(running)).toEqual(before);
  });

  it.concurrent("with copies of one folder: one of them stays, whichever is started again and again", async () => {
    const [here, copy] = [await openVolume(), await openVolume()];
    const running = await startContainerAndBroker(cleanup, { volumes: { "/data": here } });
    await running.until(WHOLE);
    await cp(join(here, "state.json"), join(copy, "state.json"));
    const copied = { ...running.options, tree: await openTree(cleanup), volumes: { "/data": copy } };
    const both = [running.container, await startContainer(cleanup, copied)];
    const left = await Promise.race(both.map((one) => one.ended.then(() => one)));
    expect((await left.ended).code).toBe(3);
    const loser = left === running.container ? running.options : copied;
    const stays = left === running.container ? both[1] : both[0];
    await running.until(WHOLE);
    const before = look(running);
    for (let round = 0; round < ROUNDS; round += 1)
      expect((await (await startContainer(cleanup, loser)).ended).code).toBe(3);
    expect(look(running)).toEqual(before);
    expect((await stays?.health())?.code).toBe(0);
  });
});

/** What an onlooker has seen of the owner of the base topic, and what the owner logged of trouble and of the broker. */
function look({ observer, container }: RunningContainer) {
  const told = observer.received.filter(({ topic }) => /^vigie\/(owner|availability)$/.test(topic));
  const lines = container.lines.filter(({ level, msg }) => level !== "info" || /broker|owner/i.test(msg));
  return { told, lines };
}
