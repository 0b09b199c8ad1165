export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** What `/metrics` says; `wrong`: the lines that are not in the format of Prometheus, or stand at a wrong place. */
export function readMetrics(text: string): { samples: Sample[]; wrong: string[] } {
  const samples: Sample[] = [];
  const seen = new Set<string>();
  const wrong: string[] = [];
  let described = "";
  let typed = "";
  for (const line of text.split("\n").slice(0, -1)) {
    const [, help] = /^# HELP (\w+) \S.*$/.exec(line) ?? [];
    const [, type] = /^# TYPE (\w+) (?:gauge|counter)$/.exec(line) ?? [];
    const sample = readSample(line);
    const key = help ?? type ?? line.replace(/ \S+$/, "");
    const isRight = help ? true : type ? type === described : sample?.name === typed;
    const isTwice = seen.has(`${line.slice(0, 6)} ${key}`);
    if (!isRight || isTwice) wrong.push(line);
    seen.add(`${line.slice(0, 6)} ${key}`);
    described = help ?? described;
    typed = type ?? typed;
    if (sample) samples.push(sample);
  }
  if (!text.endsWith("\n")) wrong.push("the end is missing");
  return { samples, wrong };
}

function readSample(line: string): Sample | null {
  const [, name, given = "", value] =
    /^(\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)+)\})? (NaN|-?\d[\d.e+-]*)$/.exec(line) ?? [];
  if (!name) return null;
  const pairs = [...given.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, is]) => [label, is]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
