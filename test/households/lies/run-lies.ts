import type { Trace } from "../trace.ts";
import { LIES } from "./lies.ts";
import { describeOutcomes, tellLie } from "./tell-lies.ts";
import { TRACES } from "./traces.ts";

// npm run lies [-- words of a name]: which judge complains of which lie.
const words = process.argv.slice(2).join(" ");
const traces = new Map<string, Trace>();
for (const { name, live } of TRACES) traces.set(name, await live());
for (const lie of LIES.filter(({ name, judge }) => `${judge} ${name}`.includes(words)))
  console.log(describeOutcomes([tellLie(lie, traces)]));
