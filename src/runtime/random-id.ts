/** Twelve random letters and digits: the id of an installation, or of one of its starts. */
export function inventId(random: () => number): string {
  return Array.from({ length: LENGTH }, () => LETTERS.charAt(Math.floor(random() * LETTERS.length))).join("");
}

export function isInventedId(text: string): boolean {
  return text.length === LENGTH && [...text].every((letter) => LETTERS.includes(letter));
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 12;
