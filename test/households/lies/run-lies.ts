import type { Trace } from "../trace.ts";
import { LIES } from "./lies.ts";
import { describeOutcomes, tellLie } from "./tell-lies.ts";
import { FEW_TRACES, TRACES } from "./traces.ts";

// npm run lies [-- --few] [words of a name]: which judge complains of which lie.
const words = process.argv.slice(2).filter((word) => word !== "--few");
const isFew = process.argv.includes("--few");
const traces = new Map<string, Trace>();
for (const { name, live } of isFew ? FEW_TRACES : TRACES) traces.set(name, await live());
for (const lie of LIES.filter(({ name, judge }) => `${judge} ${name}`.includes(words.join(" "))))
  console.log(describeOutcomes([tellLie(lie, traces, isFew ? 1 : 3)]));
