/** Who this process is, as `chown` takes it. */
export function thisUser(): string {
  return `${process.getuid?.() ?? ""}:${process.getgid?.() ?? ""}`;
}
