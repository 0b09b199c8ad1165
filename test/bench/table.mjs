import { ALONE, BESIDE, CONTESTANTS, keyOf, ratioOf } from "./figures.mjs";

const BEGIN = "<!-- figures: written by `npm run bench -- --write`, not by hand -->";
const END = "<!-- /figures -->";

/** The page with its tables of figures as they were measured. */
export function writeFigures(readme, measured) {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`Expected ${BEGIN} and ${END} in the page, got none`);
  return `${readme.slice(0, begin)}${BEGIN}\n\n${describeFigures(measured)}\n\n${readme.slice(end)}`;
}

/** What a table needs and was not measured; without Node-RED there is no table. */
export function missingFigures(figures) {
  const wanted = [
    ...BESIDE.flatMap((row) => row.of.map((name) => keyOf(row, name))),
    ...ALONE.map((row) => row.key),
  ];
  return wanted.filter((key) => !(key in figures));
}

function describeFigures({ date, machine, figures }) {
  const names = Object.keys(CONTESTANTS);
  const cell = (figure, unit) => (figure ? `${figure.median} ${unit}`.trim() : "–");
  const beside = BESIDE.map((row) => [
    row.name,
    ...names.map((name) => cell(figures[keyOf(row, name)], row.unit)),
    row.goals.map((goal) => describeGoal(figures, row, goal)).join(", "),
  ]);
  const alone = ALONE.map(({ key, name, unit, limit }) => {
    const goal = limit === undefined ? "" : `≤ ${cell({ median: limit }, unit)}`;
    const judged = figures[key] ? verdict(figures[key].median, limit) : "";
    return [name, cell(figures[key], unit), goal && `${goal}${judged}`];
  });
  return [
    `Medians, on ${machine} (${date}):`,
    tabulate(["", ...names.map((name) => CONTESTANTS[name].name), "goal"], beside),
    tabulate(["vigie alone", "", "goal"], alone),
    "They are not the same program:",
    list(names.map((name) => `${CONTESTANTS[name].name}: ${CONTESTANTS[name].does}`)),
    "<details><summary>How each was measured</summary>",
    list([...BESIDE, ...ALONE].map(({ name, how }) => `${name}: ${how}`)),
    "</details>",
  ].join("\n\n");
}

function describeGoal(figures, row, goal) {
  const ratio = ratioOf(figures, row, goal);
  if (ratio === undefined) return `≤ ${goal.limit}x ${CONTESTANTS[goal.over].name}`;
  return `${ratio}x ${CONTESTANTS[goal.over].name} (≤ ${goal.limit}x${verdict(ratio, goal.limit)})`;
}

function verdict(value, limit) {
  return value <= limit ? "" : ", **missed**";
}

function tabulate(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join(
    "\n",
  );
}

function list(items) {
  return items.map((item) => `- ${item}`).join("\n");
}
