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
 * however many requests it makes fail. What was not sent did not fail.
 */
export function describeFailures<Failed extends { failure: RequestFailure }>(
  { wrongAddress }: { wrongAddress: string },
  failures: readonly Failed[],
  answers: number,
): (Failed & { sentence: string })[] {
  const told = failures.filter(({ failure }) => failure.kind !== "budget_spent");
  const isWrongAddress = answers === 0 && told.every(({ failure }) => failure.kind === "not_found");
  const first = told[0]?.failure.sentence;
  return told.map((failed) => ({
    ...failed,
    sentence: isWrongAddress ? `${first}. ${wrongAddress}` : failed.failure.sentence,
  }));
}
