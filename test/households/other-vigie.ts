import type { Broker } from "./broker.ts";
import type { Machine } from "./machine.ts";
import type { Seen } from "./trace.ts";

/** A vigie on another machine with the same base topic, as far as the first one can tell. */
export interface OtherVigie {
  /** It asks who owns the base topic first, or takes it over at once (`--take-over`). */
  start: (how: "asks" | "takes over") => void;
  /** Its process ends. The broker tells so after its grace. */
  end: () => void;
  /** After the broker was down, or was emptied. */
  connectAgain: () => void;
}

interface OtherVigieOptions {
  base: string;
  machine: Machine;
  broker: Broker;
  tell: (seen: Seen) => void;
}

export function createOtherVigie({ base, machine, broker, tell }: OtherVigieOptions): OtherVigie {
  const { later } = machine;
  let state: "away" | "asking" | "there" = "away";
  /** What was begun before the last of these does not go on. */
  let starts = 0;
  const me = () =>
    JSON.stringify({
      installation: "other000installation",
      incarnation: `other${starts}`,
      host: "laptop",
      version: "0.0.0",
      since: new Date(machine.trueTime()).toISOString(),
      client_id: "vigie-vigie-other000installation",
    });
  let word = "";

  const say = (topic: string, payload: string, retain: boolean) =>
    broker.publish("house", { topic: `${base}/${topic}`, payload, retain });
  /** It writes `owner` before anything else. */
  const claim = () => {
    if (state !== "there") tell({ kind: "other vigie", is: "there" });
    state = "there";
    for (const [topic, payload] of [["owner", word], ...TOPICS] as const) say(topic, payload, true);
  };
  const leave = () => {
    if (state === "there") tell({ kind: "other vigie", is: "gone" });
    state = "away";
  };
  broker.onMessage(({ topic, payload, retain }) => {
    if (state === "there" && topic === `${base}/owner/ping`) say("owner/pong", word, false);
    if (state === "there" && topic === `${base}/availability` && payload === "offline")
      say("availability", "online", true);
    // Who owns the base topic answers, and who has just written `owner` runs.
    if (state === "asking" && topic === `${base}/owner/pong`) leave();
    if (state === "there" && topic === `${base}/owner` && retain && payload !== word) leave();
  });
  const ask = () => {
    const own = starts;
    const isAsking = () => state === "asking" && own === starts;
    for (let second = 0; second < ASKS_FOR; second += 1)
      later(second * 1_000, () => {
        if (isAsking()) say("owner/ping", JSON.stringify({ id: `ask${second}` }), false);
      });
    later(ASKS_FOR * 1_000, () => {
      if (isAsking() && broker.isUp()) claim();
    });
  };
  return {
    start: (how) => {
      // Without the broker it waits for longer than it lives here.
      if (state !== "away" || !broker.isUp()) return;
      starts += 1;
      word = me();
      if (how === "takes over") return claim();
      state = "asking";
      ask();
    },
    end: () => {
      const wasThere = state === "there";
      leave();
      const own = starts;
      if (!wasThere) return;
      later(GRACE, () => {
        if (state === "away" && own === starts)
          broker.publish("will", { topic: `${base}/availability`, payload: "offline", retain: true });
      });
    },
    connectAgain: () => {
      later(1_000, () => {
        if (state === "there" && broker.isUp()) claim();
        if (state === "asking") {
          starts += 1;
          ask();
        }
      });
    },
  };
}

/** Some of its topics, of another tariff day and with other rules. */
const TOPICS = [
  ["now/color", "rouge"],
  ["rules/rule1/state", "ON"],
  ["rules/laptop/state", "OFF"],
  ["outputs/laptop/state", "nothing"],
  ["availability", "online"],
] as const;
/** Seconds: a broker may be slow. */
const ASKS_FOR = 30;
const GRACE = 600_000;
