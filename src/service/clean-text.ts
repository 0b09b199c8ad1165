/** A value from outside, short enough for a sentence. What is nested in it is not looked at. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return `"${cleanText(value, 40)}"`;
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** Text from outside on one line, cut to a length: no control characters reach a log or a terminal. */
export function cleanText(text: string, length: number): string {
  return text.slice(0, length).replaceAll(CONTROL, " ").replaceAll(/ {2,}/g, " ").trim();
}

const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029\uFFFD]/gu;
