import { spawnSync } from "node:child_process";

/** What starts a program with a disk of its own, which nobody else sees, and which is gone with it. */
export function disk(path: string, options: string): string[] {
  const script = `mount -t tmpfs -o ${options} tmpfs '${path}' && exec "$@"`;
  return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"];
}

/** What starts a program for which the folder as it is is read-only. */
export function readOnly(path: string): string[] {
  const script = `mount --bind '${path}' '${path}' && mount -o remount,bind,ro '${path}' && exec "$@"`;
  return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"];
}

const [probe = "", ...words] = [...disk("/mnt", "size=4k"), "true"];

/** Says why there can be no such disk here; empty where there can. */
export const withoutMounts =
  spawnSync(probe, words).status === 0 ? "" : "only root may mount a small disk for a program of its own";
