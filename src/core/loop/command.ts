import type { SimulationRequest } from "../facts/simulation.ts";

/** What a message on a command topic tells vigie to do. */
export type Command =
  | { kind: "poll" }
  /** `for`: milliseconds, after which it ends; undefined: until the next command. */
  | { kind: "enabled"; rule: string; enabled: boolean; for?: number }
  | { kind: "threshold"; rule: string; threshold: number }
  /** null: ends the simulation. */
  | { kind: "simulation"; request: SimulationRequest | null };

/** With the topic below the base topic on which it arrived. */
export interface ReceivedCommand {
  topic: string;
  command: Command;
}
