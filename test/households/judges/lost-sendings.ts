import { isKind, within } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";
import { isStill, judgeOutputs, type Look, targetsOf } from "./output-life.ts";
import type { Sending } from "./sendings.ts";

/**
 * "If the connection to the broker ends before the broker has acknowledged a payload, vigie sends it again after `confirm.every`, and then
 * after pauses that double, up to ten minutes": the connection is needed by all devices. With `qos: 0` nothing is acknowledged.
 */
export const lostSendingsJudge: Judge = judgeOutputs("pauses after a lost connection", (look) =>
  targetsOf(look.life).flatMap((sendings) => {
    /** The tries of one payload that were lost, one after the other. */
    let lost: Sending[] = [];
    return sendings.flatMap((sending): Finding[] => {
      const before = lost.at(-1);
      const isAgain = before?.payload === sending.payload;
      const finding = isAgain && lost.length > 1 ? judgePause(look, lost, sending) : null;
      const isLost = sending.how === "mqtt" && sending.failure === "refused";
      const goesOn = isAgain && finding !== "skipped";
      lost = isLost ? [...(goesOn ? lost : []), sending] : [];
      return finding === null ? [] : [finding];
    });
  }),
);

function judgePause({ trace, life, calm }: Look, lost: readonly Sending[], next: Sending): Finding {
  const [first, last] = [lost[0]!, lost.at(-1)!];
  const output = life.at(first.steady);
  const isInterrupted = within(trace.events, first.steady, next.steady).some((event) =>
    isKind(event, "start", "reload", "stop", "kill", "crash", "suspend"),
  );
  const chosen = life.chosen(first.steady, next.steady);
  const isSure =
    output &&
    !output.isMessage &&
    output.qos > 0 &&
    !isInterrupted &&
    chosen?.every((one) => isStill(one, first.payload));
  if (!isSure || !life.isSame(first.steady, next.steady) || life.isOrderedAnew(first, next, calm))
    return "skipped";
  const every = output.confirm?.every ?? USUAL;
  const least = Math.min(every * 2 ** (lost.length - 1), Math.max(every, PAUSE));
  const gap = next.steady - last.steady;
  if (gap >= least - calm.lag(last.steady) - SLACK) return "right";
  const sentence = `${life.id}: ${next.payload} was sent again after ${gap / 1000} s, though ${lost.length} tries were lost with their connections: at the earliest after ${least / 1000} s`;
  return { at: next.steady, sentence };
}

const USUAL = 30_000;
const PAUSE = 600_000;
const SLACK = 2_000;
