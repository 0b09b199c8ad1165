import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { defineConfig } from "rolldown";
import { parse } from "yaml";

/**
 * One file holds all that a house runs, and needs no node_modules. What is not needed everywhere are files of their own, read
 * only when they are asked for: what invents days and what plays the broker, for a first look and for tests, the page, and the
 * set-up.
 */
const APART = [
  [/\/src\/http\/server\.ts$/, "./http.js"],
  [/\/src\/setup\/setup\.ts$/, "./setup.js"],
  [/\/src\/simulator\/server\.ts$/, "./simulator.js"],
  [/^aedes$/, "./broker.js"],
];

const { resolve } = createRequire(import.meta.url);

/** yaml's other build: the same code as ES modules, of which what vigie does not use is dropped. Node is given CommonJS. */
const YAML_AS_ESM = join(dirname(resolve("yaml/package.json")), "browser/dist/index.js");
const MQTT_WS = join(dirname(resolve("mqtt")), "lib/connect/ws.js");

/**
 * What is loaded at each start and never used: all of undici but that which carries one request (a third of vigie's start,
 * and Node's own copy of it besides), HTTP/2, bodies to send, proxies that no option of vigie names, a copy of Node's streams,
 * timers and logs in threads of their own.
 */
const LEFT_OUT = [
  [
    /^undici$/,
    `import Agent from "undici/lib/dispatcher/agent.js";
     import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
     import api from "undici/lib/api/index.js";
     Object.assign(Dispatcher.prototype, api);
     export { Agent };`,
  ],
  [/^\.\/client-h2\.js$/, "export default null;"],
  // undici then takes the parser beside it, which every processor can run.
  [/^\.\.\/llhttp\/llhttp_simd-wasm\.js$/, 'throw new Error("vigie has one parser of HTTP only");'],
  [/^\.\.\/web\/fetch\/body\.js$/, "export default {};"],
  // Node's own streams, from which this library was copied.
  [/^readable-stream$/, 'module.exports = require("node:stream");'],
  // vigie gives each connection a timer of its own.
  [/^worker-timers$/, "module.exports = {};"],
  // A WebSocket is loaded for a broker at ws:// or wss:// only.
  [
    /^\.\/ws$/,
    `exports.streamBuilder = (...args) => require(${JSON.stringify(MQTT_WS)}).streamBuilder(...args);`,
  ],
  [/^\.\/socks$/, 'export default () => { throw new Error("vigie goes through no SOCKS proxy"); };'],
];

/** vigie's log is written by its own thread. */
const NO_LOG_THREAD = [[/^thread-stream$/, "module.exports = null;"]];

/** What MQTT.js writes for a developer with DEBUG=*: the options of a connection, its password among them. */
const NO_DEBUG = [[/^debug$/, "module.exports = () => () => undefined;"]];

/** package.json is the one place that says it; the built program does not need the file. */
const VERSION = held(/\/version\.ts$/, { VERSION: JSON.parse(readFileSync("package.json", "utf8")).version });

/** The page's own files are texts of the program: nothing is read from the disk for a request. */
const PAGE_FILES = held(/\/assets\.ts$/, {
  STYLE: readFileSync("src/http/page/page.css", "utf8"),
  SCRIPT: readFileSync("src/http/page/page.js", "utf8"),
});

/** What the fields of the Home Assistant app's form are called there, without their descriptions. */
const FORM_LABELS = held(/\/form-labels\.ts$/, { FORM_LABELS: { fr: labels("fr"), en: labels("en") } });

export default defineConfig([
  {
    input: "src/main.ts",
    platform: "node",
    resolve: { alias: { yaml: YAML_AS_ESM } },
    plugins: [
      keepApart(),
      replace([...LEFT_OUT, ...NO_LOG_THREAD, ...NO_DEBUG, VERSION, FORM_LABELS]),
      listLicenses("licenses.txt"),
      makeExecutable("dist/main.js"),
    ],
    output: { ...output(), codeSplitting: false },
  },
  {
    input: { simulator: "src/simulator/server.ts", broker: "aedes" },
    platform: "node",
    plugins: [replace(NO_DEBUG), listLicenses("licenses-first-look.txt")],
    output: output(),
  },
  {
    input: { http: "src/http/server.ts" },
    platform: "node",
    plugins: [replace([PAGE_FILES]), listLicenses("licenses-http.txt")],
    output: { ...output(), codeSplitting: false },
  },
  {
    input: { setup: "src/setup/setup.ts" },
    platform: "node",
    resolve: { alias: { yaml: YAML_AS_ESM } },
    plugins: [
      keepApart(),
      replace([...LEFT_OUT, ...NO_DEBUG, VERSION, FORM_LABELS]),
      listLicenses("licenses-setup.txt"),
    ],
    output: { ...output(), codeSplitting: false },
  },
]);

function output() {
  return {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    // One letter beyond ASCII, and V8 keeps the whole file in twice the memory.
    minify: { compress: true, mangle: true, codegen: { asciiOnly: true } },
    comments: { legal: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
  };
}

function keepApart() {
  return {
    name: "keep-apart",
    resolveId(source, importer) {
      const asked = source.startsWith(".") && importer ? join(dirname(importer), source) : source;
      const file = APART.find(([which]) => which.test(asked))?.[1];
      return file && { id: file, external: "relative" };
    },
  };
}

/** Modules that are replaced by another text. One that is not met any more, after a change or an update, is an error: it would come back unseen. */
function replace(rows) {
  const unmet = new Set(rows);
  const rowOf = (source) => rows.find(([which]) => which.test(source));
  return {
    name: "replace",
    resolveId(source) {
      const row = rowOf(source);
      unmet.delete(row);
      return row && `\0replaced:${source}`;
    },
    load: (id) => (id.startsWith("\0replaced:") ? rowOf(id.slice("\0replaced:".length))?.[1] : null),
    buildEnd() {
      if (unmet.size > 0)
        this.error(`Nothing matches ${[...unmet].map(([which]) => which).join(", ")} any more`);
    },
  };
}

/** Where a module reads a file of the repository, the built program holds what it reads. */
function held(which, values) {
  const lines = Object.entries(values).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
  );
  return [which, lines.join("\n")];
}

function labels(language) {
  const pick = (labels) =>
    Object.fromEntries(
      Object.entries(labels).map(([key, { name, fields }]) => [
        key,
        { name, ...(fields && { fields: pick(fields) }) },
      ]),
    );
  const text = readFileSync(`config/homeassistant-app/translations/${language}.yaml`, "utf8");
  return pick(parse(text).configuration);
}

/** Whose code is inside, and on which terms: their licences ask to be handed on. */
function listLicenses(fileName) {
  return {
    name: "list-licenses",
    generateBundle(_options, bundle) {
      const folders = new Set(
        Object.values(bundle)
          .flatMap(({ moduleIds }) => moduleIds ?? [])
          .map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
          .filter((folder) => folder !== undefined),
      );
      const source = [...folders].sort().map(describeLicense).join("\n");
      this.emitFile({ type: "asset", fileName, source });
    },
  };
}

/** npx has a link to it in its cache: after a build it starts the file as it is. */
function makeExecutable(file) {
  return { name: "make-executable", writeBundle: () => chmodSync(file, 0o755) };
}

function describeLicense(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(`${folder}/${file}`, "utf8").trim() : "";
  return `${name} ${version} (${license})\n\n${text}\n\n${"-".repeat(80)}\n`;
}
