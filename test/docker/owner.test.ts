import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { withoutDocker } from "./builder.ts";
import { openTree, openVolume, openYard, startContainer } from "./container.ts";
import { type ContainerHouse, openContainerHouse, WHOLE } from "./house.ts";

const ROUNDS = 6;

describe.skipIf(withoutDocker)(`two containers on one base topic ${withoutDocker}`, () => {
  const yard = openYard();
  afterAll(yard.clear);

  it.concurrent("and restart: always: the second asks and leaves each time, the first does not notice", async () => {
    const house = await openContainerHouse(yard, { volumes: { "/data": await openVolume() } });
    await house.until(WHOLE);
    const before = look(house);
    // `always`: as it ended, it is started again, with the same folder.
    const second = { ...house.options, tree: await openTree(yard), volumes: { "/data": await openVolume() } };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { code, stderr } = await (await startContainer(yard, second)).ended;
      expect([code, stderr]).toEqual([
        3,
        expect.stringMatching(/^vigie run: The base topic vigie has another owner/),
      ]);
    }
    expect(look(house)).toEqual(before);
    expect((await house.container.health()).code).toBe(0);
  });

  it.concurrent("and one folder: the second is told by the folder itself", async () => {
    const options = { volumes: { "/data": await openVolume() } };
    const house = await openContainerHouse(yard, options);
    await house.until(WHOLE);
    const before = look(house);
    const { code, stderr } = await (
      await startContainer(yard, { ...house.options, tree: await openTree(yard) })
    ).ended;
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^vigie run: The state folder \/data is in use by/),
    ]);
    expect(look(house)).toEqual(before);
  });

  it.concurrent("with copies of one folder: one of them stays, whichever is started again and again", async () => {
    const [here, copy] = [await openVolume(), await openVolume()];
    const house = await openContainerHouse(yard, { volumes: { "/data": here } });
    await house.until(WHOLE);
    await cp(join(here, "state.json"), join(copy, "state.json"));
    const twin = { ...house.options, tree: await openTree(yard), volumes: { "/data": copy } };
    const both = [house.container, await startContainer(yard, twin)];
    const left = await Promise.race(both.map((one) => one.ended.then(() => one)));
    expect((await left.ended).code).toBe(3);
    const loser = left === house.container ? house.options : twin;
    const stays = left === house.container ? both[1] : both[0];
    await house.until(WHOLE);
    const before = look(house);
    for (let round = 0; round < ROUNDS; round += 1)
      expect((await (await startContainer(yard, loser)).ended).code).toBe(3);
    expect(look(house)).toEqual(before);
    expect((await stays?.health())?.code).toBe(0);
  });
});

/** What an onlooker has seen of who owns the house, and what its owner said of trouble and of the broker. */
function look({ observer, container }: ContainerHouse) {
  const told = observer.seen.filter(({ topic }) => /^vigie\/(owner|availability)$/.test(topic));
  const lines = container.lines.filter(({ level, msg }) => level !== "info" || /broker|owner/i.test(msg));
  return { told, lines };
}
