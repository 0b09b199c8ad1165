import { type ParseArgsConfig, parseArgs } from "node:util";

/** The command line cannot be meant: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

/** Options and words of a command; throws WrongUsage where they cannot be meant. */
export function readArgs<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new WrongUsage(`${why} (vigie --help lists the commands and their options)`, { cause: error });
  }
}
