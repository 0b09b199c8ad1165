import { readFile } from "node:fs/promises";

type FileText = { text: string } | { failure: NodeJS.ErrnoException };

/** The text of a file, or why there is none: whoever asks decides what that means. */
export async function readText(path: string): Promise<FileText> {
  try {
    return { text: await readFile(path, "utf8") };
  } catch (error) {
    return { failure: error as NodeJS.ErrnoException };
  }
}

export function whyUnreadable({ code = "unknown" }: NodeJS.ErrnoException): string {
  return REASONS[code] ?? code;
}

export function isAbsent({ code }: NodeJS.ErrnoException): boolean {
  return code === "ENOENT" || code === "ENOTDIR";
}

const REASONS: Record<string, string> = {
  ENOENT: "there is none",
  ENOTDIR: "there is none",
  EISDIR: "it is a folder",
  EACCES: "no permission to read it",
  EPERM: "no permission to read it",
};
