/** Whether systemd's journal reads the lines. A terminal comes first: on a desktop it often inherits the variable. */
export function isForJournal(terminal: boolean, env: NodeJS.ProcessEnv): boolean {
  return !terminal && Boolean(env["JOURNAL_STREAM"]);
}
