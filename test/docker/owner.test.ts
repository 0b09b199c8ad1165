import { afterAll, describe, expect, it } from "vitest";
import { withoutDocker } from "./builder.ts";
import { createCleanup, openTree, openVolume, startContainer } from "./container.ts";
import { startContainerAndBroker, WHOLE } from "./running-container.ts";

describe.skipIf(withoutDocker)(`two containers with one folder ${withoutDocker}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  // Each has process numbers of its own: the lock must not depend on them.
  it("the second one is refused, and the first one is not disturbed", async () => {
    const running = await startContainerAndBroker(cleanup, { volumes: { "/data": await openVolume() } });
    await running.until(WHOLE);
    const { container, observer } = running;
    const told = () => observer.received.filter(({ topic }) => /^vigie\/(owner|availability)$/.test(topic));
    const said = () =>
      container.lines.filter(({ level, msg }) => level !== "info" || /broker|owner/i.test(msg));
    const before = [told(), said()];
    const second = await startContainer(cleanup, { ...running.options, tree: await openTree(cleanup) });
    const { code, stderr } = await second.ended;
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^vigie run: The state folder \/data is in use by/),
    ]);
    expect([told(), said()]).toEqual(before);
  });
});
