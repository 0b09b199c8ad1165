/** The code of an error of Node or of the system, such as `ENOENT`; empty if it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error && "code" in error)) return "";
  // Only what looks like a code: other programs are free to put anything there, such as an address.
  return typeof error.code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code) ? error.code : "";
}
