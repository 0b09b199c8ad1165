import { chmod, chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { NOBODY } from "../support/ports.ts";
import { withoutDocker } from "./builder.ts";
import { createCleanup, keepingOwners, onDisk, openTree, openVolume, startContainer } from "./container.ts";
import { startContainerAndBroker, untilHealth, WHOLE } from "./running-container.ts";

const GOES_ON = "vigie goes on and tries again, but a restart would lose what is new";

describe.skipIf(withoutDocker)(`a /data that cannot be written ${withoutDocker}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  it.concurrent.each([
    {
      trouble: "full",
      options: "size=16k,uid=1000,gid=1000",
      words: `the disk is full. ${GOES_ON}. To fix it: free space on its disk (df -h /data)`,
    },
    {
      trouble: "read-only",
      options: "ro,uid=1000,gid=1000",
      words: `it is read-only. ${GOES_ON}. To fix it: use a folder that can be written (for a container: mount the volume of /data without :ro; for the systemd service: leave the option state out)`,
    },
  ])("because it is $trouble is said with what mends it, and all goes on", async ({ options, words }) => {
    const volume = await openVolume();
    const { until, container } = await startContainerAndBroker(cleanup, {
      volumes: { "/data": volume },
      through: await onDisk(volume, options),
    });
    const said = await container.says(/^The state cannot be saved/);
    expect(said).toEqual({ level: "warn", msg: `The state cannot be saved in /data: ${words}` });
    await until(WHOLE);
    await untilHealth({ container }, 0);
    expect((await container.end()).code).toBe(0);
    expect(container.lines.filter(({ msg }) => msg.startsWith("The state cannot"))).toHaveLength(1);
  });

  it.concurrent("because it is another's is said with the command that mends it, and mends it while it runs", async () => {
    const volume = await openVolume();
    await chown(volume, 0, 0);
    await chmod(volume, 0o755);
    const { until, container, observer } = await startContainerAndBroker(cleanup, {
      volumes: { "/data": volume },
      through: await keepingOwners(),
    });
    const said = await container.says(/^The state cannot be saved/);
    expect(said).toEqual({
      level: "warn",
      msg: `The state cannot be saved in /data: this user has no permission. ${GOES_ON}. To fix it: chown -R 1000:1000 /data (for a container: on the host, the folder that is mounted there)`,
    });
    await until(WHOLE);
    await untilHealth({ container }, 0);
    await chown(volume, 1000, 1000);
    await observer.publish("vigie/simulation/set", "rouge", false);
    await container.says(/^The state is saved again/);
  });

  it.concurrent("and cannot even be looked into may hold a configuration: it is refused, with the command", async () => {
    const volume = await openVolume();
    await mkdir(join(volume, "inner"));
    await chown(volume, 0, 0);
    await chmod(volume, 0o700);
    const container = await startContainer(cleanup, {
      tree: await openTree(cleanup),
      env: { VIGIE_SERVICE_BASE_URL: `http://${NOBODY}`, VIGIE_MQTT_URL: `mqtt://${NOBODY}` },
      volumes: { "/data": volume },
      through: await keepingOwners(),
    });
    const { code, stderr } = await container.ended;
    expect([code, stderr]).toEqual([
      2,
      "/data/vigie.yaml: expected a file that can be read, but this user has no permission. To fix it: chown -R 1000:1000 /data (for a container: on the host, the folder that is mounted there)\n",
    ]);
  });
});
