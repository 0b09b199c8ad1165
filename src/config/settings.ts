import { listOptions } from "./option-list.ts";
import type { Path } from "./shown-value.ts";

/** One value that was given outside of the file, and where. */
export interface Setting {
  path: Path;
  value: unknown;
  origin: Origin;
}

interface Origin {
  /** As messages name it: `VIGIE_MQTT_GRACE`. */
  name: string;
  /** The option that this name stands for. */
  path: Path;
}

/** A group of options that was given as a whole, as its single options: the others of the group keep their values. */
export function splitGroup(path: Path, value: unknown, origin: Origin): Setting[] {
  if (value === undefined) return [];
  if (!isPlainObject(value) || !isGroup(path)) return [{ path, value, origin }];
  return Object.entries(value).flatMap(([key, inner]) => splitGroup([...path, key], inner, origin));
}

/** The values of the file with the settings put over them, the later over the earlier. */
export function applySettings(file: unknown, settings: readonly Setting[]): unknown {
  return settings.reduce(
    (values, { path, value }) => setValue(values, path, value),
    dropEmptyGroups(file, []),
  );
}

/** A copy with this value set. Where the path leads through something that is no group, the schema reports that. */
export function setValue(values: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const group = values ?? {};
  if (!isPlainObject(group)) return values;
  const inner = Object.hasOwn(group, key) ? group[key] : undefined;
  return { ...group, [key]: setValue(inner, rest, value) };
}

/** `tls:` with all its options commented out is null in YAML; it means the defaults. */
function dropEmptyGroups(value: unknown, path: Path): unknown {
  if (value === null && isGroup(path)) return undefined;
  if (!isPlainObject(value) || !isGroup(path)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, dropEmptyGroups(inner, [...path, key])]);
  return Object.fromEntries(entries);
}

function isGroup(path: Path): boolean {
  if (path.length === 0) return true;
  const name = path.join(".");
  return listOptions().some((option) => option.isGroup && option.path.join(".") === name);
}

function isPlainObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
