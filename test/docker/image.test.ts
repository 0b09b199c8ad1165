import { execFileSync } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TREE, withoutDocker } from "./builder.ts";
import { readImage } from "./container.ts";

describe.skipIf(withoutDocker)(`the image ${withoutDocker}`, () => {
  const tree = process.env[TREE] ?? "";

  it("adds vigie to its base and nothing else", async () => {
    const base = new Set((await readFile(`${tree}.base`, "utf8")).trim().split("\n"));
    const added = list(tree).filter((path) => !base.has(path));
    expect(added.sort()).toEqual(
      [
        "./data",
        "./usr/local/bin/vigie",
        "./usr/local/lib/vigie",
        ...["LICENSE", "package.json", "config", "dist"].map((name) => `./usr/local/lib/vigie/${name}`),
        ...[
          ...["main.js", "main.js.map", "licenses.txt"],
          ...["http.js", "http.js.map", "licenses-http.txt"],
          ...["setup.js", "setup.js.map", "licenses-setup.txt"],
          ...["broker.js", "broker.js.map", "simulator.js", "simulator.js.map", "licenses-first-look.txt"],
        ].map((name) => `./usr/local/lib/vigie/dist/${name}`),
        ...[
          ...["homeassistant", "vigie.schema.json", "vigie.yaml"],
          ...["homeassistant/en", "homeassistant/fr"].flatMap((folder) => [
            folder,
            ...["announcement-alarm", "boiler", "charging", "energy", "evening-message", "preheat"].map(
              (name) => `${folder}/${name}.yaml`,
            ),
          ]),
          "homeassistant/packages",
          ...["homeassistant/packages/en", "homeassistant/packages/fr"].flatMap((folder) => [
            folder,
            `${folder}/vigie_energy.yaml`,
          ]),
        ].map((name) => `./usr/local/lib/vigie/config/${name}`),
      ].sort(),
    );
  });

  it("adds nothing that is for one kind of machine only", async () => {
    const folder = join(tree, "usr/local/lib/vigie");
    for (const path of list(folder)) {
      if (!(await stat(join(folder, path))).isFile()) continue;
      const start = (await readFile(join(folder, path))).subarray(0, 4);
      expect(start.toString("latin1"), path).not.toBe("\u007fELF");
      expect(path).not.toMatch(/\.(node|so|wasm)$/);
    }
  });

  it("runs as another than root, as process 1 by itself, and says how its health is asked", async () => {
    const { User, Entrypoint, Env, ExposedPorts, Volumes, Healthcheck, Labels } = await readImage();
    expect(User).toBe("node");
    expect(Entrypoint).toEqual(["node", "--max-semi-space-size=1", "/usr/local/lib/vigie/dist/main.js"]);
    expect(Env).toContain("VIGIE_STATE=/data");
    expect(Env).toContain("VIGIE_HTTP_LISTEN=0.0.0.0:8427");
    expect(ExposedPorts).toEqual({ "8427/tcp": {} });
    expect(Volumes).toEqual({ "/data": {} });
    expect(Healthcheck.Test).toEqual(["CMD", "node", "/usr/local/lib/vigie/dist/main.js", "health"]);
    expect(Labels["org.opencontainers.image.title"]).toBe("vigie");
  });

  it("keeps /data for its user, and gives him the command vigie and no right to change the program", async () => {
    const data = await stat(join(tree, "data"));
    expect([data.uid, data.gid, await readdir(join(tree, "data"))]).toEqual([1000, 1000, []]);
    expect(await readlink(join(tree, "usr/local/bin/vigie"))).toBe("../lib/vigie/dist/main.js");
    const program = await stat(join(tree, "usr/local/lib/vigie/dist/main.js"));
    expect([program.uid, program.mode & 0o777]).toEqual([0, 0o755]);
  });
});

/** As `find` tells: what a link points to is not below it. */
function list(folder: string): string[] {
  return execFileSync("find", ["."], { cwd: folder, maxBuffer: 2 ** 26 })
    .toString()
    .trim()
    .split("\n");
}
