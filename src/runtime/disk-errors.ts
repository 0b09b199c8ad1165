/** Why a file or folder could not be used, in an owner's words. */
export function describeDiskError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return WORDS.get(codeOf(error)) ?? error.message;
}

/** What the owner can do about a folder that cannot be written; `user` is who wants to, as `chown` takes it. */
export function describeDiskMend(error: unknown, folder: string, user: string): string {
  const mend = MENDS.get(codeOf(error));
  return mend ? `. What mends it: ${mend(folder, user)}` : "";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
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

type Mend = (folder: string, user: string) => string;

const giveAway: Mend = (folder, user) =>
  `chown -R ${user} ${folder} (from outside of a container: the folder that is mounted there)`;
const MENDS = new Map<string, Mend>([
  ["ENOSPC", (folder) => `room on its disk (df -h ${folder})`],
  [
    "EROFS",
    (folder) =>
      `a folder that may be written (for a container: the volume of ${folder} without :ro; for the service: leave state out)`,
  ],
  ["EACCES", giveAway],
  ["EPERM", giveAway],
]);
