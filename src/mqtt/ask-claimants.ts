import type { Owner } from "../core/topics/topic.ts";
import type { ReceivedMessage } from "./connection.ts";
import { type AskingConnection, type AskOptions, askOwners } from "./owner.ts";

export interface ClaimantsOptions extends Omit<AskOptions, "isAwaited"> {
  connection: Pick<AskingConnection, "waitForEcho">;
  post: (event: OtherOwnerEvent | UncheckedEvent | RewriteOwnerEvent) => void;
}

/** Another vigie claimed the base topic, and answers. */
export interface OtherOwnerEvent {
  kind: "other owner";
  owner: Owner;
}

/** What the broker holds on `owner` has to be vigie's own word again. */
interface RewriteOwnerEvent {
  kind: "rewrite owner";
}

/** What the broker holds cannot be checked now: the connection ended, the broker is slow, or does not let vigie read. */
export interface UncheckedEvent {
  kind: "unchecked";
  error: unknown;
}

/** Asks those who claim the base topic while its owner runs. */
export interface Claimants {
  /** Another program wrote this to `owner`. */
  claim: (owner: Owner) => void;
  /** The owner's own word is on `owner` again. */
  settle: () => void;
  takePong: (message: ReceivedMessage) => void;
}

/** Anybody may write `owner`: only an answer with the claimed incarnation tells that another vigie runs. */
export function askClaimants(options: ClaimantsOptions): Claimants {
  const { connection, post } = options;
  const listeners = new Set<(message: ReceivedMessage) => void>();
  const asking: AskingConnection = {
    waitForEcho: connection.waitForEcho,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  /** The newest claim; undefined: it is settled. */
  let claimed: string | undefined;
  let isAsking = false;
  const ask = async () => {
    isAsking = true;
    const { other } = await askOwners(asking, () => claimed, {
      ...options,
      isAwaited: ({ incarnation }) => incarnation === claimed,
    }).catch((error: unknown) => {
      post({ kind: "unchecked", error });
      return { other: null };
    });
    isAsking = false;
    // Vigie's own word came back meanwhile: whoever answered reads it, and asks in turn.
    const isSettled = claimed === undefined;
    claimed = undefined;
    // Also if nobody could be asked, and if it is settled: a claim of QoS 0 may have overtaken vigie's own word.
    post(other && !isSettled ? { kind: "other owner", owner: other } : { kind: "rewrite owner" });
  };
  return {
    claim: ({ incarnation }) => {
      claimed = incarnation;
      if (!isAsking) void ask();
    },
    settle: () => {
      claimed = undefined;
    },
    takePong: (message) => {
      for (const listener of listeners) listener(message);
    },
  };
}
