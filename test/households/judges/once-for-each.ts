/** The same function, which works out its answer once for each trace, house or condition: many judges ask. */
export function onceForEach<K extends object, T>(find: (given: K) => T): (given: K) => T {
  const answers = new WeakMap<K, { answer: T }>();
  return (given) => {
    const found = answers.get(given);
    if (found) return found.answer;
    const answer = find(given);
    answers.set(given, { answer });
    return answer;
  };
}
