import { readFileSync } from "node:fs";

/** The texts of the files beside this one; the build replaces this file by them. The place is the same from `.build`. */
const FOLDER = new URL("../../../src/http/page/", import.meta.url);

export const STYLE: string = readFileSync(new URL("page.css", FOLDER), "utf8");
export const SCRIPT: string = readFileSync(new URL("page.js", FOLDER), "utf8");
