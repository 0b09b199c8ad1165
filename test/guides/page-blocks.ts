import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { blocksOf, sectionOf } from "../support/guide.ts";

/** A configuration of a page. */
export interface Example {
  rules: Record<string, unknown>[];
  outputs: Record<string, unknown>[];
}

/** The configurations below a title, in their order; one without rules has those of the first. */
export function examplesBelow(page: string, title: string): Example[] {
  const read = blocksOf(sectionOf(page, title))
    .filter(({ language, text }) => language === "yaml" && /^outputs:$/m.test(text))
    .map(({ text }) => parse(text));
  return read.map(({ rules, outputs }) => ({ rules: rules ?? read[0]?.rules, outputs }));
}

/** The example with the server of the test in place of every address, and this secret in a file of this folder. */
export async function withServer(
  { rules, outputs }: Example,
  { url, folder, secret }: { url: string; folder: string; secret: string },
): Promise<Example> {
  const file = join(folder, "secret");
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  const text = JSON.stringify(outputs).replaceAll(/https?:\/\/[^/"]+/g, url);
  const moved: Record<string, unknown>[] = JSON.parse(text);
  return {
    rules,
    outputs: moved.map((output) => ("secret_file" in output ? { ...output, secret_file: file } : output)),
  };
}
