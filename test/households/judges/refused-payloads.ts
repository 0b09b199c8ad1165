import { within } from "../trace.ts";
import type { OutputText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import { judgeOutputs, targetsOf } from "./output-life.ts";
import { isRefusal } from "./sendings.ts";

/** "After any other status from 300 to 499 vigie says at once what to check": also if the address has taken it before. */
export const refusalSaidJudge: Judge = judgeOutputs("address that refuses", ({ trace, life, calm }) =>
  targetsOf(life).flatMap((sendings) =>
    sendings.flatMap((sending, index): Finding[] => {
      const { steady, overAt, status } = sending;
      const before = sendings[index - 1];
      if (!isRefusal(status) || overAt === null) return [];
      // What failed before, too, was said then.
      if (before && before.takenAt === null) return ["skipped"];
      const output = life.at(steady);
      const host = hostOf(output);
      if (!host || !calm.isAwake(steady, overAt + SOON)) return ["skipped"];
      const said = within(trace.events, overAt - 1, overAt + SOON).some(
        (event) =>
          event.kind === "log" &&
          event.sentence.includes(host) &&
          event.sentence.includes(`status ${status}`),
      );
      if (said) return ["right"];
      const sentence = `${life.id}: the address answers with status ${status}, and the log does not say so`;
      return [{ at: overAt, sentence }];
    }),
  ),
);

function hostOf(output: OutputText | undefined): string | undefined {
  return output?.to.kind === "http" ? new URL(output.to.url.replaceAll(/[{}]/g, "")).host : undefined;
}

const SOON = 2_000;
