import { devices } from "../../src/http/page/devices.ts";
import { notices } from "../../src/http/page/notices.ts";
import { openPage } from "../../src/http/page/words.ts";
import type { View } from "../../src/http/view.ts";

/** The parts of the page that show what was sent to devices. */
export function readPage(view: View | undefined): string {
  if (!view) return "";
  const page = openPage(view, "fr");
  return `${devices(page)}${notices(page)}`;
}
