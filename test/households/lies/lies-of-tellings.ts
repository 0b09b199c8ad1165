import { MINUTE, SECOND } from "../calendar.ts";
import { isKind, type Trace, type TraceEvent } from "../trace.ts";
import { later, withMore, without, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import {
  again,
  type CalmOutput,
  calmOutputs,
  isAway,
  isChosen,
  outputsOf,
  payloadOf,
  type Sending,
  type Shown,
  withoutSendings,
} from "./read-outputs.ts";
import { type Stated, statesFor, withState } from "./read-states.ts";

const OUTPUTS = "docs/outputs.md";

/** When a device is sent its payload, and when again. */
export const LIES_OF_TELLINGS: readonly Lie[] = [
  {
    name: "a device is sent its payload again sooner than it was configured",
    breaks: {
      document: OUTPUTS,
      sentence:
        "With `confirm`, vigie sends the payload again every 30 s (`every`) until the device reports it",
    },
    judge: "told again too soon",
    tell: tellAtOne(
      (trace) => repeats(trace).filter(({ first }) => first.isTaken),
      (trace, { first, second }) =>
        withMore(trace, again(first, Math.round((second.steady - first.steady) / 3))),
    ),
  },
  {
    name: "a device that has confirmed its payload is sent it again",
    breaks: {
      document: OUTPUTS,
      sentence:
        "With `confirm`, vigie sends the payload again every 30 s (`every`) until the device reports it",
    },
    judge: "told again though it had confirmed",
    tell: tellAtOne(confirmedSendings, (trace, { sending, by }) => withMore(trace, again(sending, by))),
  },
  {
    name: "`else` is sent again to a device that does something else",
    breaks: { document: OUTPUTS, sentence: "never for `else` or `unknown`" },
    judge: "told again though not kept",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 3 * MINUTE, "contrary").flatMap(({ output, from, shown, before }) => {
          const sending = output.sendings.findLast(({ steady }) => steady < from);
          const isElse =
            shown.every(({ json }) => json["choice"] === "else") && before?.state === "confirmed";
          return isElse && sending ? [{ sending, by: from + 2 * MINUTE - sending.steady }] : [];
        }),
      (trace, { sending, by }) => withMore(trace, again(sending, by)),
    ),
  },
  {
    name: "what a device has not confirmed is not sent again",
    breaks: {
      document: OUTPUTS,
      sentence:
        "With `confirm`, vigie sends the payload again every 30 s (`every`) until the device reports it",
    },
    judge: "not tried again",
    tell: tellAtOne(
      (trace) =>
        repeats(trace).filter(
          ({ first, second, to }) => second.steady + (second.steady - first.steady) + 2 * MINUTE < to,
        ),
      (trace, { output, second, to }) =>
        withoutSendings(
          trace,
          output.sendings.filter(({ steady }) => steady >= second.steady && steady < to),
        ),
    ),
  },
  {
    name: "a device that is back is not sent its payload",
    breaks: {
      document: OUTPUTS,
      sentence: "sends the payload again when the device says on `topic` that it is back",
    },
    judge: "not told though it came back",
    tell: tellAtOne(
      (trace) =>
        tellings(trace).filter(({ state, before }) => state === "waiting" && before && isAway(before)),
      withoutTelling,
    ),
  },
  {
    name: "a device with `keep` that does something else is not sent its payload",
    breaks: { document: OUTPUTS, sentence: "sends the payload again 5 s after a report of something else" },
    judge: "not told though it does something else",
    tell: tellAtOne(
      (trace) =>
        tellings(trace).filter(({ state, output }) => state === "contrary" && output.output.confirm?.keep),
      withoutTelling,
    ),
  },
  {
    name: "a device that does something else is sent its payload at once",
    breaks: { document: OUTPUTS, sentence: "sends the payload again 5 s after a report of something else" },
    judge: "told again before 5 s",
    tell: tellAtOne(
      (trace) =>
        tellings(trace).filter(({ state, before }) => state === "contrary" && before?.state === "confirmed"),
      (trace, { sending }) =>
        withMore(
          withoutSendings(trace, [sending]),
          sending.events.map((event) => later(event, -4 * SECOND)),
        ),
    ),
  },
  {
    name: "a device that is there is not sent its payload at a new connection",
    breaks: {
      document: OUTPUTS,
      sentence: "vigie sends the payload once more to a device that is there according to `online`",
    },
    judge: "not told at a new connection",
    tell: tellAtOne(toldAtConnections, withoutTelling),
  },
  {
    name: "a device that is switched back is sent its payload a sixth time within an hour",
    breaks: {
      document: OUTPUTS,
      sentence: "vigie sends it at most five times within an hour, then every ten minutes",
    },
    judge: "told again too often",
    tell: tellAtOne(slowTellings, (trace, { sending, by }) => withMore(trace, again(sending, by))),
  },
  {
    name: "a device that does not answer is told a sixth time within an hour",
    breaks: {
      document: OUTPUTS,
      sentence: "vigie sends it at most five times within an hour, then every ten minutes",
    },
    judge: "told again too often",
    tell: tellAtOne(
      (trace) =>
        slowTellings(trace).filter(({ sending: { events } }) =>
          events.some((event) => isKind(event, "web failure") && event.wasWritten),
        ),
      (trace, { sending, by }) => withMore(trace, again(sending, by)),
    ),
  },
  {
    name: "what an address took no connection for counts, and its device is not told that it does something else",
    breaks: { document: OUTPUTS, sentence: "nor tellings that certainly did not arrive" },
    judge: "not told though it does something else",
    tell: tellAtOne(
      (trace) => tellings(trace).filter(({ state, output }) => state === "contrary" && hasUrl(output)),
      withoutTelling,
    ),
  },
  {
    name: "an address that asks for a pause is told again after half of it",
    breaks: { document: OUTPUTS, sentence: "it obeys `Retry-After` up to ten minutes" },
    judge: "told again too soon",
    tell: tellAtOne(
      (trace) => statesFor(trace, MINUTE, "contrary").flatMap(askedToWait),
      (trace, { sending, by }) => withMore(trace, again(sending, by)),
    ),
  },
  {
    name: "what was lost with three connections is sent again after the first pause",
    breaks: { document: OUTPUTS, sentence: "and then after pauses that double, up to ten minutes" },
    judge: "pauses after a lost connection",
    tell: tellAtOne(lostTwice, (trace, { second, third, by }) =>
      withMore(
        without(trace, (event) => event === third),
        [later(third, second.steady + by - third.steady)],
      ),
    ),
  },
  {
    name: "the log does not say that an address refuses",
    breaks: {
      document: OUTPUTS,
      sentence: "After any other status from 300 to 499 vigie says at once what to check",
    },
    judge: "address that refuses",
    tell: tellAtOne(
      ({ events }) =>
        events.filter((event) => isKind(event, "log") && / answers with status [34]/.test(event.sentence)),
      (trace, log) => without(trace, (event) => event === log),
    ),
  },
  {
    name: "a device that is away is sent its payload after a minute",
    breaks: {
      document: OUTPUTS,
      sentence:
        "With `keep`, a device that was `contrary` as it went away is sent its payload every ten minutes meanwhile.",
    },
    judge: "told too often while away",
    tell: tellAtOne(
      (trace) =>
        pausesOf(trace, "contrary").filter(({ shown, sending }) =>
          shown.some((one) => isAway(one) && one.steady <= sending.steady && one.until > sending.steady),
        ),
      (trace, { sending }) => withMore(trace, again(sending, MINUTE)),
    ),
  },
  {
    name: "it is not said when a device that is away is sent its payload next",
    breaks: {
      document: OUTPUTS,
      sentence: "every ten minutes meanwhile. The page and the JSON say when vigie tries next.",
    },
    judge: "next try while away",
    tell: tellAtOne(awayAtQuiets, (trace, { shown }) =>
      shown.reduce(
        (changed, { events }) => withPayload(changed, events.at(-1)!, withoutNextTry(events)),
        trace,
      ),
    ),
  },
  {
    name: "a device that has failed is sent its payload after two minutes",
    breaks: {
      document: OUTPUTS,
      sentence: "While a choice is `ON`, vigie then sends its payload again every ten minutes",
    },
    judge: "told too often after it failed",
    tell: tellAtOne(
      (trace) =>
        pausesOf(trace, "failed").filter(({ output, sending: { steady } }) =>
          output.reports.every((one) => one.steady < steady || one.steady > steady + 3 * MINUTE),
        ),
      (trace, { sending }) => withMore(trace, again(sending, 2 * MINUTE)),
    ),
  },
  {
    name: "a device that has failed is sent `else` again after ten minutes",
    breaks: {
      document: OUTPUTS,
      sentence: "While a choice is `ON`, vigie then sends its payload again every ten minutes",
    },
    judge: "told too often after it failed",
    tell: tellAtOne(failedElse, (trace, { sending, by }) => withMore(trace, again(sending, by))),
  },
  {
    name: "a device that has failed, and reports something else after a silence, is not sent its payload",
    breaks: {
      document: OUTPUTS,
      sentence:
        "the device was silent for ten minutes or from the sending on, and reports something else now",
    },
    judge: "not told though it reports again",
    tell: tellAtOne((trace) => tellings(trace).filter(isBack), withoutTelling),
  },
  {
    name: "no device is named that does not do what it was sent, as it reports again",
    breaks: { document: OUTPUTS, sentence: "The problem stays until the device confirms" },
    judge: "no problem though it failed",
    tell: tellAtOne(
      (trace) => statesFor(trace, 2 * MINUTE, "waiting").filter(isBack),
      (trace, { to }) => {
        const named = trace.events.findLast(
          (event) =>
            isKind(event, "published") && event.topic === "vigie/service/failed_outputs" && event.steady < to,
        );
        return named?.kind === "published" ? withPayload(trace, named, "None") : trace;
      },
    ),
  },
  {
    name: "an address that refuses is asked again after a minute",
    breaks: {
      document: OUTPUTS,
      sentence:
        "After any other status from 300 to 499 vigie says at once what to check, and sends again every ten minutes.",
    },
    judge: "told again too soon",
    tell: tellAtOne(refusedSendings, (trace, sending) => withMore(trace, again(sending, MINUTE))),
  },
  {
    name: "a device whose address refuses is waiting",
    breaks: { document: OUTPUTS, sentence: "or the broker or the address refuses it" },
    judge: "not failed though refused",
    tell: tellAtOne(refusedStates, (trace, stated) => withState(trace, stated, "waiting")),
  },
  {
    name: "a device goes on by a value that counts no longer, as the broker is away",
    breaks: {
      document: "docs/what-if.md",
      sentence: "devices over HTTP get what `when_unknown` of the rule or `unknown` of the output says",
    },
    judge: "values without the broker",
    tell: tellAtOne(sentAlone, (trace, sending) => withoutSendings(trace, [sending])),
  },
];

interface Repeated {
  output: CalmOutput;
  first: Sending;
  /** The same payload, as nothing had confirmed the first one. */
  second: Sending;
  /** How long it went on waiting. */
  to: number;
}

function repeats(trace: Trace): Repeated[] {
  return statesFor(trace, MINUTE, "waiting").flatMap(({ output, from, to }) => {
    const sendings = output.sendings.filter(({ steady }) => steady >= from && steady < to);
    return sendings.slice(1).flatMap((second, index): Repeated[] => {
      const first = sendings[index]!;
      return first.payload === second.payload ? [{ output, first, second, to }] : [];
    });
  });
}

/** Sendings that were confirmed, and an instant three minutes after that at which they still were. */
function confirmedSendings(trace: Trace): { sending: Sending; by: number }[] {
  return statesFor(trace, 5 * MINUTE, "confirmed").flatMap(({ output, from, to }) => {
    const sending = output.sendings.findLast(({ steady }) => steady < from);
    const topic = output.output.confirm?.online?.topic;
    const isTouched = trace.events.some(
      (event) => isKind(event, "heard") && event.topic === topic && event.steady > from && event.steady < to,
    );
    return sending && !isTouched ? [{ sending, by: from + 3 * MINUTE - sending.steady }] : [];
  });
}

/** vigie sends the payload of a choice once more, as its device is back or does something else; and so long nothing else is due. */
function tellings(trace: Trace): (Stated & { sending: Sending })[] {
  return statesFor(trace, 0, "waiting", "contrary").flatMap((stated) => {
    const { output, shown } = stated;
    const { steady } = shown[0]!;
    const sending = output.sendings.find((one) => Math.abs(one.steady - steady) < SECOND);
    const next = output.sendings.find((one) => one.steady > steady && one.payload !== sending?.payload);
    const to = Math.min(next?.steady ?? output.to, output.to, steady + 10 * MINUTE);
    if (!sending || output.output.confirm?.topic === undefined || to < steady + 5 * MINUTE) return [];
    const isDue = isChosen(trace, output.output, sending.payload, { from: steady - SECOND, to });
    return isDue ? [{ ...stated, sending, from: steady, to }] : [];
  });
}

/** Nothing is sent, and so the device reports nothing, and vigie shows nothing else. */
function withoutTelling(
  trace: Trace,
  { output: { id, output, sendings }, from, to }: Pick<Stated, "output" | "from" | "to">,
): Trace {
  const isMeanwhile = ({ steady }: { steady: number }) => steady > from - SECOND && steady <= to;
  const untold = withoutSendings(trace, sendings.filter(isMeanwhile));
  return without(
    untold,
    (event) =>
      isKind(event, "published", "heard", "message") &&
      event.steady > from &&
      event.steady <= to &&
      (event.topic === output.confirm?.topic || event.topic.startsWith(`vigie/outputs/${id}`)),
  );
}

/** A device that is there is sent its payload after a connection was lost, and so long nothing else is due. */
function toldAtConnections(trace: Trace): Pick<Stated, "output" | "from" | "to">[] {
  const { events } = trace;
  return events.flatMap((event, index) => {
    if (!isKind(event, "connected")) return [];
    const before = events.slice(0, index).findLast((one) => isKind(one, ...DISTURBING));
    if (before?.kind !== "disconnected") return [];
    const time = { from: event.steady, to: event.steady + 5 * MINUTE };
    const isDisturbed = (one: TraceEvent) =>
      one.steady > time.from && one.steady < time.to && isKind(one, ...DISTURBING);
    if (events.some(isDisturbed)) return [];
    return outputsOf(trace)(time).flatMap((output) => {
      const [first] = output.sendings;
      const { confirm, topic } = output.output;
      if (!first || !confirm?.online || topic === undefined || first.steady > time.from + MINUTE) return [];
      const isDue = isChosen(trace, output.output, first.payload, time);
      return isDue ? [{ output, from: first.steady, to: time.to }] : [];
    });
  });
}

const DISTURBING = ["disconnected", "start", "stop", "kill", "crash", "reload", "suspend", "jump"] as const;

/** A device was sent its payload so often that vigie waits, and so long it may not be sent it again. */
function slowTellings(trace: Trace): { sending: Sending; by: number }[] {
  return statesFor(trace, 5 * MINUTE, "contrary").flatMap(({ output, shown, to }) =>
    shown
      .filter((one) => !isAway(one))
      .flatMap(({ steady, json }) => {
        const sending = output.sendings.findLast((one) => one.steady < steady + SECOND);
        const nextTry = Date.parse(String(json["next_try"])) - trace.began;
        const by = 3 * MINUTE;
        const isEarly = sending !== undefined && sending.steady + by + MINUTE < Math.min(nextTry, to);
        return isEarly ? [{ sending, by }] : [];
      }),
  );
}

/** The device has taken what it was sent, was in this state all the time, and was not sent it again for three minutes. */
function pausesOf(trace: Trace, state: "contrary" | "failed"): (Stated & { sending: Sending })[] {
  return statesFor(trace, 3 * MINUTE, state).flatMap((stated) => {
    const { output, from, to } = stated;
    return output.sendings.flatMap((sending, index) => {
      const next = output.sendings[index + 1]?.steady ?? output.to;
      const isPause =
        sending.isTaken &&
        sending.steady > from &&
        Math.min(next, to) > sending.steady + 3 * MINUTE &&
        isChosen(trace, output.output, sending.payload, { from: sending.steady - SECOND, to: next });
      return isPause ? [{ ...stated, sending }] : [];
    });
  });
}

/** Devices that have not done `else`, and an instant two minutes after they were given up: nothing more is heard of them. */
function failedElse(trace: Trace): { sending: Sending; by: number }[] {
  return statesFor(trace, 3 * MINUTE, "failed").flatMap(({ output, from, to, shown }) => {
    const sending = output.sendings.findLast(({ steady }) => steady < from);
    const isElse = shown.every(({ json }) => json["choice"] === "else");
    const isHeard = output.reports.some(({ steady }) => steady > from - MINUTE && steady < to);
    if (!sending?.isTaken || !isElse || isHeard) return [];
    return [{ sending, by: from + 2 * MINUTE - sending.steady }];
  });
}

/** A device with `keep` that does something else was away for minutes when nothing had happened for a while. */
function awayAtQuiets(trace: Trace): Stated[] {
  const quiets = trace.events.filter((event) => isKind(event, "quiet"));
  return statesFor(trace, 5 * MINUTE, "contrary").filter(
    ({ output, shown }) =>
      output.output.confirm?.keep &&
      shown.some(
        (one) =>
          isAway(one) && quiets.some(({ steady }) => steady > one.steady + 3 * MINUTE && steady < one.until),
      ),
  );
}

/** `outputs/<id>`, which is the last of what is published together. */
function withoutNextTry(events: Shown["events"]): string {
  return JSON.stringify({ ...JSON.parse(events.at(-1)!.payload), next_try: null });
}

/** It had failed, as nobody had heard of it, and reports something now. */
function isBack({ output, shown, before }: Stated): boolean {
  const { topic, confirm } = output.output;
  const isOneOrder = before?.json["since"] === shown[0]!.json["since"];
  return before?.state === "failed" && isOneOrder && topic !== undefined && confirm?.online === undefined;
}

/** Three times in a row the broker ended the connection at this payload; `by`: the pause between the first two. */
function lostTwice({ events }: Trace): { second: TraceEvent; third: TraceEvent; by: number }[] {
  const ended = events.filter(
    (event, index) =>
      isKind(event, "refused") &&
      events
        .slice(index, index + 3)
        .some((one) => isKind(one, "disconnected") && one.steady === event.steady),
  );
  return ended.slice(2).flatMap((third, index) => {
    const [first, second] = [ended[index]!, ended[index + 1]!];
    const topics = [first, second, third].map((event) => (isKind(event, "refused") ? event.topic : ""));
    const by = second.steady - first.steady;
    const isPause = by > 10 * SECOND && by < MINUTE && third.steady - second.steady > 1.5 * by;
    return new Set(topics).size === 1 && isPause ? [{ second, third, by }] : [];
  });
}

function hasUrl({ output }: CalmOutput): boolean {
  return output.url !== undefined;
}

/** Its address asked for a pause of at least two minutes. After half of it the device still does something else. */
function askedToWait({ output, to }: Stated): { sending: Sending; by: number }[] {
  return output.sendings.flatMap((sending) => {
    const answer = sending.events.find((event) => isKind(event, "web answer"));
    const asked = answer && isKind(answer, "web answer") ? (answer.retryAfter ?? 0) * SECOND : 0;
    return asked >= 2 * MINUTE && sending.steady + asked < to ? [{ sending, by: asked / 2 }] : [];
  });
}

/** The address has refused it, and was not asked again for two minutes. */
function refusedSendings(trace: Trace): Sending[] {
  return calmOutputs(trace)
    .filter(({ output }) => !output.message)
    .flatMap(({ sendings, to }) =>
      sendings.filter(({ events, steady }, index) => {
        const isRefused = events.some(
          (event) =>
            isKind(event, "web answer") &&
            event.status >= 300 &&
            event.status < 500 &&
            !LATER.includes(event.status),
        );
        return isRefused && (sendings[index + 1]?.steady ?? to) > steady + 2 * MINUTE;
      }),
    );
}

/** What vigie showed from a refusal on, for more than two minutes. */
function refusedStates(trace: Trace): { shown: readonly Shown[] }[] {
  const refused = refusedSendings(trace);
  return calmOutputs(trace).flatMap(({ sendings, shown }) => {
    const first = sendings.find((one) => refused.includes(one));
    const after = shown.filter(({ state, steady }) => state === "failed" && first && steady > first.steady);
    const [begun, last] = [after[0]?.steady ?? 0, after.at(-1)?.until ?? 0];
    return last > begun + 2 * MINUTE ? [{ shown: after }] : [];
  });
}

const LATER = [408, 425, 429];

/** What a vigie that started without a broker sent last, before it had one: the payload for values that are not known. */
function sentAlone(trace: Trace): Sending[] {
  let started: number | null = null;
  return trace.events.flatMap((event) => {
    if (isKind(event, "start")) started = event.steady;
    if (!isKind(event, ...ENDS) || started === null) return [];
    const [from, to] = [started, event.steady];
    started = null;
    return outputsOf(trace)({ from, to }).flatMap(({ output, sendings }) => {
      const last = sendings.findLast(({ steady }) => steady < to);
      const isUnknown = output.unknown !== undefined && last?.payload === payloadOf(output.unknown);
      return last && last.steady > from && isUnknown ? [last] : [];
    });
  });
}

const ENDS = ["connected", "stop", "kill", "reload"] as const;
