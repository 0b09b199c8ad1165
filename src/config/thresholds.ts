/** Where a rule asks for its threshold though it declares none. Parts of it may be wrong: each is read with care. */
export function findThresholds(rule: unknown): PropertyKey[][] {
  if (!isGroup(rule) || rule["threshold"] !== undefined) return [];
  return thresholdsIn(rule["when"], ["when"]);
}

function thresholdsIn(condition: unknown, path: PropertyKey[]): PropertyKey[][] {
  if (!isGroup(condition)) return [];
  const here = condition["confidence"] === "threshold" ? [[...path, "confidence"]] : [];
  const nested = (["all", "any"] as const).flatMap((key) => {
    const parts = condition[key];
    return Array.isArray(parts)
      ? parts.flatMap((part: unknown, index) => thresholdsIn(part, [...path, key, index]))
      : [];
  });
  return [...here, ...nested, ...thresholdsIn(condition["not"], [...path, "not"])];
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
