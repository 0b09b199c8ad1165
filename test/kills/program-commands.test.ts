import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { serveBleuDays, startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const ALWAYS = { id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } };
const FOLLOWER = { id: "follower", when: { rule: "always" } };

describe.skipIf(withoutMosquitto)(`commands to the running program ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("a rule that is disabled for a time is enabled again at its end, over a kill, and so is one that refers to it", async () => {
    const service = await serveBleuDays(cleanup);
    const running = await startVigieAndBroker(cleanup, { service, config: { rules: [ALWAYS, FOLLOWER] } });
    const { until, payloadOf, vigie, observer } = running;
    const give = (payload: string) => observer.publish("vigie/rules/always/enabled/set", payload, false);
    await until({ availability: "online", "rules/always/state": "ON", "rules/follower/state": "ON" });

    await give('{"enabled":false,"for":"1d"}');
    await vigie.says(/^rules\/always\/enabled\/set: expected for to be a duration from 1s to 720h/);
    await give('{"enabled":false,"for":"1h"}');
    await vigie.says(/rule always is disabled until \d{4}-\d\d-\d\d \d\d:\d\d, then enabled again$/);
    const nextOn = /^\d{4}-/;
    await until({ "rules/always/enabled": "OFF", "rules/follower/state": "OFF" });
    await until({ "rules/always/next_on": nextOn, "rules/follower/next_on": nextOn });
    expect(payloadOf("rules/follower/next_on")).toBe(payloadOf("rules/always/next_on"));
    await give("ON");
    await until({ "rules/always/enabled": "ON", "rules/follower/state": "ON" });

    await give('{"enabled":false,"for":"12s"}');
    await until({ "rules/always/enabled": "OFF", "rules/always": /"enabled_until":"/ });
    const { enabled_until } = JSON.parse(payloadOf("rules/always") ?? "");
    // The command is saved with the verdict that it changes.
    const saved = async () => JSON.parse(await readFile(join(running.folder, "state", "state.json"), "utf8"));
    await vi.waitFor(
      async () => expect((await saved()).settings.always).toHaveProperty("meanwhile"),
      PATIENCE,
    );
    await vigie.end("SIGKILL");
    const second = await cleanup.startVigie({ folder: running.folder, config: running.config });
    await until({
      "rules/always/enabled": "ON",
      "rules/always/since": enabled_until,
      "rules/follower/state": "ON",
    });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(enabled_until));
    // On a machine that is slow enough the first one said it before it was killed.
    expect(vigie.output() + second.output()).toContain("Rule always is enabled again");
  });
});
