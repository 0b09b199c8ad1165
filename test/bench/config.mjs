import { loadConfig } from "../../dist/config/load.js";

/** The configuration as shipped, whatever the surroundings say. */
const { config } = await loadConfig({
  file: new URL("../../config/vigie.yaml", import.meta.url).pathname,
  env: {},
  cwd: process.cwd(),
});

export const CONFIG = config;
