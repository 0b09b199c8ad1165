/** The value at this path of data that may have any shape; undefined where there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}

/** The list at this path; empty where there is none. */
export function listAt(value: unknown, path: readonly PropertyKey[]): unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}
