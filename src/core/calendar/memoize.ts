/**
 * The same pure function, which keeps its results: a refresh asks the same few hundred questions again and again, and
 * arithmetic with time zones is slow. `context` is what rarely varies, such as a time zone or a tariff, if there is any.
 * When the results of a context reach the limit, all of them are dropped.
 */
export function memoize<Key, Result extends NonNullable<unknown>, Context = void>(
  compute: (key: Key, context: Context) => Result,
  limit = 4096,
): (key: Key, context: Context) => Result {
  const contexts = new Map<Context, Map<Key, Result>>();
  return (key, context) => {
    let results = contexts.get(context);
    if (!results) {
      if (contexts.size >= CONTEXTS) contexts.clear();
      results = new Map();
      contexts.set(context, results);
    }
    const kept = results.get(key);
    if (kept !== undefined) return kept;
    const result = compute(key, context);
    if (results.size >= limit) results.clear();
    results.set(key, result);
    return result;
  };
}

/** The same for data that never changes: what was found for an object is kept as long as the object is. */
export function memoizeByObject<Key extends object, Result>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const results = new WeakMap<Key, { result: Result }>();
  return (key) => {
    const kept = results.get(key) ?? { result: compute(key) };
    results.set(key, kept);
    return kept.result;
  };
}

const CONTEXTS = 64;
