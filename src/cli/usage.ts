import { type ParseArgsConfig, parseArgs } from "node:util";

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
    const problem = token.kind === "option" ? findProblem(token, config) : undefined;
    if (problem !== undefined) throw wrongUsage(problem);
    if (token.kind === "positional" && !config.allowPositionals)
      throw wrongUsage(
        `Unexpected argument '${token.value}'. This command does not take positional arguments`,
      );
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

function findProblem(given: GivenOption, { options = {} }: ParseArgsConfig): string | undefined {
  const { name, rawName, value, inlineValue } = given;
  const type = options[name]?.type;
  if (type === undefined) return `Unknown option '${rawName}'`;
  if (type === "boolean") return value === undefined ? undefined : `Expected ${rawName} without a value`;
  if (value === undefined) return `Expected a value after ${rawName}, got nothing`;
  // A negative number is a value: the command says what it takes.
  const isOption = !inlineValue && /^-\D/.test(value);
  return isOption ? `Expected a value after ${rawName}, got ${value}` : undefined;
}

function wrongUsage(problem: string): WrongUsage {
  return new WrongUsage(`${problem} (vigie --help lists the commands and their options)`);
}
