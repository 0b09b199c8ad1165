/**
 * A pure function that remembers its answers: a refresh asks the same few hundred questions again and again, and
 * zone arithmetic is the dear part of it. `context` is what rarely varies, such as a time zone. When the answers
 * grow many, all of a context are forgotten.
 */
export function memoize<Q, C, R extends Answer>(
  compute: (question: Q, context: C) => R,
  limit = 4096,
): (question: Q, context: C) => R {
  const contexts = new Map<C, Map<Q, R>>();
  return (question, context) => {
    let answers = contexts.get(context);
    if (!answers) {
      answers = new Map();
      if (contexts.size >= CONTEXTS) contexts.clear();
      contexts.set(context, answers);
    }
    return recall(answers, question, () => compute(question, context), limit);
  };
}

/** The same for questions about an object that never changes, such as a tariff: forgotten with the object. */
export function memoizeFor<T extends object, Q, R extends Answer>(
  compute: (subject: T, question: Q) => R,
  limit = 4096,
): (subject: T, question: Q) => R {
  const subjects = new WeakMap<T, Map<Q, R>>();
  return (subject, question) => {
    let answers = subjects.get(subject);
    if (!answers) {
      answers = new Map();
      subjects.set(subject, answers);
    }
    return recall(answers, question, () => compute(subject, question), limit);
  };
}

function recall<Q, R extends Answer>(answers: Map<Q, R>, question: Q, compute: () => R, limit: number): R {
  const known = answers.get(question);
  if (known !== undefined) return known;
  const answer = compute();
  if (answers.size >= limit) answers.clear();
  answers.set(question, answer);
  return answer;
}

const CONTEXTS = 64;

type Answer = string | number | boolean | object;
