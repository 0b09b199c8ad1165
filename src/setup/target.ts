import { access, constants, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { DEFAULT_PLACES } from "../config/config-file.ts";
import { readValue } from "../config/read-text.ts";
import { hasCode } from "../runtime/disk-errors.ts";
import { makeFolder, replaceFile } from "../runtime/files.ts";
import { explainDisk, type Setup, SetupFailed } from "./context.ts";
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
  password: { path: string; shown: string };
  /** What reads the password file at that place hands it to vigie: no option has to name it. */
  handsPasswordOver: boolean;
  hasSchema: boolean;
  /** A path as people are shown it. */
  shorten: (path: string) => string;
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
    const copy = await freeName(path);
    const shippedCopy = before !== null && isShipped(before) ? copy : await findShippedCopy(path);
    return {
      path,
      shown: shorten(path),
      before,
      copy: shorten(copy),
      explainedIn: shippedCopy === null ? null : shorten(shippedCopy),
      password: { path: join(folder, "mqtt_password"), shown: shorten(join(folder, "mqtt_password")) },
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
    needsRoot ? words.file_as_root(file.shown) : words.file_unusable(file.shown, explainDisk(error, words)),
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
 * Writes both files or none. Resolves with the copy of the file before, as people are shown it; null: there was none. Throws
 * SetupFailed.
 */
export async function writeTarget(
  target: Target,
  { text, password }: { text: string; password: string | undefined },
  words: Words,
): Promise<string | null> {
  const { path, shorten } = target;
  const undo = password === undefined ? undefined : await writePassword(target.password, password, words);
  try {
    await makeFolder(dirname(path));
    const copy = (await isThere(path)) ? await freeName(path) : null;
    await replaceFile(path, text, { durable: true, open: true, previous: copy ?? undefined });
    return copy === null ? null : shorten(copy);
  } catch (error) {
    await undo?.();
    throw cannotWrite(target, error, words);
  }
}

/** Mode 600. Resolves with how to have the file as it was before. */
async function writePassword(
  file: Target["password"],
  password: string,
  words: Words,
): Promise<() => Promise<void>> {
  const { path } = file;
  const before = await readPasswordBefore(path);
  const isOther = before !== null && before !== "" && before !== password;
  const copy = isOther ? await freeName(path) : undefined;
  try {
    await makeFolder(dirname(path));
    await replaceFile(path, `${password}\n`, { durable: true, previous: copy });
  } catch (error) {
    throw cannotWrite(file, error, words);
  }
  if (copy !== undefined) return () => rename(copy, path);
  return () =>
    typeof before === "string" ? replaceFile(path, before, { durable: true }) : rm(path, { force: true });
}

/** null: there is no file; undefined: what it holds cannot be read. */
async function readPasswordBefore(path: string): Promise<string | null | undefined> {
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

/** The unit of systemd passes `/etc/vigie/mqtt_password` to the service, which cannot read that folder's secrets itself. */
const OF_THE_SERVICE = "/etc/vigie";
