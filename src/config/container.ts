import { existsSync } from "node:fs";

/** Does this run in a container? Docker and Podman leave a file that says so. */
export function isContainer(): boolean {
  return ["/.dockerenv", "/run/.containerenv"].some((mark) => existsSync(mark));
}
