import { listOptions, type Path } from "./list-options.ts";

/** One value that was given outside of the file, and the name under which it was given. */
export interface Setting {
  path: Path;
  value: unknown;
  from: Origin;
}

export interface Origin {
  /** `VIGIE_MQTT_GRACE`, as messages name it. */
  name: string;
  /** The option that this name stands for. */
  path: Path;
}

/** A group given as a whole, as its single options: it replaces those only. */
export function spreadGroup(path: Path, value: unknown, from: Origin): Setting[] {
  if (!isGroup(path) || !isPlain(value)) return value === undefined ? [] : [{ path, value, from }];
  return Object.entries(value).flatMap(([key, inner]) => spreadGroup([...path, key], inner, from));
}

/** The file's values with these put over them, the later over the earlier. */
export function applySettings(file: unknown, settings: readonly Setting[]): unknown {
  return settings.reduce((tree, { path, value }) => withValue(tree, path, value), dropBlankGroups(file));
}

export function withValue(tree: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  // What is no group is left as it is: the schema says what is wrong with it.
  if (tree !== undefined && tree !== null && !isPlain(tree)) return tree;
  const group: Record<PropertyKey, unknown> = tree ?? {};
  const inner = Object.hasOwn(group, first) ? group[first] : undefined;
  return { ...group, [first]: withValue(inner, rest, value) };
}

/** `tls:` with all its options commented out is an empty group. */
function dropBlankGroups(tree: unknown): unknown {
  if (tree === null) return {};
  return groups().reduce<unknown>(
    (rest, path) => (isBlankAt(rest, path) ? withValue(rest, path, undefined) : rest),
    tree,
  );
}

function isBlankAt(tree: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined) return tree === null;
  return isPlain(tree) && Object.hasOwn(tree, first) && isBlankAt(tree[first], rest);
}

function groups(): Path[] {
  return listOptions().flatMap((option) => (option.isGroup ? [option.path] : []));
}

function isGroup(path: Path): boolean {
  return path.length === 0 || groups().some((group) => group.join(".") === path.join("."));
}

function isPlain(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
