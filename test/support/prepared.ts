/** Says why a test cannot run here; empty where it can. A machine that was prepared skips nothing: there it fails. */
export function lacking(isThere: boolean, words: string): string {
  return isThere || process.env["VIGIE_TEST_PREPARED"] === "1" ? "" : words;
}
