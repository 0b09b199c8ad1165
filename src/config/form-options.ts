import { z } from "zod";
import type { Language } from "../core/calendar/day-in-words.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import { isHttpAddress, parseBrokerAddress, typedBrokerAddress } from "./address.ts";
import { between } from "./condition-options.ts";
import { isWithin } from "./conflict.ts";
import {
  DEVICE_KINDS,
  DEVICE_USES,
  type DeviceUse,
  deviceOutput,
  isRelay,
  RULE_TEMPLATES,
  type WrittenOutput,
} from "./device-templates.ts";
import { compareInForm, FORM_WORDS, type FormWords, labelOf, labelOfField } from "./form-words.ts";
import { DEFAULT_INSTANCE, ID_PATTERN, idOfTopic, LONGEST_ID } from "./id-word.ts";
import { sharedKeep } from "./keep-conflicts.ts";
import { brokerUrl } from "./mqtt-options.ts";
import { nearestPlaceholders, wrongPlaceholders } from "./output-conflicts.ts";
import { WORDS_OF_OUTPUTS } from "./rules-options.ts";
import { baseUrl } from "./service-options.ts";
import { isShown, type Path, showValue } from "./shown-value.ts";
import {
  civilDate,
  LONGEST_TOPIC,
  numberFrom,
  percentFrom,
  topic,
  wholeNumberFrom,
} from "./value-schemas.ts";

/** The form of the Home Assistant app, as the Supervisor writes it down. Its fields are those of config/homeassistant-app/config.yaml. */
export type Form = z.output<ReturnType<typeof formSchema>>;

/** What the form says, or all that is wrong with it, in the words of the form. */
export type ReadForm = { language: Language } & ({ form: Form } | { problems: string[] });

export function readForm(text: string): ReadForm {
  const given = parseJson(text);
  const language = valueAt(given, ["language"]) === "en" ? "en" : "fr";
  const t = FORM_WORDS[language];
  if (given === undefined)
    return { language, problems: [t.problem("options.json", t.json, text === "" ? t.nothing : t.damaged)] };
  const { data, error } = formSchema(t).safeParse(given);
  if (data) return { language, form: data };
  const problems = error.issues
    .toSorted((one, other) => compareInForm(one.path, other.path))
    .map(({ path, message }) =>
      t.problem(labelOf(language, path), message, show(valueAt(given, path), path, t)),
    );
  return { language, problems };
}

/** What is wrong with the last of these devices, which are like rows of the form, in the words of their fields. */
export function deviceProblems(rows: readonly object[], language: Language): string[] {
  const t = FORM_WORDS[language];
  const given = { outputs: rows };
  const issues = formSchema(t).safeParse(given).error?.issues ?? [];
  return (
    issues
      // Only in the form is the id of a device made of its name.
      .filter(({ path, message }) => path[1] === rows.length - 1 && message !== t.name_once)
      .map(({ path, message }) =>
        t.problem(labelOfField(language, path), message, show(valueAt(given, path), path, t)),
      )
  );
}

function show(value: unknown, path: Path, t: FormWords): string {
  if (isEmpty(value)) return t.nothing;
  if (path.at(-1) === "broker_password") return t.hidden;
  if (Array.isArray(value) && value.length > MOST_ROWS) return t.rows(value.length);
  if (typeof value === "object") return t.something;
  return isShown(value, path) ? showValue(value, path) : t.hidden;
}

const MOST_ROWS = 100;

export const COLOR_CHOICES = {
  rouge: "rouge",
  blanc: "blanc",
  bleu: "bleu",
  rouge_or_blanc: ["rouge", "blanc"],
  bleu_or_blanc: ["bleu", "blanc"],
} as const;

function formSchema(t: FormWords) {
  const textOf = (error: string) => z.string({ error }).trim().max(200, { error });
  const text = textOf(t.text);
  const oneOf = <const Word extends string>(words: readonly Word[]) =>
    z.enum(words, { error: t.one_of(words.join(", ")) });
  const keyOf = <Choices extends object>(choices: Choices) =>
    oneOf(Object.keys(choices) as Extract<keyof Choices, string>[]);
  const textThat = (isRight: (given: string) => boolean, error: string) =>
    textOf(error).refine(isRight, { error });
  const fits = (schema: z.ZodType) => (given: string) => schema.safeParse(given).success;
  const yesOrNo = z.boolean({ error: t.yes_or_no });
  const price = numberFrom(0, 5, t.price);
  const group = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape, { error: t.group });
  // Their rows are read only then: thousands of them would keep vigie from starting.
  const list = <Row extends z.ZodType>(row: Row) =>
    z
      .array(z.unknown(), { error: t.list })
      .max(MOST_ROWS, { error: t.at_most(MOST_ROWS) })
      .pipe(z.array(row))
      .prefault([]);
  const id = textThat((given) => ID_PATTERN.test(given) && given.length <= LONGEST_ID, t.id);
  const name = textThat((given) => given.length <= 100 && idOfName(given) !== "", t.name);

  const rule = group({
    id,
    colors: keyOf(COLOR_CHOICES),
    day: oneOf(["now", "next", "next_or_now", "next_7_days"]),
    confidence: optional(percentFrom(t.percent, t.percent_of_one)),
    hours: optional(oneOf(["all", "peak", "off_peak"])),
    between: optional(textThat((given) => between.safeParse(given.split("-")).success, t.between)),
    lead_minutes: optional(wholeNumberFrom(0, 1440, t.minutes)),
    name: optional(name),
  });
  const output = group({
    use: keyOf(DEVICE_USES),
    kind: oneOf(DEVICE_KINDS),
    place: textThat(fits(topic), t.place),
    relay: optional(text),
    rule: optional(text),
    name: optional(name),
    keep: optional(yesOrNo),
    payload: optional(text),
    otherwise: optional(text),
    report: optional(textThat(fits(topic), t.place)),
  });
  const rate = group({
    from: textThat(fits(civilDate), t.date),
    bleu_peak: price,
    bleu_off_peak: price,
    blanc_peak: price,
    blanc_off_peak: price,
    rouge_peak: price,
    rouge_off_peak: price,
  });
  return group({
    language: oneOf(["fr", "en"]).prefault("fr"),
    official_colors: yesOrNo.prefault(true),
    service_address: optional(textThat(isService, t.service)),
    rules: list(rule),
    outputs: list(output),
    rates: list(rate),
    broker_address: optional(textThat(isBroker, t.broker).transform(typedBrokerAddress)),
    broker_username: optional(text),
    broker_password: optional(z.string({ error: t.text })),
  }).superRefine(
    (given: unknown, context) => {
      for (const { path, expected } of findConflicts(given, t))
        context.addIssue({ code: "custom", path: [...path], message: expected });
    },
    // Also where single fields are wrong: all problems are told at once.
    { when: () => true },
  );
}

/** A field may be left out, or have nothing but spaces. */
function optional<Field extends z.ZodType>(field: Field) {
  return z.preprocess((given) => (isEmpty(given) ? undefined : given), field.optional());
}

function isService(given: string): boolean {
  return isHttpAddress(given) && baseUrl.safeParse(given).success;
}

function isBroker(given: string): boolean {
  return brokerUrl.safeParse(typedBrokerAddress(given)).success;
}

interface Conflict {
  path: Path;
  expected: string;
}

/** Fields that do not go together. Each may be wrong in itself: it is looked at with care. */
function findConflicts(given: unknown, t: FormWords): Conflict[] {
  if (["rules", "outputs", "rates"].some((list) => listAt(given, [list]).length > MOST_ROWS)) return [];
  const isLeft = (field: string) => isEmpty(valueAt(given, [field]));
  const isAlone = valueAt(given, ["official_colors"]) === false && isLeft("service_address");
  const isWithoutUser = !isLeft("broker_password") && isLeft("broker_username");
  const address = typedBrokerAddress(String(valueAt(given, ["broker_address"]) ?? ""));
  const isUserTwice = !isLeft("broker_username") && Boolean(parseBrokerAddress(address)?.username);
  const twice = (list: string, field: string, expected: string, textOf: (row: unknown) => unknown) =>
    repeated(listAt(given, [list]).map(textOf)).map((row) => ({ path: [list, row, field], expected }));
  return [
    ...(isAlone ? [{ path: ["official_colors"], expected: t.official_needed }] : []),
    ...(isWithoutUser ? [{ path: ["broker_username"], expected: t.username_needed }] : []),
    ...(isUserTwice ? [{ path: ["broker_username"], expected: t.user_once }] : []),
    ...listAt(given, ["rules"]).flatMap((rule, row) =>
      WORDS_OF_OUTPUTS.includes(String(valueAt(rule, ["id"])))
        ? [{ path: ["rules", row, "id"], expected: t.id_of_outputs }]
        : [],
    ),
    ...twice("rules", "id", t.id_once, (row) => valueAt(row, ["id"])),
    ...twice("rates", "from", t.date_once, (row) => valueAt(row, ["from"])),
    ...twice("outputs", "name", t.name_once, outputId),
    ...findSharedTopics(listAt(given, ["outputs"]), t),
    ...findSharedReports(listAt(given, ["outputs"]), t),
    ...listAt(given, ["outputs"]).flatMap((output, row) =>
      findOutputConflicts(output, knownRules(given), t).map(([field, expected]) => ({
        path: ["outputs", row, field],
        expected,
      })),
    ),
  ];
}

/** What is sent to a topic would overwrite what another row sends there. */
function findSharedTopics(outputs: readonly unknown[], t: FormWords): Conflict[] {
  const topics = outputs.map(topicOf);
  return repeated(topics).map((row) => {
    const kind = String(valueAt(outputs[row], ["kind"]));
    const expected = ONE_TOPIC_FOR_ALL_RELAYS.includes(kind) ? t.one_relay : t.device_once;
    return { path: ["outputs", row, "place"], expected: expected(topics.indexOf(topics[row]) + 1) };
  });
}

const ONE_TOPIC_FOR_ALL_RELAYS = ["shelly_gen2", "zigbee2mqtt"];

/** Where the device takes commands; undefined where the row is wrong in itself. */
function topicOf(output: unknown): string | undefined {
  return topicsOf(output)[0];
}

/** The topic of the device's commands, and those of its reports; empty if the row is wrong in itself. */
function topicsOf(output: unknown): string[] {
  const { topic: own, confirm } = writtenOutput(output) ?? {};
  return [own, confirm?.topic, confirm?.online?.topic].filter((one) => one !== undefined);
}

/** The row as an output; undefined if it is wrong in itself. */
function writtenOutput(output: unknown): WrittenOutput | undefined {
  const textAt = (field: string) => String(valueAt(output, [field]) ?? "").trim();
  const kind = DEVICE_KINDS.find((one) => one === textAt("kind"));
  const [place, relay, payload] = [textAt("place"), textAt("relay"), textAt("payload")];
  if (kind === undefined || place === "") return;
  const [otherwise, report] = [textAt("otherwise") || undefined, textAt("report") || undefined];
  const device =
    kind === "other" ? { kind, topic: place, payload, otherwise, report } : { kind, place, relay };
  return deviceOutput({ id: "", when: "" }, device);
}

/** Two rows that keep a device by the same report would switch it for ever. Rows with one topic are those of `findSharedTopics`. */
function findSharedReports(outputs: readonly unknown[], t: FormWords): Conflict[] {
  const kept = outputs.map((row) => (valueAt(row, ["keep"]) === false ? undefined : writtenOutput(row)));
  return kept.flatMap((output, row) => {
    const earlier = kept
      .slice(0, row)
      .findIndex((other) => other?.topic !== output?.topic && sharedKeep(output, [other]).length > 0);
    if (earlier === -1) return [];
    const field = valueAt(outputs[row], ["kind"]) === "other" ? "report" : "place";
    return [{ path: ["outputs", row, field], expected: t.report_once(earlier + 1) }];
  });
}

/** What is wrong with the topics of a device, beside the fields that they are made of. */
function findWrongTopics(output: unknown, t: FormWords): [field: string, expected: string][] {
  const [own = "", ...reports] = topicsOf(output);
  const ofReports = valueAt(output, ["kind"]) === "other" ? "report" : "place";
  const isOfVigie = (one: string) => isWithin(one, DEFAULT_INSTANCE);
  const found: [field: string, expected: string][] = [];
  if (isOfVigie(own) || isWithin(own, "homeassistant")) found.push(["place", t.not_own]);
  else if (reports.some(isOfVigie)) found.push([ofReports, t.not_own]);
  if (reports.includes(own)) found.push([ofReports, t.other_report]);
  if ([own, ...reports].some((one) => one.length > LONGEST_TOPIC)) found.push(["place", t.long_topic]);
  return found;
}

function findWrongPlaceholders(output: unknown, t: FormWords): [field: string, expected: string][] {
  return ["payload", "otherwise"].flatMap((field): [string, string][] => {
    const [wrong] = wrongPlaceholders(valueAt(output, [field]), []);
    if (!wrong) return [];
    const { name, isDoubled } = wrong;
    return [[field, isDoubled ? t.one_brace(name) : t.placeholder(nearestPlaceholders(name))]];
  });
}

function knownRules(given: unknown): string[] {
  const ids = listAt(given, ["rules"]).map((rule) => String(valueAt(rule, ["id"])));
  return [...new Set([...ids, ...Object.keys(RULE_TEMPLATES)])];
}

function findOutputConflicts(
  output: unknown,
  rules: readonly string[],
  t: FormWords,
): [field: string, expected: string][] {
  const at = (field: string) => valueAt(output, [field]);
  const [rule, kind, relay] = [at("rule"), at("kind"), at("relay")];
  const found = [...findWrongTopics(output, t), ...findWrongPlaceholders(output, t)];
  if (!isEmpty(rule) && !rules.includes(String(rule))) found.push(["rule", t.known_rule(rules.join(", "))]);
  if (kind === "other") return isEmpty(at("payload")) ? [...found, ["payload", t.payload]] : found;
  if (!isEmpty(relay) && !isRelay(String(kind), String(relay))) found.push(["relay", t.relay]);
  const useless = ["payload", "otherwise", "report"].filter((field) => !isEmpty(at(field)));
  return [...found, ...useless.map((field): [string, string] => [field, t.for_other])];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/** The rows whose text an earlier row has, too. */
function repeated(texts: readonly unknown[]): number[] {
  return texts.flatMap((text, row) =>
    typeof text === "string" && text !== "" && texts.indexOf(text) < row ? [row] : [],
  );
}

/** Of a device: made of its name, else of what it is for. undefined where neither is right. */
export function outputId(output: unknown): string | undefined {
  const name = valueAt(output, ["name"]);
  if (typeof name === "string" && name !== "") return idOfName(name);
  const use = valueAt(output, ["use"]);
  return Object.hasOwn(DEVICE_USES, String(use)) ? DEVICE_USES[use as DeviceUse].id : undefined;
}

/** `ballon_a_l_etage` of `Ballon à l’étage`. */
function idOfName(name: string): string {
  return idOfTopic(name.normalize("NFD").replaceAll(/\p{M}/gu, ""));
}
