import { ALONE, BESIDE, CONTESTANTS, keyOf, ratioOf, summarize } from "./figures.mjs";

/** Prints each figure beside its goal, as soon as it is there; remembers all of them. */
export function createReport(write) {
  const figures = {};
  const verdicts = [];
  const judge = (value, limit, unit) => {
    verdicts.push(value <= limit);
    return `≤ ${limit}${unit && ` ${unit}`} ${value <= limit ? "ok" : "MISSED"}`;
  };
  const line = (name, { median, least, most, runs }, unit, verdict) => {
    const noise = runs > 1 ? `(${least}–${most}, ${runs} runs)` : "";
    write(
      `  ${name.padEnd(45)} ${`${median} ${unit}`.trim().padStart(9)}  ${noise.padEnd(28)} ${verdict}`.trimEnd(),
    );
  };
  const overOthers = (row, contestant) =>
    row.goals.flatMap((goal) => {
      const ratio = goal.over === contestant ? undefined : ratioOf(figures, row, goal, contestant);
      if (ratio === undefined) return [];
      const verdict = contestant === "vigie" ? `, ${judge(ratio, goal.limit, "")}` : "";
      return [`${ratio} x ${CONTESTANTS[goal.over].name}${verdict}`];
    });
  return {
    title: (text) => write(`\n${text}`),
    text: (text) => write(`  ${text}`),
    /** `runs` holds the values of each who took part. */
    beside: (key, runs) => {
      const row = BESIDE.find((one) => one.key === key);
      write(`\n${row.name}: ${row.how}`);
      for (const name of row.of) {
        if (runs[name]) figures[keyOf(row, name)] = summarize(runs[name]);
      }
      for (const name of row.of.filter((one) => runs[one])) {
        line(CONTESTANTS[name].name, figures[keyOf(row, name)], row.unit, overOthers(row, name).join("; "));
      }
    },
    alone: (key, values) => {
      const { name, unit, limit } = ALONE.find((one) => one.key === key);
      figures[key] = summarize(values);
      line(name, figures[key], unit, limit === undefined ? "" : judge(figures[key].median, limit, unit));
    },
    figures: () => figures,
    missed: () => verdicts.filter((met) => !met).length,
  };
}
