import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearest } from "../config/nearest-word.ts";

/** The command line cannot be meant: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

/**
 * Options and words of a command; throws WrongUsage where they cannot be meant. Node's own checks are off: their messages
 * are for programmers, such as the one for `--speed -5` ("argument is ambiguous", "use '--speed=-XYZ'").
 */
export function readArgs<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const parsed = parseArgs({ ...config, strict: false, allowPositionals: true, tokens: true });
  for (const token of parsed.tokens ?? []) {
    if (token.kind === "option") checkOption(token, config);
    if (token.kind === "positional" && !config.allowPositionals) {
      const { value } = token;
      throw new WrongUsage(`Unexpected argument '${value}'${describeOptions(value, config)}`);
    }
  }
  // What was checked here is what the type of Node's own checks stands for.
  return parsed as unknown as ReturnType<typeof parseArgs<T>>;
}

interface GivenOption {
  name: string;
  /** As it was written: `--speed`. */
  rawName: string;
  value?: string | undefined;
  /** Whether the value was written as `--speed=2`. */
  inlineValue?: boolean | undefined;
}

function checkOption(given: GivenOption, config: ParseArgsConfig): void {
  const { name, rawName, value, inlineValue } = given;
  const type = config.options?.[name]?.type;
  if (type === undefined) throw new WrongUsage(`Unknown option '${rawName}'${describeOptions(name, config)}`);
  if (type === "boolean" && value !== undefined) throw wrongValue(`Expected ${rawName} without a value`);
  if (type === "boolean") return;
  if (value === undefined) throw wrongValue(`Expected a value after ${rawName}, got nothing`);
  // A negative number is a value: the command says what it takes.
  const isOption = !inlineValue && /^-\D/.test(value);
  if (isOption) throw wrongValue(`Expected a value after ${rawName}, got ${value}`);
}

function wrongValue(problem: string): WrongUsage {
  return new WrongUsage(`${problem} (vigie --help lists the commands and their options)`);
}

/** What is probably meant, and the options that there are, as an addition to a message. */
function describeOptions(given: string, { options = {} }: ParseArgsConfig): string {
  const names = [...Object.keys(options), "help", "version"];
  const meant = /\.ya?ml$/.test(given) ? `config ${given}` : nearestOption(given, names);
  const suggestion = meant === undefined ? "" : ` (did you mean --${meant}?)`;
  return `${suggestion}. The options of this command are ${names.map((name) => `--${name}`).join(", ")}`;
}

/** The option that is probably meant; `-c` is the one that begins with it. */
export function nearestOption(given: string, names: readonly string[]): string | undefined {
  if (given.length > 1) return nearest(given, names);
  const [first, second] = names.filter((name) => name.startsWith(given));
  return second === undefined ? first : undefined;
}
