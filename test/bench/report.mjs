/** Prints each figure beside its goal; remembers whether one was missed. */
export function createReport(write) {
  let missed = 0;
  const line = (name, figure, goal, verdict) =>
    write(`${name.padEnd(42)} ${figure.padStart(12)}   ${goal.padEnd(12)} ${verdict}`.trimEnd());
  return {
    title: (text) => write(`\n${text}`),
    /** A figure that has to stay at or below its goal. */
    figure: (name, value, goal, unit) => {
      const ok = value <= goal;
      if (!ok) missed += 1;
      line(name, `${shown(value)} ${unit}`, `≤ ${goal} ${unit}`, ok ? "ok" : "MISSED");
    },
    /** What helps to understand a figure, and has no goal. */
    note: (name, value, unit) => line(name, `${shown(value)} ${unit}`, "", ""),
    text: (text) => write(`  ${text}`),
    missed: () => missed,
  };
}

export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function shown(value) {
  if (value >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return value.toFixed(value < 10 ? 2 : 1);
}
