import { type Setup, SetupFailed } from "./context.ts";
import { withDetail } from "./network-problem.ts";
import { parsePart } from "./parse-part.ts";
import type { Choice } from "./person.ts";
import { type SourceProblem, type Tried, tryOfficial, tryService } from "./try-sources.ts";

/** As the options `service.base_url` and `official.source` have them. */
export interface Sources {
  base_url: string;
  source: string;
  /** Those that were kept although they did not answer. */
  untried: ("service" | "official")[];
}

/** An answer, which may have been kept although nothing answers there. */
interface Settled {
  answer: string;
  isUntried: boolean;
}

/** Where the days come from; null: the person only wants to look at invented ones. */
export async function settleSources(setup: Setup): Promise<Sources | null> {
  const { service, official = "rte" } = setup.options;
  return settle(setup, service, official);
}

/** Asks those once more that were kept without an answer: meanwhile minutes have passed. */
export async function settleUntried(setup: Setup, sources: Sources): Promise<Sources | null> {
  const { base_url, source, untried } = sources;
  return untried.length === 0 ? sources : settle(setup, base_url, source);
}

async function settle(setup: Setup, given: string | undefined, source: string): Promise<Sources | null> {
  const service = await settleService(setup, given);
  if (service.answer === "simulator") return null;
  const official = await settleOfficial(setup, service.answer, source);
  if (official === "another source") return settle(setup, undefined, "rte");
  return {
    base_url: service.answer,
    source: official.answer,
    untried: [
      ...(service.isUntried ? ["service" as const] : []),
      ...(official.isUntried ? ["official" as const] : []),
    ],
  };
}

/** `simulator`, `none`, or an address that answers, or that the person keeps all the same. */
async function settleService(setup: Setup, given: string | undefined): Promise<Settled> {
  const { person, words } = setup;
  const answer = given ?? (await askService(setup));
  if (answer === "simulator" || answer === "none") return { answer, isUntried: false };
  const address = readAddress(answer);
  if (address === undefined) throw new SetupFailed(`--service: ${words.not_an_address}`, { isUsage: true });
  const next = await tryAndSay<"again" | "other" | "none" | "keep">(
    address,
    () => tryService(address, person.signal),
    words.source_problem,
    setup,
    [
      { value: "again", label: words.again },
      { value: "other", label: words.other_source },
      { value: "none", label: words.without_service },
      { value: "keep", label: words.keep_anyway },
    ],
  );
  switch (next) {
    case "works":
      return { answer: address, isUntried: false };
    case "keep":
      person.say("note", words.taken_untried(address));
      return { answer: address, isUntried: true };
    case "none":
      return { answer: "none", isUntried: false };
    case "again":
      return settleService(setup, address);
    case "other":
      return settleService(setup, undefined);
  }
}

async function askService({ person: { ask }, words }: Setup): Promise<string> {
  if (!ask) throw new SetupFailed(words.not_answering("--service"), { isUsage: true });
  const source = await ask.choose<"none" | "address" | "simulator">(words.which_source, [
    { value: "none", label: words.source_none, hint: words.source_none_hint },
    { value: "address", label: words.source_address, hint: words.source_address_hint },
    { value: "simulator", label: words.source_look, hint: words.source_look_hint },
  ]);
  if (source !== "address") return source;
  const check = (text: string) => (readAddress(text) === undefined ? words.not_an_address : undefined);
  return ask.type(words.service_address, { check });
}

async function settleOfficial(
  setup: Setup,
  base_url: string,
  source: string,
): Promise<Settled | "another source"> {
  const { person, words } = setup;
  if (!parsePart({ service: { base_url }, official: { source } }).config)
    throw new SetupFailed(words.not_official, { isUsage: true });
  if (source === "off") return { answer: source, isUntried: false };
  const isRte = source === "rte";
  const name = isRte ? "RTE" : source;
  const next = await tryAndSay<"again" | "keep" | "off" | "other">(
    name,
    () => tryOfficial(source, person.signal),
    // Nobody has given the address of RTE.
    isRte ? { ...words.source_problem, ...words.rte_problem } : words.source_problem,
    setup,
    [
      { value: "again", label: words.again },
      { value: "keep", label: words.keep_anyway },
      base_url === "none"
        ? { value: "other", label: words.other_source }
        : { value: "off", label: words.without_rte },
    ],
  );
  switch (next) {
    case "works":
      return { answer: source, isUntried: false };
    case "keep":
      person.say("note", words.taken_untried(name));
      return { answer: source, isUntried: true };
    case "off":
      return { answer: "off", isUntried: false };
    case "again":
      return settleOfficial(setup, base_url, source);
    case "other":
      return "another source";
  }
}

/** Says what was found: `works`, or what the person wants to do about it. */
async function tryAndSay<Next>(
  name: string,
  attempt: () => Promise<Tried>,
  problems: Record<SourceProblem, string>,
  { person: { ask, say }, words }: Setup,
  choices: readonly Choice<Next>[],
): Promise<Next | "works"> {
  say("wait", `${name}…`);
  const tried = await attempt();
  if (!("problem" in tried)) {
    say("good", words.days(name, tried));
    return "works";
  }
  const problem = withDetail(`${name} ${problems[tried.problem]}`, tried.detail);
  say("bad", problem);
  if (!ask) throw new SetupFailed(problem);
  return ask.choose(words.what_now, choices);
}

/** As it is written in the configuration; undefined: it is no address of a service. */
function readAddress(text: string): string | undefined {
  return parsePart({ service: { base_url: text } }).config?.service.base_url;
}
