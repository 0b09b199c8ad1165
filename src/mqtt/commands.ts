/** The commands there are, by their topic, and what may be said on them. */
const COMMANDS: Record<string, (payload: string) => boolean> = {
  "refresh/set": (payload) => payload === "PRESS",
};

export function isCommandTopic(topic: string): boolean {
  return topic.endsWith("/set");
}

/** Whether vigie knows this command and what it says. */
export function isCommand(topic: string, payload: string): boolean {
  return COMMANDS[topic]?.(payload) ?? false;
}

/** The topic that tells the state which a command would change. */
export function stateTopic(commandTopic: string): string {
  return commandTopic.slice(0, -"/set".length);
}
