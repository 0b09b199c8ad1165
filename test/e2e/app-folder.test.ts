import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createCleanup, runVigie } from "../support/vigie.ts";

const ROOT = join(import.meta.dirname, "..", "..");

describe("npm run app", () => {
  const cleanup = createCleanup();
  let app = "";
  const read = (name: string) => readFileSync(join(app, name), "utf8");

  beforeAll(async () => {
    app = join(await cleanup.createFolder(), "app");
    // `npm test` has built the program.
    execFileSync(process.execPath, [join(ROOT, "config/homeassistant-app/build-app.mjs"), app]);
  });
  afterAll(cleanup.run);

  test("writes the whole folder, and one file only that Home Assistant takes for the settings of an app", () => {
    const files = readdirSync(app, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(app.length + 1));
    expect(files.toSorted()).toEqual(
      [
        ...[
          "CHANGELOG.md",
          "DOCS.md",
          "Dockerfile",
          "config.yaml",
          "icon.png",
          "logo.png",
          "repository.yaml",
        ],
        ...["translations/en.yaml", "translations/fr.yaml"],
        ...["LICENSE", "package.json", "start.sh", "vigie.example.yaml"].map((name) => `vigie/${name}`),
        ...["http.js", "licenses-http.txt", "licenses.txt", "main.js"].map((name) => `vigie/dist/${name}`),
      ].toSorted(),
    );
  });

  test("gives it the version of package.json, and the changes up to it", () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(parse(read("config.yaml"))).toMatchObject({ version, slug: "vigie", ingress: true });
    expect(read("CHANGELOG.md")).toBe(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"));
  });

  test("draws the icon and the logo in the sizes that Home Assistant wants", () => {
    const sizeOf = (name: string) => {
      const png = readFileSync(join(app, name));
      expect(png.subarray(1, 4).toString()).toBe("PNG");
      return [png.readUInt32BE(16), png.readUInt32BE(20)];
    };
    expect(sizeOf("icon.png")).toEqual([128, 128]);
    expect(sizeOf("logo.png")).toEqual([250, 100]);
  });

  test("puts each picture into the text, which nobody else could load, and French ones into the French text", () => {
    const docs = read("DOCS.md");
    const shown = [...docs.matchAll(/!\[[^\]]*\]\[([^\]]+)\]/g)].map(([, path = ""]) => path);
    expect(shown).toEqual(["docs/fr/images/page.png", "docs/fr/images/page-rules.png"]);
    expect(docs).not.toMatch(/\]\(\S*\.png\)/);
    for (const path of shown) {
      const start = `[${path}]: data:image/png;base64,`;
      const data = docs.split("\n").find((line) => line.startsWith(start)) ?? "";
      expect(Buffer.from(data.slice(start.length), "base64")).toEqual(readFileSync(join(ROOT, path)));
    }
  });

  test("has all that its image is built of beside the Dockerfile, and downloads nothing of ours", () => {
    const lines = read("Dockerfile")
      .split("\n")
      .filter((line) => /^[A-Z]/.test(line));
    expect(lines[0]).toMatch(/^FROM node:\d+-[a-z]+-slim$/);
    const copied = lines.flatMap((line) => /^COPY (\S+) /.exec(line)?.[1] ?? []);
    expect(copied.map((name) => existsSync(join(app, name)))).toEqual([true]);
    expect(lines.filter((line) => /^(RUN|ADD|USER|HEALTHCHECK)/.test(line))).toEqual([]);
    const entry = lines.find((line) => line.startsWith("ENTRYPOINT"));
    expect(entry).toBe('ENTRYPOINT ["sh", "/usr/local/lib/vigie/start.sh"]');
  });

  test("holds a program that needs nothing else", async () => {
    const folder = await cleanup.createFolder();
    const program = [process.execPath, join(app, "vigie/dist/main.js")];
    const { code, stdout } = await runVigie({ folder, program, args: ["--version"] });
    expect([code, stdout]).toEqual([0, `${parse(read("config.yaml")).version}\n`]);
    const env = { VIGIE_CONFIG: "", VIGIE_STATE: folder };
    const vigie = await cleanup.startVigie({ folder, program, args: ["home-assistant-app"], env });
    // The labels of the form and the page are inside.
    await vigie.says(/^Configuration: .*options\.json ne peut pas être lu/);
    expect((await vigie.end()).code).toBe(0);
  });

  test("says in its own text each field of the form", () => {
    const docs = read("DOCS.md");
    for (const language of ["fr", "en"]) {
      const { configuration } = parse(read(`translations/${language}.yaml`));
      const named = ["language", "official_colors", "service_address", "rules", "outputs", "rates"];
      for (const field of named) expect(docs).toContain(`| ${configuration[field].name} |`);
      const { use, kind, place } = configuration.outputs.fields;
      for (const { name } of [use, kind, place]) expect(docs).toContain(`| ${name} |`);
    }
  });
});
