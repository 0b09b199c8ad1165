/** Twelve random letters and digits: the id of an installation, or of one of its starts. */
export function inventId(random: () => number): string {
  return Array.from({ length: LENGTH }, () => LETTERS.charAt(Math.floor(random() * LETTERS.length))).join("");
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 12;
