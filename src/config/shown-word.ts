/** A word as a message may show it: cut where it is no word any more (`password:secret` lacks a space). */
export function shownWord(word: string): string {
  const start = plainStart(word);
  return start.length === word.length ? quoted(start) : quoted(`${start}…`);
}

/** What of it is a word. */
export function plainStart(word: string): string {
  return /^[\w$.-]{0,40}/.exec(word)?.[0] ?? "";
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
