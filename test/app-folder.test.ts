import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { buildApp } from "./support/build-app.ts";
import { lacking } from "./support/prepared.ts";
import { createCleanup } from "./support/vigie.ts";

const ROOT = join(import.meta.dirname, "..");
const withoutUnzip = lacking(spawnSync("unzip", ["-v"]).status === 0, "(unzip is not installed)");

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

/** test/long/app-folder.test.ts builds it again, and runs what is in it. */
describe("npm run app", () => {
  const cleanup = createCleanup();
  let app = "";
  let zip = "";
  const read = (name: string) => readFileSync(join(app, name), "utf8");

  beforeAll(async () => {
    app = join(await cleanup.createFolder(), "app");
    zip = buildApp(app);
  });
  afterAll(cleanup.run);

  test("writes the whole folder, and one file only that Home Assistant takes for the settings of an app", () => {
    const blueprints = filesOf(join(ROOT, "config/homeassistant"));
    expect(blueprints).toEqual(expect.arrayContaining(["en/boiler.yaml", "fr/boiler.yaml"]));
    expect(filesOf(app)).toEqual(
      [
        ...[
          "CHANGELOG.md",
          "DOCS.md",
          "Dockerfile",
          "LISEZMOI-README.txt",
          "config.yaml",
          "icon.png",
          "logo.png",
          "repository.yaml",
        ],
        ...["translations/en.yaml", "translations/fr.yaml"],
        ...["LICENSE", "package.json", "start.sh", "vigie.example.yaml"].map((name) => `vigie/${name}`),
        ...["http.js", "licenses-http.txt", "licenses.txt", "main.js"].map((name) => `vigie/dist/${name}`),
        ...blueprints.map((name) => `vigie/blueprints/${name}`),
      ].toSorted(),
    );
  });

  test.skipIf(withoutUnzip)(
    `writes a zip beside it, which unpacks to the folder as Home Assistant finds it ${withoutUnzip}`,
    async () => {
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
      expect(basename(zip)).toBe(`vigie-app-${version}.zip`);
      const folder = await cleanup.createFolder();
      execFileSync("unzip", ["-tqq", zip]);
      execFileSync("unzip", ["-q", zip, "-d", folder]);
      const unpacked = join(folder, "vigie");
      expect(readdirSync(folder)).toEqual(["vigie"]);
      expect(filesOf(unpacked)).toEqual(filesOf(app));
      for (const name of filesOf(app))
        expect(readFileSync(join(unpacked, name)).equals(readFileSync(join(app, name))), name).toBe(true);
      expect(statSync(join(unpacked, "vigie/start.sh")).mode & 0o777).toBe(0o755);
      expect(statSync(join(unpacked, "config.yaml")).mode & 0o777).toBe(0o644);
    },
  );

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
      const shownFile = Buffer.from(data.slice(start.length), "base64");
      expect(shownFile.equals(readFileSync(join(ROOT, path)))).toBe(true);
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

  test("says in its own text where each language's blueprints are, and where they go", () => {
    for (const language of ["fr", "en"]) expect(read("DOCS.md")).toContain(`\`blueprints/${language}\``);
    expect(read("DOCS.md").split("`blueprints/automation/vigie`")).toHaveLength(3);
    expect(read("vigie/start.sh")).toMatch(/^cp -R \S+\/blueprints \/config\/ /m);
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
