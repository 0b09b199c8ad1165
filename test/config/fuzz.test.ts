import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { listOptions } from "../../src/config/option-list.ts";
import { ConfigError } from "../../src/config/problems.ts";
import { runs } from "../support/long.ts";
import { folderWith, load } from "./folder.ts";

const PLACE =
  /^(config\/vigie\.yaml:\d+:\d+|VIGIE_[A-Z_]+|credential [a-z_]+|command line)( [^:]+)?: expected .+, got .+/s;

/** Loads; what comes out is a configuration, or a refusal whose every problem names its place. Gives all that was said. */
async function outcome(cwd: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  try {
    const { warnings } = await load({ cwd, env, inContainer: true });
    return warnings;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { problems, message } = error as ConfigError;
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect(problem).toMatch(PLACE);
    return [...problems, message];
  }
}

async function fileOf(cwd: string, text: string): Promise<void> {
  await mkdir(join(cwd, "config"), { recursive: true });
  await writeFile(join(cwd, "config/vigie.yaml"), text);
}

const words = listOptions().flatMap(({ path }) => path);
const scalars = [
  "simulator",
  "embedded",
  "mqtt://b",
  "06:30",
  "22:00-06:00",
  "1h",
  "auto",
  "off",
  "~",
  "- ",
  "{",
  "[",
  "*a",
  "&a",
  "!x",
  "\t",
  "|",
  '"',
  "__proto__",
];
const piece = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...scalars), fc.string({ maxLength: 8 }));
const line = fc
  .tuple(fc.nat({ max: 3 }), piece, fc.constantFrom(": ", ":", " ", ": - "), piece)
  .map(([indent, key, mark, value]) => `${"  ".repeat(indent)}${key}${mark}${value}`);

test("any text gives a configuration, or problems with their places", async () => {
  const cwd = await folderWith();
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      await fileOf(cwd, lines.join("\n"));
      await outcome(cwd, {});
    }),
    { numRuns: runs(300) },
  );
});

const anything = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...scalars, null, true, 0, -1, 1e99, Number.NaN, [], {}) },
  { weight: 1, arbitrary: fc.anything({ maxDepth: 2, maxKeys: 3 }) },
);

/** An object in the shape of the configuration, with anything for values. */
const shaped = fc
  .array(fc.tuple(fc.constantFrom(...listOptions().map(({ path }) => path)), anything), { maxLength: 8 })
  .map((entries) => entries.reduce((tree, [path, value]) => planted(tree, path, value), {}));

function planted(tree: object, [first = "", ...rest]: readonly string[], value: unknown): object {
  const inner: unknown = Reflect.get(tree, first);
  const group = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? inner : {};
  return { ...tree, [first]: rest.length === 0 ? value : planted(group, rest, value) };
}

test("any values of the options give a configuration, or problems with their places", async () => {
  const cwd = await folderWith();
  await fc.assert(
    fc.asyncProperty(shaped, async (tree) => {
      await fileOf(cwd, stringify(tree) ?? "");
      await outcome(cwd, {});
    }),
    { numRuns: runs(300) },
  );
});

const variables = fc.dictionary(
  fc.oneof(
    fc.constantFrom(...listOptions().flatMap(({ variable }) => [variable, `${variable}_FILE`])),
    fc.string({ maxLength: 6 }).map((text) => `VIGIE_${text.replaceAll(/\W/g, "X").toUpperCase()}`),
  ),
  fc.oneof(piece, fc.json({ maxDepth: 2 })),
  { maxKeys: 6 },
);

test("any variables give a configuration, or problems that name them", async () => {
  const cwd = await folderWith();
  await fc.assert(
    fc.asyncProperty(variables, async (env) => void (await outcome(cwd, env))),
    { numRuns: runs(300) },
  );
});

const SECRET = "hunter2";
const planting = fc.constantFrom<unknown>(
  { mqtt: { password: SECRET } },
  { mqtt: { password: [SECRET] } },
  { mqtt: { password: { is: SECRET } } },
  { mqtt: { password: { [SECRET]: 1 } } },
  { mqtt: SECRET },
  { mqtt: { url: "mqtt://b", password_file: SECRET } },
  { mqtt: { url: "mqtt://b", password: SECRET, password_file: SECRET } },
  { mqtt: { url: `mqtt://me:${SECRET}@localhost` } },
  { mqtt: { url: `mqtt://me:${SECRET}` } },
  { mqtt: { url: `me:${SECRET}@b` } },
  { mqtt: { url: `tcp://me:/#${SECRET}@@b` } },
  { mqtt: { url: [`mqtt://me:${SECRET}@b`] } },
  { mqtt: { url: `mqtt://me:${SECRET}@localhost`, password: SECRET } },
  { mqtt: { url: `mqtt://me:${SECRET}@b`, username: "you", tls: { verify: false } } },
  { service: { base_url: `https://me:${SECRET}@days.example` } },
);
const spoiled = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.replace("password: ", "password:"),
  (text: string) => text.replace("password: ", "pasword: "),
  (text: string) => text.replace("password: ", "password: *"),
  (text: string) => text.replace("password: ", "password: !"),
  (text: string) => text.replace("password: ", "password: &"),
  (text: string) => text.replace("password: ", "password: @"),
  (text: string) => text.replace("password: ", 'password: "'),
  (text: string) => text.replace("password: ", "password: |"),
  (text: string) => text.replace("password: ", "\tpassword: "),
  (text: string) => `${text}\n${text}`,
  (text: string) => `{${text}`,
);

test("a secret is in no problem and no warning, whatever is wrong with the file", async () => {
  const cwd = await folderWith();
  await fc.assert(
    fc.asyncProperty(planting, shaped, spoiled, fc.boolean(), async (secret, tree, spoil, isWhole) => {
      await fileOf(cwd, spoil(stringify(isWhole ? secret : { ...tree, ...(secret as object) })));
      expect((await outcome(cwd, {})).join("\n")).not.toContain(SECRET);
    }),
    { numRuns: runs(500) },
  );
});

test.each([
  { VIGIE_MQTT_PASSWORD: SECRET },
  { VIGIE_MQTT_PASSWORD_FILE: SECRET },
  { VIGIE_MQTT: SECRET },
  { VIGIE_MQTT: `{password: [${SECRET}]}` },
  { VIGIE_MQTT: `{password: *${SECRET}` },
  { VIGIE_MQTT: `{password:${SECRET}}` },
  { VIGIE_MQTT: `{password_file: ${SECRET}}` },
  { VIGIE_MQTT: `{password: {${SECRET}: 1}}` },
  { VIGIE_MQTT_URL: `mqtt://me:${SECRET}@localhost`, VIGIE_MQTT_PASSWORD: SECRET },
  { VIGIE_MQTT_URL: `tcp://me:${SECRET}@localhost` },
  { VIGIE_MQTT_URL: `mqtt://me:${SECRET}` },
  { VIGIE_MQTT_URL_FILE: `mqtt://me:${SECRET}@b` },
  { VIGIE_MQTT_GRACE: `mqtt://me:${SECRET}@b` },
  { VIGIE_SERVICE_BASE_URL: `http://me:${SECRET}@localhost` },
  { VIGIE_MQTT_PASWORD: SECRET },
])("a secret in variables is in no message: %j", async (env) => {
  const cwd = await folderWith();
  const calm = { VIGIE_SERVICE_BASE_URL: "https://days.example", VIGIE_MQTT_URL: "mqtts://b" };
  for (const others of [calm, { ...calm, VIGIE_LOG_LEVEL: "loud", VIGIE_TARIFF_RATES: "[" }]) {
    expect((await outcome(cwd, { ...others, ...env })).join("\n")).not.toContain(SECRET);
  }
});
