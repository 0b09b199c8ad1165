import { codeOf } from "./error-code.ts";

/** Whether this is an error of the system with one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes(codeOf(error));
}

/** Why a file or folder cannot be used: words that follow a colon. */
export function describeDiskError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return REASONS.get(codeOf(error)) ?? error.message;
}

/** What the household can do about a folder that cannot be used, as a sentence to append; empty where nothing is known. */
export function describeDiskRemedy(error: unknown, folder: string): string {
  const describe = REMEDIES.get(codeOf(error));
  return describe ? `. To fix it: ${describe(folder)}` : "";
}

const NO_PERMISSION = "this user has no permission";
const REASONS = new Map([
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota of this user is used up"],
  ["EROFS", "it is read-only"],
  ["EACCES", NO_PERMISSION],
  ["EPERM", NO_PERMISSION],
  ["ENOTDIR", "a part of its path is a file, not a folder"],
  ["EISDIR", "it is a folder, not a file"],
  ["ENOENT", "it does not exist"],
  ["EIO", "the disk reports an error"],
]);

const changeOwner = (folder: string) =>
  `chown -R ${process.getuid?.() ?? ""}:${process.getgid?.() ?? ""} ${folder} (for a container: on the host, the folder that is mounted there)`;

const REMEDIES = new Map<string, (folder: string) => string>([
  ["ENOSPC", (folder) => `free space on its disk (df -h ${folder})`],
  [
    "EROFS",
    (folder) =>
      `use a folder that can be written (for a container: mount the volume of ${folder} without :ro; for the systemd service: leave the option state out)`,
  ],
  [
    "ENOTDIR",
    (folder) =>
      `remove the file that has the path of ${folder} or of a folder above it, or set another folder`,
  ],
  ["EACCES", changeOwner],
  ["EPERM", changeOwner],
]);
