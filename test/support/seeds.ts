import { configureGlobal } from "fast-check";
import { LONG } from "./long.ts";

// `npm test` tries always the same cases, so that it never fails by chance; `npm run test:long` tries new ones.
if (!LONG) configureGlobal({ seed: 1 });
