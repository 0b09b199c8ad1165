import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { withoutMosquitto } from "../support/mosquitto.ts";

/** Where the image's file tree lies, once it is built. */
export const TREE = "VIGIE_TREE";

/** Says why the image can be neither built nor run here; empty where it can. */
export const withoutDocker = whyNot();

/** The program that runs a tree as a container would. */
export function runner(): string {
  return resolve(process.env["VIGIE_CONTAINER"] ?? "", "run");
}

function whyNot(): string {
  const folder = process.env["VIGIE_CONTAINER"];
  if (!folder) return "(VIGIE_CONTAINER names no folder with the programs build and run)";
  if (!existsSync(runner())) return `(${folder} holds no program run)`;
  if (process.getuid?.() !== 0) return "(building an image takes root)";
  return withoutMosquitto;
}
