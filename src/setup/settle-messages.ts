import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import {
  fieldsOf,
  isMessageField,
  MESSAGE_KINDS,
  MESSAGE_USE,
  type Message,
  type MessageField,
  type MessageKind,
  messageOutput,
  usualServer,
  type WrittenMessage,
} from "../config/message-templates.ts";
import { placeOfAddress } from "../config/output-address.ts";
import { BrokerError } from "../mqtt/broker-errors.ts";
import { inventId } from "../runtime/random-id.ts";
import { type Added, freeId, type Place, tryUntilDecided } from "./added-outputs.ts";
import { type GivenMessage, type Setup, SetupFailed } from "./context.ts";
import { withDetail } from "./network-problem.ts";
import { parsePart } from "./parse-part.ts";
import type { Questions } from "./person.ts";
import { rulesFor } from "./rules-for.ts";
import { explainBrokerError } from "./settle-broker.ts";
import { tryMessage } from "./try-message.ts";

/** One that the person describes, unless the person goes back, or it is not wanted after a try. */
export async function addMessage(ask: Questions, added: Added, place: Place): Promise<Added> {
  const { setup, target } = place;
  const { words, person, language } = setup;
  const kind = await ask.choose<MessageKind | null>(words.which_message, [
    ...MESSAGE_KINDS.map((value) => ({
      value,
      label: words.messages[value].label,
      hint: words.messages[value].hint,
    })),
    { value: null, label: words.go_back },
  ]);
  if (kind === null) return added;
  const answers: Partial<Record<MessageField, string>> = {};
  for (const field of fieldsOf(kind)) answers[field] = await askField(ask, kind, field, setup);
  const { secret: text, ...address } = answers;
  const id = freeId(MESSAGE_USE.id, added);
  const secret = text === undefined ? undefined : { ...target.secretOf(id), text };
  const usual = MESSAGE_USE.name[language];
  const name = await ask.type(words.which_name, { usual });
  const message: Message = { kind, ...address, ...(secret && { secret_file: secret.path }) };
  const { output, problems } = write(message, { id, name: name === usual ? undefined : name }, added, setup);
  if (problems.length > 0) {
    person.say("bad", words.message_refused);
    return added;
  }
  const toDo = words.messages[kind].to_do(address.server ?? "", text ?? "");
  if (toDo !== "") person.say("note", toDo);
  if (!(await isWanted(ask, message, secret?.text, place))) return added;
  const { outputs, secrets } = added;
  return { ...added, outputs: [...outputs, output], secrets: [...secrets, ...(secret ? [secret] : [])] };
}

/** Whether it belongs into the configuration: after a try, if the person wants one. */
async function isWanted(
  ask: Questions,
  message: Message,
  secret: string | undefined,
  place: Place,
): Promise<boolean> {
  const { words } = place.setup;
  if (!(await ask.agree(words.try_message(words.test_message)))) return true;
  return tryUntilDecided(ask, words, words.what_now, async () => {
    const isTaken = await attempt(message, secret, place);
    return isTaken && ask.agree(words.has_it_arrived);
  });
}

async function askField(
  ask: Questions,
  kind: MessageKind,
  field: MessageField,
  { words, person: { say } }: Setup,
): Promise<string> {
  const question = words.messages[kind].fields[field] ?? words.message_fields[field];
  const isRight = (text: string) => isMessageField(kind, field, text);
  const check = (text: string) => (isRight(text) ? undefined : words.message_expected(kind, field));
  if (field === "server") return ask.type(question, { usual: usualServer(kind), check });
  if (field !== "secret") return ask.type(question, { check });
  // Here the person may choose the secret, and has to type it into the phone, too.
  if (kind === "ntfy" || kind === "home_assistant")
    return ask.type(question, { usual: `vigie-${inventId(() => randomInt(2 ** 32) / 2 ** 32)}`, check });
  for (;;) {
    const secret = (await ask.typeSecret(question)).trim();
    if (isRight(secret)) return secret;
    say("bad", words.message_expected(kind, field));
  }
}

/** One that is an option. Its file is there already. */
export async function takeMessage(given: GivenMessage, added: Added, place: Place): Promise<Added> {
  const { options, io, words } = place.setup;
  const { kind, secret_file, ...address } = given.message;
  for (const field of fieldsOf(kind)) {
    const value = field === "secret" ? undefined : address[field];
    if (value !== undefined && !isMessageField(kind, field, value))
      throw new SetupFailed(`--message ${field}=${value}: ${words.message_expected(kind, field)}`, {
        isUsage: true,
      });
  }
  const path = secret_file === undefined ? undefined : resolve(io.cwd, secret_file);
  const message: Message = { kind, ...address, ...(path !== undefined && { secret_file: path }) };
  const names = { id: given.id ?? freeId(MESSAGE_USE.id, added), name: given.name };
  const { output, problems } = write(message, names, added, place.setup);
  if (problems.length > 0) throw new SetupFailed(`--message\n${problems.join("\n")}`, { isUsage: true });
  const isSure = !options.tries || (await attempt(message, undefined, place));
  const { outputs, areSure } = added;
  return { ...added, outputs: [...outputs, output], areSure: areSure && isSure };
}

/** As it stands in the configuration, and what that would be refused for. */
function write(
  message: Message,
  names: { id: string; name: string | undefined },
  added: Added,
  { words }: Setup,
): { output: WrittenMessage; problems: string[] } {
  const output = messageOutput({ ...names, text: words.comments.message_text }, message);
  const outputs = [...added.outputs, output];
  return { output, problems: parsePart({ rules: rulesFor(outputs), outputs }).problems };
}

/** Says what became of a test; whether the service has taken it. */
async function attempt(
  message: Message,
  secret: string | undefined,
  { setup, broker }: Place,
): Promise<boolean> {
  const { words, person } = setup;
  const { say, signal } = person;
  const test = messageOutput({ id: MESSAGE_USE.id, text: words.test_message }, message);
  const where = test.topic ?? placeOfAddress(test.url ?? "");
  say("wait", `${where} ← ${words.test_message}`);
  try {
    const delivery = await tryMessage(test, secret, broker.given, signal);
    if (delivery.taken) say("good", words.message_taken(where));
    else say("bad", withDetail(`${where} ${words.message_problem[delivery.problem]}`, delivery.detail));
    return delivery.taken;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof BrokerError)) throw error;
    say("bad", await explainBrokerError(error, { topic: where }, broker.given, setup));
    return false;
  }
}
