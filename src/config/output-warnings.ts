import { parseJson, valueAtPath } from "../core/contract/parse-json.ts";
import { type Output, type Payload, templateText } from "../core/outputs/output.ts";
import { findPlaceholders } from "../core/outputs/placeholders.ts";
import { type Condition, rulesInChain, rulesReferredTo, topicsOfRules } from "../core/rules/rule.ts";
import type { Config } from "./config.ts";
import { findRequestWarnings } from "./http-output-warnings.ts";
import { includesRule } from "./includes-rule.ts";
import { wordsIn } from "./output-address.ts";
import type { Warning } from "./warning.ts";

export function findOutputWarnings(config: Config, inContainer: boolean): Warning[] {
  return [
    ...rulesOnTheirOwnOutputs(config),
    ...choicesOnMissingValues(config),
    ...choicesNeverReached(config),
    ...typographicQuotes(config),
    ...payloadsThatToggle(config),
    ...choicesLikeElse(config),
    ...onlyAtNight(config),
    ...confirmationsThatCannotCome(config),
    ...keepWithoutAcknowledgement(config),
    ...findRequestWarnings(config, inContainer),
  ];
}

/** A device that is switched by what it reports itself can switch on and off for ever. */
function rulesOnTheirOwnOutputs({ rules, outputs }: Config): Warning[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return outputs.list.flatMap((output, index) => {
    const deciding = rulesInChain(
      output.choose.map(({ when }) => when),
      byId,
    );
    const own = topicsOf(output);
    return deciding.flatMap((rule) =>
      topicsOfRules([rule]).flatMap((heard) => {
        const found = own.find(({ topic }) => topic === heard);
        if (!found) return [];
        const words = `rule ${rule.id} listens to ${heard}, ${found.use}: it would follow what it does itself`;
        return [{ path: ["outputs", index, ...(own[0]?.path ?? [])], words }];
      }),
    );
  });
}

/** The topics that an output uses, that to which it sends first. */
export function topicsOf({ to, confirm }: Output): { path: PropertyKey[]; topic: string; use: string }[] {
  const from = confirm?.from;
  return [
    ...(to.kind === "mqtt" ? [{ path: ["topic"], topic: to.topic, use: "to which this output sends" }] : []),
    ...(from?.kind === "mqtt"
      ? [{ path: ["confirm", "topic"], topic: from.topic, use: "by which this output is confirmed" }]
      : []),
  ];
}

/** A telling that is lost is not noticed before the device has done something else once more. */
function keepWithoutAcknowledgement({ outputs }: Config): Warning[] {
  return outputs.list.flatMap(({ to, confirm }, index) => {
    if (to.kind === "http" || to.qos !== 0 || !confirm?.keep) return [];
    const words =
      "0, so that a payload may be lost on its way to the broker, but confirm.keep is to hold the device to it. Leave qos out, or write 1";
    return [{ path: ["outputs", index, "qos"], words }];
  });
}

/** A device that dies must not keep a rouge day from another one. */
function choicesOnMissingValues({ rules, outputs }: Config): Warning[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  /** The topics whose silence makes a rule unknown. */
  const neededBy = (id: string): string[] => {
    const rule = byId.get(id);
    if (!rule || rule.when_unknown !== null) return [];
    return [...topicsOfRules([rule]), ...rulesReferredTo(rule.when).flatMap(neededBy)];
  };
  return outputs.list.flatMap(({ choose, unknown }, index) =>
    choose.flatMap(({ when }, place) => {
      const needed = neededBy(when);
      if (needed.length === 0) return [];
      const below = choose.slice(place + 1).map((choice) => choice.when);
      // One that needs the same values is unknown itself then.
      const hidden = below.find((id) => needed.some((topic) => !neededBy(id).includes(topic)));
      const above = choose.slice(0, place);
      // What must happen on a rouge day stands above, and needs no value.
      const isSecondary = above.some((choice) => neededBy(choice.when).length === 0);
      if (hidden === undefined && (isSecondary || unknown !== undefined)) return [];
      const cause = `rule ${when} is unknown while the value of ${[...new Set(needed)].join(" or ")} is, for instance when the device that publishes it is dead`;
      const effect =
        hidden === undefined
          ? `nothing is sent then, and the device stays as it is, also on a rouge day. Give ${when} when_unknown: on or off, or this output a payload for unknown`
          : `then the choice of ${hidden} below it does not count. Put ${hidden} above it, or give ${when} when_unknown: off`;
      return [{ path: ["outputs", index, "choose", place, "when"], words: `${cause}: ${effect}` }];
    }),
  );
}

/** The first choice that is not OFF decides: one that is OFF only while another below is OFF leaves nothing to that one. */
function choicesNeverReached({ rules, outputs }: Config): Warning[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return outputs.list.flatMap(({ choose }, index) =>
    choose.flatMap(({ when }, place) => {
      const narrow = byId.get(when);
      const above = choose.slice(0, place).map((choice) => choice.when);
      const wide =
        narrow && above.flatMap((id) => byId.get(id) ?? []).find((rule) => includesRule(rule, narrow));
      if (!wide) return [];
      const remedy = includesRule(narrow, wide) ? "Leave one of the two out" : `Put ${when} above ${wide.id}`;
      const words =
        wide === narrow
          ? `never reached: a choice above it has the same rule ${when}`
          : `never reached while ${wide.id} is enabled: whenever ${when} is ON, so is ${wide.id}, whose choice above it counts. ${remedy}`;
      return [{ path: ["outputs", index, "choose", place, "when"], words }];
    }),
  );
}

/** To YAML they are part of the text. */
function typographicQuotes({ outputs }: Config): Warning[] {
  return outputs.list.flatMap((output, index) =>
    placedPayloads(output)
      .filter(
        ({ payload }) => typeof payload === "string" && /^\s*([“”„].*[“”]|‘.*’|«.*»)\s*$/s.test(payload),
      )
      .map(({ at, payload }) => ({
        path: ["outputs", index, ...at],
        words: {
          en: `the device gets ${payload} with these quotes: only " and ' are quotes to YAML`,
          fr: `l’appareil reçoit ${payload} avec ces guillemets, qui font partie de l’ordre`,
        },
      })),
  );
}

/** vigie sends a message again when it does not know whether it has arrived. */
function payloadsThatToggle({ outputs }: Config): Warning[] {
  return outputs.list.flatMap((output, index) =>
    placedPayloads(output).flatMap(({ at, payload }) => {
      const word = textsIn(jsonIn(payload) ?? payload).find((text) => /^\s*(.*\.)?toggle\s*$/i.test(text));
      if (word === undefined) return [];
      const words = {
        en: `${word.trim()} switches the device to the opposite of what it is, which vigie does not know: one message that is lost or sent again, and it is wrong from then on. Send what it is to be, such as "ON" and "OFF"`,
        fr: `${word.trim()} met l’appareil dans l’état contraire au sien, que vigie ne connaît pas. Un ordre perdu ou envoyé deux fois, et tout est à l’envers. Envoyez ce qu’il doit être, comme ON et OFF`,
      };
      return [{ path: ["outputs", index, ...at], words }];
    }),
  );
}

/** One above a choice with another payload keeps that from counting; those at the end change nothing. */
function choicesLikeElse({ outputs }: Config): Warning[] {
  return outputs.list.flatMap(({ choose, else: otherwise }, index) => {
    const isLikeElse = ({ payload }: Payload) =>
      JSON.stringify(payload) === JSON.stringify(otherwise?.payload);
    const last = choose.findLastIndex((choice) => !isLikeElse(choice));
    return choose.slice(last + 1).map(({ when }, place) => ({
      path: ["outputs", index, "choose", last + 1 + place, "payload"],
      words: {
        en: `the same payload as else, so the device gets it whether ${when} is ON or OFF`,
        fr: `le même ordre que pour le reste du temps, si bien que l’appareil le reçoit que ${when} vaille OUI ou NON`,
      },
    }));
  });
}

/**
 * A car that charges at night only, by ON in off-peak hours and OFF as else: vigie sends no else before a choice, and keeps the
 * device only to a choice.
 */
function onlyAtNight({ rules, outputs }: Config): Warning[] {
  return outputs.list.flatMap(({ choose, else: otherwise, message }, index) => {
    const [choice, ...more] = choose;
    const rule = rules.find(({ id }) => id === choice?.when);
    const isNight = !message && rule !== undefined && isOnlyOfTheNight(rule.when);
    if (!choice || more.length > 0 || !otherwise || !isNight) return [];
    if (!hasWord(choice.payload, SWITCHED_ON) || !hasWord(otherwise.payload, SWITCHED_OFF)) return [];
    const [on, off] = [choice.payload, otherwise.payload].map((one) => JSON.stringify(one));
    const words = {
      en: `${off} is sent only after ${on}, and confirm.keep does not hold the device to it: before the first night, and whenever somebody switches it on, the device is on in expensive hours. Let the rule be those hours (such as period: hp), with the payload ${off}, and ${on} as else`,
      fr: `${off} n’est envoyé qu’après ${on}, et vigie n’y tient pas l’appareil. Avant la première nuit, ou quand quelqu’un le met en marche, il est donc en marche aux heures chères. Choisissez une règle de ces heures (peak), avec l’ordre ${off}, et ${on} pour le reste du temps`,
    };
    return [{ path: ["outputs", index, "else"], words }];
  });
}

/** Off-peak hours of each day; one that preheats before a rouge day looks at the day, too. */
function isOnlyOfTheNight(when: Condition): boolean {
  if (when.kind === "all") return when.parts.some(isOnlyOfTheNight) && !when.parts.some(isOfAnotherDay);
  return when.kind === "period" && when.period === "hc";
}

function isOfAnotherDay(condition: Condition): boolean {
  return condition.kind !== "period" && !(condition.kind === "day" && condition.day === "now");
}

function hasWord(payload: Payload["payload"], meant: RegExp): boolean {
  return wordsIn(templateText(payload)).some((word) => meant.test(word));
}

const SWITCHED_ON = /^(on|1|true|start|enable)$/;
const SWITCHED_OFF = /^(off|0|false|stop|disable)$/;

/** What the device reports is not known, but what would have to be in its report is. */
function confirmationsThatCannotCome({ outputs }: Config): Warning[] {
  return outputs.list.flatMap((output, index) => {
    const words = output.confirm && (repeatedPath(output) ?? jsonAsText(output) ?? textBesideJson(output));
    return words === undefined ? [] : [{ path: ["outputs", index, "confirm"], words }];
  });
}

/** `path: state` with `expect: { state: "ON" }`. */
function repeatedPath(output: Output): string | undefined {
  const path = output.confirm?.path;
  const keys = path?.split(".") ?? [];
  const repeated = placedPayloads(output)
    .flatMap(({ expect = {} }) => jsonIn(expect) ?? [])
    .find((expected) => [keys, keys.slice(-1)].some((at) => valueAtPath(expected, at) !== undefined));
  if (path === undefined || repeated === undefined) return undefined;
  return `the value at path (${path}) would have to contain ${JSON.stringify(repeated)}, but this expect names the place again. Leave path out, or write as expect only the value at that place, such as expect: "ON"`;
}

/** What looks like JSON, and is compared letter by letter: `"{'state':'OFF'}"`, or `'"OFF"'` at a path. */
function jsonAsText(output: Output): Warning["words"] | undefined {
  const path = output.confirm?.path;
  for (const { payload, expect: expected = payload } of placedPayloads(output)) {
    const object = jsonIn(withoutPlaceholders(expected));
    const texts = object ? textsIn(object).filter((text) => jsonIn(text)) : textsIn(expected);
    const written = texts.find((text) => /^\s*\{.*\}\s*$/s.test(text));
    if (written !== undefined)
      return {
        en: `${written} is written as a text, so only a report that is the same letter by letter confirms it. Write an object, such as { state: "OFF" }`,
        fr: `${written} est un texte et non du JSON, si bien que seule une réponse identique à la lettre le confirme. Écrivez du JSON, comme {"state":"OFF"}`,
      };
    const value = typeof expected === "string" && path !== undefined ? parseJson(expected) : undefined;
    const compared = typeof value === "object" ? JSON.stringify(value) : String(value);
    if (typeof value === "string" || (Array.isArray(value) && compared !== expected))
      return `${expected} is written as JSON, but the value at path (${path}) is compared as ${compared}. Write expect: ${JSON.stringify(compared)}`;
  }
  return undefined;
}

/** A text as it may be sent. */
function withoutPlaceholders(template: Payload["payload"]): Payload["payload"] {
  if (typeof template !== "string") return template;
  return findPlaceholders(template).reduce((text, name) => text.replaceAll(`{${name}}`, "0"), template);
}

/** All texts in a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A device that takes JSON, or whose other report is JSON, hardly ever reports a bare word. */
function textBesideJson(output: Output): Warning["words"] | undefined {
  const payloads = placedPayloads(output);
  const isJson = payloads.some(({ payload, expect = payload }) => jsonIn(payload) ?? jsonIn(expect));
  const bare = payloads
    .map(({ payload, expect = payload }) => expect)
    .find((expected) => !jsonIn(expected) && findPlaceholders(expected).length === 0);
  if (output.confirm?.path !== undefined || !isJson || bare === undefined) return undefined;
  const shown = JSON.stringify(bare);
  return {
    en: `a payload or expect of this output is a JSON object, but without path only a report that is ${shown} and nothing else confirms ${shown}. Where the device reports JSON, add path: the place of this value in it, or write an object as expect, such as { state: ${shown} }`,
    fr: `un des deux ordres est du JSON, mais seule une réponse qui est ${shown}, sans rien d’autre, confirme ${shown}. Si l’appareil répond en JSON, utilisez le fichier vigie.yaml, où confirm.path désigne cette valeur`,
  };
}

function placedPayloads({ choose, else: otherwise, unknown }: Output) {
  return [
    ...choose.map((one, place) => ({ ...one, at: ["choose", place, "payload"] })),
    ...(otherwise ? [{ ...otherwise, at: ["else"] }] : []),
    ...(unknown ? [{ ...unknown, at: ["unknown"] }] : []),
  ];
}

/** The JSON object that a payload or an expectation is; undefined where it is a text. */
function jsonIn(template: Payload["payload"]): object | undefined {
  const value = typeof template === "string" ? parseJson(template) : template;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
