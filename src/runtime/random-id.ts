/** Twelve letters and digits that nobody else has: names an installation, or one of its starts. */
export function inventId(random: () => number): string {
  return Array.from({ length: LENGTH }, () => LETTERS.charAt(Math.floor(random() * LETTERS.length))).join("");
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 12;
