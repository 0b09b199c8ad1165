import { afterAll, expect, test } from "vitest";
import { createCleanup, runVigie } from "../support/vigie.ts";

const cleanup = createCleanup();
afterAll(cleanup.run);

test("an output that is longer than a pipe holds arrives whole", async () => {
  const { code, stdout } = await runVigie({
    folder: await cleanup.createFolder(),
    config: { service: { base_url: "simulator" }, mqtt: { url: "embedded" } },
    args: ["history", "--from", "2018-01-01", "--to", "2025-12-31", "--json"],
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(2922);
});
