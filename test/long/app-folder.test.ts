import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { buildApp } from "../support/build-app.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

describe("npm run app", () => {
  const cleanup = createCleanup();
  let app = "";
  let zip = "";

  beforeAll(async () => {
    app = join(await cleanup.createFolder(), "app");
    zip = buildApp(app);
  });
  afterAll(cleanup.run);

  test("writes the same bytes at each build, whatever was in the folder before and whoever builds it", async () => {
    const other = join(await cleanup.createFolder(), "somewhere", "else");
    mkdirSync(join(other, "vigie"), { recursive: true });
    const before = process.umask(0o077);
    const again = buildApp(other);
    process.umask(before);
    expect(readFileSync(again).equals(readFileSync(zip))).toBe(true);
  });

  test("holds a program that needs nothing else", async () => {
    const folder = await cleanup.createFolder();
    const program = [process.execPath, join(app, "vigie/dist/main.js")];
    const { code, stdout } = await runVigie({ folder, program, args: ["--version"] });
    expect([code, stdout]).toEqual([0, `${parse(readFileSync(join(app, "config.yaml"), "utf8")).version}\n`]);
    const env = { VIGIE_CONFIG: "", VIGIE_STATE: folder };
    const vigie = await cleanup.startVigie({ folder, program, args: ["home-assistant-app"], env });
    // The labels of the form and the page are inside.
    await vigie.says(/^Configuration: .*options\.json ne peut pas être lu/);
    expect((await vigie.end()).code).toBe(0);
  });
});
