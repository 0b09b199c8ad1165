import { access, constants, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { DEFAULT_PLACES } from "../config/config-file.ts";
import { readValue } from "../config/read-text.ts";
import { describeDiskError, hasCode } from "../runtime/disk-errors.ts";
import { makeFolder, replaceFile } from "../runtime/files.ts";
import type { SetupIo } from "./person.ts";
import { SHIPPED } from "./shipped-file.ts";

/** Where the configuration is written, and what is there before. */
export interface Target {
  /** Absolute, at the end of all links. */
  path: string;
  /** As people are shown it. */
  shown: string;
  /** `shipped`: the file that came with vigie, as it came. */
  before: "nothing" | "shipped" | "own";
  /** The copy that is kept of what is there before, as people are shown it. */
  copy: string;
  password: { path: string; shown: string };
  /** What reads the password file at that place hands it to vigie: no option has to name it. */
  handsPasswordOver: boolean;
  hasSchema: boolean;
  /** A path as people are shown it. */
  shorten: (path: string) => string;
}

export class TargetUnusable extends Error {
  override readonly name = "TargetUnusable";
  readonly shown: string;
  /** Somebody else may write there. */
  readonly needsRoot: boolean;

  constructor(shown: string, cause: unknown) {
    super(describeDiskError(cause), { cause });
    this.shown = shown;
    this.needsRoot = shown.startsWith(`${OF_THE_SERVICE}/`) && hasCode(cause, "EACCES", "EPERM");
  }
}

/**
 * The file that is named; else the one that vigie would read; else the first of its places that has a folder. Throws
 * TargetUnusable, before anybody has answered a question in vain.
 */
export async function findTarget(
  named: string | undefined,
  { env, cwd }: Pick<SetupIo, "env" | "cwd">,
): Promise<Target> {
  const place = resolve(cwd, named || env["VIGIE_CONFIG"] || (await usualPlace(cwd)));
  const shorten = (path: string) => {
    const short = relative(cwd, path);
    return cwd === "/" || short.startsWith("..") ? path : short;
  };
  try {
    const path = await realpath(place).catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) return place;
      throw error;
    });
    const before = await readBefore(path);
    await findFolderToWrite(dirname(path));
    const folder = dirname(path);
    return {
      path,
      shown: shorten(path),
      before: before === null ? "nothing" : before === SHIPPED ? "shipped" : "own",
      copy: shorten(await freeName(path)),
      password: { path: join(folder, "mqtt_password"), shown: shorten(join(folder, "mqtt_password")) },
      handsPasswordOver: folder === OF_THE_SERVICE,
      hasSchema: await isThere(join(folder, "vigie.schema.json")),
      shorten,
    };
  } catch (error) {
    throw new TargetUnusable(shorten(place), error);
  }
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
    const name = number === 1 ? `${path}.old` : `${path}.old-${number}`;
    if (!(await isThere(name))) return name;
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Writes both files or none. Resolves with the copy of the file before, as people are shown it; null: there was none. Throws
 * TargetUnusable.
 */
export async function writeTarget(
  target: Target,
  text: string,
  password: string | undefined,
): Promise<string | null> {
  const { path, shown, shorten } = target;
  const undo = password === undefined ? undefined : await writePassword(target, password);
  try {
    await makeFolder(dirname(path));
    const copy = (await isThere(path)) ? await freeName(path) : null;
    await replaceFile(path, text, { durable: true, open: true, previous: copy ?? undefined });
    return copy === null ? null : shorten(copy);
  } catch (error) {
    await undo?.();
    throw new TargetUnusable(shown, error);
  }
}

/** Mode 600. Resolves with how to have the file as it was before. */
async function writePassword(
  { password: { path, shown } }: Target,
  password: string,
): Promise<() => Promise<void>> {
  const before = await readValue(path).catch(() => null);
  const isOther = before !== null && before.text !== "" && before.text !== password;
  const copy = isOther ? await freeName(path) : undefined;
  try {
    await makeFolder(dirname(path));
    await replaceFile(path, `${password}\n`, { durable: true, previous: copy });
  } catch (error) {
    throw new TargetUnusable(shown, error);
  }
  if (copy !== undefined) return () => rename(copy, path);
  return () =>
    before === null ? rm(path, { force: true }) : replaceFile(path, before.text, { durable: true });
}

/** The unit of systemd passes `/etc/vigie/mqtt_password` to the service, which cannot read that folder's secrets itself. */
const OF_THE_SERVICE = "/etc/vigie";
