import type { Command, ReceivedCommand } from "../core/loop/command.ts";
import type { CommandsEvent } from "../core/loop/event.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";

export interface CommandCollector {
  /** The topic below the base topic on which it arrived. */
  add: (topic: string, command: Command) => void;
  /** Posts at once what has arrived. */
  flush: () => void;
}

/**
 * Whoever may write commands may send thousands a second. Of those that wait, only the newest of each topic counts, all are
 * posted together, and the next ones half a second later.
 */
export function collectCommands(
  clock: Pick<ClockWithTimers, "after">,
  post: (event: CommandsEvent) => void,
): CommandCollector {
  const waiting = new Map<string, ReceivedCommand>();
  let isWaiting = false;
  const flush = () => {
    const commands = [...waiting.values()];
    waiting.clear();
    if (commands.length > 0) post({ kind: "commands", commands });
    return commands.length > 0;
  };
  const flushAndWait = () => {
    isWaiting = flush();
    if (isWaiting) clock.after(BETWEEN_COMMANDS, flushAndWait);
  };
  return {
    add: (topic, command) => {
      const forTime = command.kind === "enabled" && command.for !== undefined;
      // The setting before is in force again when the time is over: the command that made it is carried out as well.
      const keys = forTime ? [`${topic} for`] : [topic, `${topic} for`];
      for (const key of keys) waiting.delete(key);
      waiting.set(keys[0] ?? topic, { topic, command });
      if (isWaiting) return;
      isWaiting = true;
      // What came in one turn of the event loop is there by then.
      setImmediate(flushAndWait);
    },
    flush,
  };
}

const BETWEEN_COMMANDS = 500;
