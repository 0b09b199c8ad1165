/** `{"state":{"output":"on","other":1}}` for `state.output`. */
export function nest(path: string, value: unknown): string {
  const nested = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner, other: 1 }), value);
  return JSON.stringify(nested);
}
