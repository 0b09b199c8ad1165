import { Document, isCollection, isMap, isScalar, Scalar, visit } from "yaml";
import type { Language } from "../core/calendar/day-in-words.ts";
import type { GivenBroker } from "./broker.ts";
import { type AddedOutput, rulesFor } from "./rules-for.ts";
import type { Words } from "./words.ts";

/** What the questions were about. */
export interface Answers {
  base_url: string;
  source: string;
  broker: Omit<GivenBroker, "password" | "passwordFile">;
  /** Where the password lies; undefined: there is none. */
  password?: { file: string; handedOver: boolean } | undefined;
  language: Language;
  outputs: readonly AddedOutput[];
}

/** A colour that is announced, in place of one that is forecast. */
function withoutForecasts(rule: ReturnType<typeof rulesFor>[number]): object {
  if (rule.id !== "rouge_ahead") return rule;
  return {
    ...rule,
    when: {
      any: [
        { day: "next", color: "rouge", official: true },
        { day: "now", color: "rouge" },
      ],
    },
  };
}

function valuesOf({ base_url, source, broker, password, language, outputs }: Answers) {
  const { url, username, tls } = broker;
  return {
    service: { base_url },
    official: { source },
    mqtt: {
      url,
      ...(username !== undefined && { username }),
      ...(password && !password.handedOver && { password_file: password.file }),
      ...(tls?.ca_file !== undefined && { tls: { ca_file: tls.ca_file } }),
    },
    homeassistant: { language },
    rules: rulesFor(outputs).map((rule) => (base_url === "none" ? withoutForecasts(rule) : rule)),
    ...(outputs.length > 0 && { outputs }),
  };
}

interface TextOptions {
  words: Words["comments"];
  /** A copy of the file that explains every option. */
  explainedIn: string | null;
  /** Editors complete the file by the schema that lies beside it. */
  hasSchema: boolean;
}

/** The configuration as its owner reads it from then on: short, in order, with comments. */
export function configText(answers: Answers, { words, explainedIn, hasSchema }: TextOptions): string {
  const document = new Document(valuesOf(answers), { aliasDuplicateObjects: false });
  const { password } = answers;
  const help = explainedIn === null ? words.help_other : words.help_copy(explainedIn);
  const handedOver = password?.handedOver ? `\n${words.password_systemd(password.file)}` : "";
  const hasMessage = answers.outputs.some((output) => "message" in output);
  const above: Record<string, string> = {
    ...words.above,
    mqtt: `${words.above.mqtt}${handedOver}`,
    outputs: `${words.above.outputs}${hasMessage ? `\n${words.message}` : ""}`,
  };
  for (const { key } of isMap(document.contents) ? document.contents.items : []) {
    if (!isScalar(key)) continue;
    key.commentBefore = (above[String(key.value)] ?? "").replaceAll(/^/gm, " ");
    key.spaceBefore = true;
  }
  visit(document, {
    // Texts, also for a reader who knows other versions of YAML.
    Scalar: (_, node) => {
      if (typeof node.value === "string" && LOOKS_LIKE_NO_TEXT.test(node.value))
        node.type = Scalar.QUOTE_DOUBLE;
    },
    // In one line: what is inside of a rule, an output, a name.
    Collection: (_key, node, path) => {
      if (path.filter(isCollection).length >= INLINE_FROM) node.flow = true;
    },
  });
  const head = [...(hasSchema ? [SCHEMA_LINE, ""] : []), ...words.top(help).split("\n")];
  const top = head.map((line) => (line.startsWith("#") ? line : `# ${line}`.trimEnd())).join("\n");
  return `${top}\n${document.toString({ lineWidth: 0, flowCollectionPadding: true })}`;
}

const LOOKS_LIKE_NO_TEXT = /^(on|off|yes|no|true|false|[\d.:+-]+)$/i;
/** The document, `rules` or `outputs`, one of them. */
const INLINE_FROM = 3;
const SCHEMA_LINE = "# yaml-language-server: $schema=./vigie.schema.json";
