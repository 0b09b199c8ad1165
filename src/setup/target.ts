import {
  access,
  chmod,
  chown,
  constants,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { DEFAULT_PLACES } from "../config/config-file.ts";
import { readValue } from "../config/read-text.ts";
import { hasCode } from "../runtime/disk-errors.ts";
import { makeFolder, replaceFile } from "../runtime/files.ts";
import { type Setup, SetupFailed } from "./context.ts";
import { isShipped } from "./file-before.ts";
import type { Words } from "./words.ts";

/** Where the configuration is written, and what is there before. */
export interface Target {
  /** Absolute, at the end of all links. */
  path: string;
  /** As people are shown it. */
  shown: string;
  /** The content; null: there is no file. */
  before: string | null;
  /** The copy that is kept of what is there before, as people are shown it. */
  copy: string;
  /** The copy of the file that vigie ships, which explains every option, as people are shown it; null: there is none. */
  explainedIn: string | null;
  password: Omit<Secret, "text">;
  /** The file of what only this output may know. */
  secretOf: (id: string) => Omit<Secret, "text">;
  /** What reads the password file at that place hands it to vigie: no option has to name it. */
  handsPasswordOver: boolean;
  hasSchema: boolean;
  /** A path as people are shown it. */
  shorten: (path: string) => string;
}

/** What stands in a file of its own, and in no other. */
export interface Secret {
  path: string;
  /** As people are shown it. */
  shown: string;
  text: string;
  /** The user of the service reads it, too, and not only the owner of the file. */
  isOfService: boolean;
}

/**
 * The file that is named; else the one that vigie would read; else the first of its places that has a folder. Throws
 * SetupFailed, before anybody has answered a question in vain.
 */
export async function findTarget(
  named: string | undefined,
  { env, cwd }: Setup["io"],
  words: Words,
): Promise<Target> {
  const place = resolve(cwd, named || env["VIGIE_CONFIG"] || (await usualPlace(cwd)));
  const shorten = (path: string) => {
    const short = relative(cwd, path);
    return cwd === "/" || short.startsWith("..") ? path : short;
  };
  try {
    const path = await realpath(place).catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) return linked(place);
      throw error;
    });
    const before = await readBefore(path);
    await findFolderToWrite(dirname(path));
    const folder = dirname(path);
    const secretFile = (name: string) => ({ path: join(folder, name), shown: shorten(join(folder, name)) });
    const copy = await freeName(path);
    const shippedCopy = before !== null && isShipped(before) ? copy : await findShippedCopy(path);
    return {
      path,
      shown: shorten(path),
      before,
      copy: shorten(copy),
      explainedIn: shippedCopy === null ? null : shorten(shippedCopy),
      // systemd reads this one, and hands it over.
      password: { ...secretFile("mqtt_password"), isOfService: false },
      secretOf: (id) => ({ ...secretFile(`${id}_secret`), isOfService: folder === OF_THE_SERVICE }),
      handsPasswordOver: folder === OF_THE_SERVICE,
      hasSchema: await isThere(join(folder, "vigie.schema.json")),
      shorten,
    };
  } catch (error) {
    throw cannotWrite({ path: place, shown: shorten(place) }, error, words);
  }
}

/** Where a link points to at which nothing is yet. */
async function linked(place: string): Promise<string> {
  const to = await readlink(place).catch(() => null);
  return to === null ? place : resolve(dirname(place), to);
}

function cannotWrite(file: { path: string; shown: string }, error: unknown, words: Words): SetupFailed {
  const needsRoot = dirname(file.path) === OF_THE_SERVICE && hasCode(error, "EACCES", "EPERM");
  return new SetupFailed(
    needsRoot ? words.file_as_root(file.shown) : words.file_unusable(file.shown, words.disk(error)),
  );
}

async function usualPlace(cwd: string): Promise<string> {
  const places = DEFAULT_PLACES.map((place) => resolve(cwd, place));
  for (const place of places) if (await isThere(place)) return place;
  for (const place of places) if (await isThere(dirname(place))) return place;
  return DEFAULT_PLACES[0] ?? "vigie.yaml";
}

/** The content; null: there is no file. */
async function readBefore(path: string): Promise<string | null> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
    if (!found.isFile()) throw new Error("it is a pipe or a device, not a file");
    await access(path, constants.R_OK | constants.W_OK);
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** The folder, or the nearest one above it in which it can be made. */
async function findFolderToWrite(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || dirname(folder) === folder) throw error;
    await findFolderToWrite(dirname(folder));
  }
}

/** `vigie.yaml.old`, or `vigie.yaml.old-2`: no copy takes the place of another one. */
async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = copyOf(path, number);
    if (!(await isThere(name))) return name;
  }
}

/** null: no set-up before this one has replaced it. */
async function findShippedCopy(path: string): Promise<string | null> {
  for (let number = 1; ; number += 1) {
    const name = copyOf(path, number);
    const text = await readFile(name, "utf8").catch(() => null);
    if (text === null) return null;
    if (isShipped(text)) return name;
  }
}

function copyOf(path: string, number: number): string {
  return number === 1 ? `${path}.old` : `${path}.old-${number}`;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Writes all files or none. Resolves with the copy of the file before, as people are shown it; null: there was none. Throws
 * SetupFailed.
 */
export async function writeTarget(
  target: Target,
  { text, secrets }: { text: string; secrets: readonly Secret[] },
  words: Words,
): Promise<string | null> {
  const { path, shorten } = target;
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const secret of secrets) undo.unshift(await writeSecret(secret, words));
    await makeFolder(dirname(path));
    const copy = (await isThere(path)) ? await freeName(path) : null;
    await replaceFile(path, text, { durable: true, open: true, previous: copy ?? undefined });
    return copy === null ? null : shorten(copy);
  } catch (error) {
    for (const takeBack of undo) await takeBack();
    throw error instanceof SetupFailed ? error : cannotWrite(target, error, words);
  }
}

/** Mode 600. Resolves with how to have the file as it was before. */
async function writeSecret(secret: Secret, words: Words): Promise<() => Promise<void>> {
  const { path, text, isOfService } = secret;
  const before = await readSecretBefore(path);
  const isOther = before !== null && before !== "" && before !== text;
  const copy = isOther ? await freeName(path) : undefined;
  try {
    await makeFolder(dirname(path));
    await replaceFile(path, `${text}\n`, { durable: true, previous: copy });
    if (isOfService) await letServiceRead(path);
  } catch (error) {
    throw cannotWrite(secret, error, words);
  }
  if (copy !== undefined) return () => rename(copy, path);
  return () =>
    typeof before === "string" ? replaceFile(path, before, { durable: true }) : rm(path, { force: true });
}

/** null: there is no file; undefined: what it holds cannot be read. */
async function readSecretBefore(path: string): Promise<string | null | undefined> {
  try {
    return (await readValue(path)).text;
  } catch {
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    return isFile ? undefined : null;
  }
}

/** Before it is installed there is no such group: install.sh looks after it then. */
async function letServiceRead(path: string): Promise<void> {
  const [, group] = /^vigie:[^:]*:(\d+):/m.exec(await readFile("/etc/group", "utf8")) ?? [];
  if (group === undefined) return;
  await chown(path, (await stat(path)).uid, Number(group));
  await chmod(path, 0o640);
}

/** The unit of systemd passes `/etc/vigie/mqtt_password` to the service, which cannot read that folder's secrets itself. */
const OF_THE_SERVICE = "/etc/vigie";
