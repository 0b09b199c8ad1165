/** Why a request was not answered. */
export interface RequestFailure {
  sentence: string;
  /**
   * `budget_spent`: nothing was sent, so it says nothing of the source. `busy` (429) and `away` would meet every other request
   * now, too. `not_found` (404) may mean that the address is wrong.
   */
  kind: "budget_spent" | "busy" | "away" | "not_found" | "other";
}

/** The failure of an answer that does not answer its request: `operation` is the request in words, `GET /tempoLight`. */
export function describeUnreadable(operation: string, why: string): string {
  return `The answer to ${operation} cannot be read: ${why}`;
}

/** Whether any other request to the same source would fail now, too. */
export function blocksAllRequests({ kind }: RequestFailure): boolean {
  return kind === "budget_spent" || kind === "busy" || kind === "away";
}

/**
 * The sentences for the failures of several requests, when this many others were answered. A wrong address is one problem,
 * however many requests it makes fail.
 */
export function describeFailures(
  { option, addressAdvice }: { option: string; addressAdvice: string },
  failures: readonly RequestFailure[],
  answers: number,
): string[] {
  const told = failures.filter(({ kind }) => kind !== "budget_spent");
  const [first] = told;
  const isWrongAddress = answers === 0 && told.every(({ kind }) => kind === "not_found");
  if (!first || !isWrongAddress) return told.map(({ sentence }) => sentence);
  return [`${first.sentence}. Check ${option}${addressAdvice}`];
}
