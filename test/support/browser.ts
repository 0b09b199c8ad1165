import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

export const HAS_CHROMIUM = CHROMIUM !== undefined;

/** Debian's Chromium. As root it has no sandbox; it opens nothing but pages of this machine. */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined)
    throw new Error("Expected Chromium in /usr/bin; install it: apt-get install chromium");
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
