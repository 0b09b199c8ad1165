// Writes dist/app, or the folder that is named: that of the Home Assistant app. Beside it lies the same as one zip, for whoever has
// no Node. `npm run app` builds the program before.
import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { writeZip } from "./zip.mjs";

const from = import.meta.dirname ?? dirname(fileURLToPath(import.meta.url));
const root = join(from, "..", "..");
const to = process.argv[2] ?? join(root, "dist", "app");
const read = (...path) => readFile(join(...path), "utf8");

/** What runs in a house: what only a first look loads stays out. */
const PROGRAM = ["main.js", "http.js", "licenses.txt", "licenses-http.txt"];

const { version } = JSON.parse(await read(root, "package.json"));
await rm(to, { recursive: true, force: true });
await mkdir(join(to, "vigie", "dist"), { recursive: true });

await writeFile(join(to, "config.yaml"), `version: "${version}"\n${await read(from, "config.yaml")}`);
for (const name of ["Dockerfile", "LISEZMOI-README.txt", "repository.yaml"])
  await copyFile(join(from, name), join(to, name));
await cp(join(from, "translations"), join(to, "translations"), { recursive: true });
await copyFile(join(root, "CHANGELOG.md"), join(to, "CHANGELOG.md"));
await writeFile(join(to, "DOCS.md"), await withPictures(await read(from, "DOCS.md")));

await initWasm(await readFile(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
for (const name of ["icon", "logo"]) {
  const picture = new Resvg(await read(from, `${name}.svg`)).render();
  await writeFile(join(to, `${name}.png`), picture.asPng());
}

for (const name of PROGRAM) await copyFile(join(root, "dist", name), join(to, "vigie", "dist", name));
for (const name of ["package.json", "LICENSE"]) await copyFile(join(root, name), join(to, "vigie", name));
await copyFile(join(root, "config", "vigie.yaml"), join(to, "vigie", "vigie.example.yaml"));
await cp(join(root, "config", "homeassistant"), join(to, "vigie", "blueprints"), { recursive: true });
await copyFile(join(from, "start.sh"), join(to, "vigie", "start.sh"));
await chmod(join(to, "vigie", "start.sh"), 0o755);

const zip = join(dirname(to), `vigie-app-${version}.zip`);
await writeZip(zip, to, "vigie");

const [folder, packed] = [to, zip].map((path) => relative(process.cwd(), path));
process.stdout.write(
  `The app is in ${folder}: copy it to Home Assistant, as vigie in the share addons (docs/home-assistant-os.md)\n` +
    `${packed} holds the same, for somebody who has no Node: unpacked, it is the folder vigie\n`,
);

/** Home Assistant shows this text alone: a picture in it must be a part of it. The text stays readable before them. */
async function withPictures(text) {
  const linked = /\]\((?:\.\.\/)+(\S+\.png)\)/g;
  const paths = [...new Set([...text.matchAll(linked)].map(([, path]) => path))];
  const pictures = await Promise.all(
    paths.map(async (path) => {
      const picture = await readFile(join(root, path));
      return `[${path}]: data:image/png;base64,${picture.toString("base64")}\n`;
    }),
  );
  return `${text.replaceAll(linked, "][$1]")}\n${pictures.join("\n")}`;
}
