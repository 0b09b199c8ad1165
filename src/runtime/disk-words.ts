/** Why a file or folder could not be used, in an owner's words. */
export function describeDiskError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return WORDS.get(code) ?? error.message;
}

const NO_RIGHT = "this user may not";
const WORDS = new Map([
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "this user's share of the disk is full"],
  ["EROFS", "it is read-only"],
  ["EACCES", NO_RIGHT],
  ["EPERM", NO_RIGHT],
  ["ENOTDIR", "a part of its path is a file, not a folder"],
  ["EISDIR", "it is a folder, not a file"],
  ["ENOENT", "it does not exist"],
  ["EIO", "the disk does not answer as it should"],
]);
