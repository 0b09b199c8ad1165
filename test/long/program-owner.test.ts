import { afterAll, describe, expect, test, vi } from "vitest";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { startBesideAnother } from "../support/second-vigie.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`a vigie that finds another one ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const start = () => startBesideAnother(cleanup);

  test.concurrent("what-if: Two vigies run · leaves the house to one that only restarts, takes it after mqtt.grace of silence, and keeps it then; --take-over does not wait", async () => {
    const { first, device, folder, config } = await start();
    const { folder: firstFolder } = first;
    const named = () => JSON.parse(first.observer.retained.get("vigie/owner") ?? "{}").installation;
    const installation = named();
    expect((await runVigie({ folder, config: config(first.broker.url), args: ["run"] })).code).toBe(3);

    await first.vigie.end("SIGKILL");
    const standby = await cleanup.startVigie({ folder, args: ["run"] });
    await standby.says(
      /^The base topic vigie has another owner, which does not answer: .+ silent for 10 min/,
    );
    const again = await cleanup.startVigie({ folder: firstFolder, args: ["run"] });
    expect((await standby.ended).code).toBe(3);
    await again.says(/^Connected to the broker/);
    expect(named()).toBe(installation);
    expect(device.asked).toEqual([]);
    await again.end("SIGKILL");

    const later = await cleanup.startVigie({
      folder,
      config: config(first.broker.url, "11s"),
      args: ["run"],
    });
    await later.says(/which does not answer: .+ silent for 11 s/);
    expect(named()).toBe(installation);
    await later.says(/^Connected to the broker/);
    await first.observer.until(() => named() !== installation, "the other one owns the base topic");
    await vi.waitFor(() => expect(device.asked).toEqual(["/off"]), PATIENCE);
    const { code, stderr } = await runVigie({ folder: firstFolder, args: ["run"] });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(/has another owner/) });

    await later.end("SIGKILL");
    const replaced = await cleanup.startVigie({ folder: firstFolder, args: ["run", "--take-over"] });
    await replaced.says(/^Connected to the broker/);
    await first.observer.until(() => named() === installation, "it owns the base topic again");
    expect(replaced.lines.filter(({ msg }) => msg.includes("does not answer"))).toEqual([]);
    expect((await replaced.end()).code).toBe(0);
  });

  test.concurrent("leaves the house to one that only restarts also if the broker has lost the newest owner", async () => {
    const { first, device, folder, config } = await start();
    const { observer, folder: firstFolder } = first;
    const run = { folder, args: ["run"] };
    const owner = () => observer.retained.get("vigie/owner");
    const firstOwner = owner();
    const earlier = await cleanup.startVigie({
      ...run,
      config: config(first.broker.url),
      args: ["run", "--take-over"],
    });
    await earlier.says(/^Connected to the broker/);
    await observer.until(() => owner() !== firstOwner, "the second one owns the base topic");
    const own = owner();
    const again = await cleanup.startVigie({ folder: firstFolder, args: ["run", "--take-over"] });
    expect((await earlier.ended).code).toBe(3);
    await observer.until(() => owner() !== own, "the first one owns the base topic again");
    await again.end("SIGKILL");
    device.asked.length = 0;

    for (const held of ["", own ?? ""]) {
      await observer.publish("vigie/owner", held);
      const standby = await cleanup.startVigie(run);
      await standby.says(/which does not answer: the vigie of the installation .+ silent for 10 min/);
      expect((await standby.end()).code).toBe(0);
    }
    expect(owner()).toBe(own);
    expect(device.asked).toEqual([]);
  });
});
