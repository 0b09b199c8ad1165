import { open } from "node:fs/promises";
import { join } from "node:path";

/** A folder in which unix sockets live, however long its path is. */
export interface SocketFolder {
  folder: string;
  /** The path of a socket as a file. */
  path(name: string): string;
  /** What to listen on or connect to. */
  address(name: string): string;
  close(): Promise<void>;
}

export async function openSocketFolder(folder: string): Promise<SocketFolder> {
  const path = (name: string) => join(folder, name);
  if (Buffer.byteLength(path("x".repeat(LONGEST_NAME))) <= LONGEST_ADDRESS) {
    return { folder, path, address: path, close: () => Promise.resolve() };
  }
  if (process.platform !== "linux") {
    throw new Error(`Expected a path of at most ${LONGEST_ADDRESS - LONGEST_NAME - 1} bytes, got ${folder}`);
  }
  // Linux names an open folder in a few letters.
  const handle = await open(folder, "r");
  const address = (name: string) => `/proc/self/fd/${handle.fd}/${name}`;
  return { folder, path, address, close: () => handle.close() };
}

/** Some systems hold 103 bytes, and what is longer is cut without a word. */
const LONGEST_ADDRESS = 100;
const LONGEST_NAME = 20;
