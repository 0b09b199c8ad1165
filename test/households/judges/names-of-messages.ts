import { HOUR, MINUTE } from "../calendar.ts";
import { wasPretended } from "./chosen-payload.ts";
import type { Finding, Judge } from "./judge.ts";
import { mayHaveArrived, mayHaveForgotten, mayTellOtherDay, sendingsOf } from "./messages.ts";
import { judgeOutputs, type Look } from "./output-life.ts";
import type { Sending } from "./sendings.ts";
import { readTopics } from "./topics.ts";

/** What `{id}` stands for: the same for all tries of one message, and another one for the next message. */
export const nameJudge: Judge = judgeOutputs("name of a message", (look) => {
  const all = sendingsOf(look.life);
  return all.flatMap(({ sending: second }, index): Finding[] => {
    const first = all[index - 1]?.sending;
    if (first?.target !== second.target || first.sendingId === undefined || second.sendingId === undefined)
      return [];
    const isSame = first.sendingId === second.sendingId;
    if (first.payload !== second.payload || first.takenAt !== null) {
      if (!isSame) return ["right"];
      // That the first one was taken may not be saved, or vigie may not have heard it.
      if (mayBeUnknown(look, first, second)) return ["skipped"];
      return [isWrong(look, second, `has the name of the message before it, ${first.payload}`)];
    }
    if (isSame) return ["right"];
    const before = all.slice(0, index).map(({ sending }) => sending);
    if (mayBeAnother(look, before, second)) return ["skipped"];
    return [isWrong(look, second, "has another name than its try before")];
  });
});

function isWrong({ life }: Look, { steady: at, payload }: Sending, what: string): Finding {
  return { at, sentence: `${life.id}: the message ${payload} ${what}` };
}

function mayBeUnknown({ trace, calm }: Look, first: Sending, second: Sending): boolean {
  return (
    mayHaveForgotten(trace, first.steady, second.steady) ||
    !calm.isThrough(first.steady, (first.takenAt ?? first.steady) + SAVED)
  );
}

/** Its choice may have ended and begun again, but nothing else: no other day, no other choice, no long time. */
function mayBeAnother(look: Look, before: readonly Sending[], second: Sending): boolean {
  const { trace, life, calm } = look;
  const first = before.at(-1)!;
  const { steady } = second;
  const output = life.at(steady);
  const chosen = life.chosen(first.steady - AROUND, steady + AROUND);
  const firstOfName = before.find(({ sendingId }) => sendingId === first.sendingId) ?? first;
  if (!output || !chosen || steady - firstOfName.steady > LONGEST) return true;
  const rules = new Set(chosen.flatMap((one) => ("rule" in one ? [one.rule] : [])));
  const tries = before.filter((one) => one.payload === second.payload && mayHaveArrived(one));
  return (
    rules.size !== 1 ||
    tries.length >= MOST ||
    !life.isSame(first.steady, steady) ||
    !calm.isSure(first.steady - AROUND, steady) ||
    mayHaveForgotten(trace, first.steady, steady) ||
    mayTellOtherDay(look, output, first.steady, steady) ||
    wasPretended(readTopics(trace), first.steady - AROUND, steady)
  );
}

/** After six tries it is given up, if people may have read it. */
const MOST = 6;
/** The same text is kept for six hours after its first try. */
const LONGEST = 6 * HOUR - MINUTE;
const SAVED = 5_000;
const AROUND = 12_000;
