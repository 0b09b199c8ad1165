import type { Draw } from "./draw.ts";
import type { ConfirmText, Device, NameText, OutputText, PayloadText, RuleText } from "./scenario.ts";

/** Where devices are reached over HTTP, and services that deliver messages. Few, so that several outputs share one. */
const DEVICE_HOSTS = ["http://192.0.2.40", "http://192.0.2.40", "http://192.0.2.41:8080"] as const;
const SERVICE_HOSTS = ["https://push.example", "https://push.example", "http://gateway.lan:9000"] as const;

/** What the files hold that `secret_file` names. */
export const SECRET_FILES: Readonly<Record<string, string>> = {
  plain: "HushPlain",
  odd: "Hush/../?#%&$&{id}",
};

/** What the broker asks for when its password has changed. */
export const BROKER_PASSWORD = "HushBroker";

/** Stands in addresses and in headers; the last one is the login in Basic. */
export const WRITTEN_OUT = /PathToken|QueryToken|UserName|Sesame|HeaderValue|VXNlck5hbWU6U2VzYW1l/;

/** What must stand nowhere else: this, and the secrets. */
export const HIDDEN = new RegExp(`Hush|${WRITTEN_OUT.source}`);

/** How the device of this name reports: the owner's configuration follows it, whatever else is edited. */
interface Character {
  number: number;
  path: string | undefined;
  hasExpect: boolean;
}

function characterOf(name: string): Character {
  const number = Number(name.replaceAll(/\D/g, "")) || 0;
  return {
    number,
    path: number % 2 === 0 ? "state.output" : undefined,
    hasExpect: number % 4 === 2 || number % 4 === 3,
  };
}

export function freshName({ one }: Draw, taken: readonly OutputText[]): string {
  const free = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    .map((number) => `device${number}`)
    .filter((name) => !taken.some(({ id }) => id === name));
  return one([free[0] ?? "device10", ...free.slice(1)]);
}

export function drawOutput(draw: Draw, rules: readonly RuleText[], name: string): OutputText {
  const { chance } = draw;
  if (chance(0.2)) return drawMessage(draw, rules, name);
  return chance(0.45) ? drawWebOutput(draw, rules, name) : drawMqttOutput(draw, rules, name);
}

function drawMqttOutput(draw: Draw, rules: readonly RuleText[], name: string): OutputText {
  const { one, chance } = draw;
  const confirm = chance(0.65) ? drawConfirm(draw, name, chance(0.8) ? "topic" : "url") : undefined;
  return {
    id: name,
    ...(chance(0.2) && {
      name: one<NameText>([`L'appareil ${name}`, { fr: "Le même nom", en: "The same name" }]),
    }),
    topic: `${name}/set`,
    ...(confirm?.url !== undefined && accessOf(draw, [confirm.url])),
    ...drawPayloads(draw, rules, name, confirm),
    ...(chance(0.2) && { qos: one([0, 1, 2] as const) }),
    ...(chance(0.1) && { retain: true }),
  };
}

function drawWebOutput(draw: Draw, rules: readonly RuleText[], name: string): OutputText {
  const { one, chance } = draw;
  const drawn = chance(0.75) ? drawConfirm(draw, name, chance(0.7) ? "url" : "topic") : undefined;
  const confirm = drawn && withSeldomTries(drawn);
  const payloads = drawPayloads(draw, rules, name, confirm);
  return { id: name, ...drawRequest(draw, name, one(DEVICE_HOSTS), confirm?.url), ...payloads };
}

/** Each try to tell a device over HTTP that does something else is saved (found/devices-over-http.ts): seldom, then. */
function withSeldomTries(confirm: ConfirmText): ConfirmText {
  return confirm.keep && confirm.topic !== undefined ? { ...confirm, every: "10m" } : confirm;
}

/** What people read. */
function drawMessage(draw: Draw, rules: readonly RuleText[], name: string): OutputText {
  const { one, chance, times } = draw;
  const isWeb = chance(0.7);
  const isObject = isWeb && chance(0.2);
  let count = 0;
  const payload = (): PayloadText => {
    count += 1;
    const text = chance(0.5) ? `m${count}` : `m${count} {${one(PLACEHOLDERS)}}`;
    return isObject ? { title: `m${count}`, priority: 4 } : text;
  };
  return {
    id: name,
    ...(isWeb ? drawRequest(draw, name, one(SERVICE_HOSTS), undefined) : { topic: `${name}/set` }),
    message: true,
    choose: times(1, 3, () => ({ when: someRule(draw, rules), payload: payload() })),
    ...(chance(0.15) && { unknown: isObject ? { payload: payload() as object } : (payload() as string) }),
  };
}

function drawRequest(
  draw: Draw,
  name: string,
  host: string,
  question: string | undefined,
): Pick<OutputText, "url" | "method" | "headers" | "secret_file" | "content_type"> {
  const { one, chance } = draw;
  const method = one(["GET", "GET", "POST", "PUT"] as const);
  const hasPayload = method === "GET" || (method === "POST" && chance(0.3));
  const hasUser = chance(0.2);
  const query = [
    ...(hasPayload ? ["turn={payload}"] : []),
    ...(chance(0.4) ? ["id={id}"] : []),
    ...(chance(0.15) ? ["key={secret}"] : []),
    ...(chance(0.15) ? ["token=QueryToken"] : []),
  ];
  const path = one(["", "", "", "/{secret}", "/PathToken"]);
  const url = `${withUser(host, hasUser)}/${name}/set${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  return {
    url,
    ...((method === "PUT" || chance(0.2)) && { method }),
    ...(!hasPayload && chance(0.2) && { content_type: "application/json" }),
    ...accessOf(draw, [url, question ?? ""]),
  };
}

function withUser(host: string, hasUser: boolean): string {
  return hasUser ? host.replace("://", "://UserName:Sesame@") : host;
}

function accessOf({ one, chance }: Draw, addresses: string[]): Pick<OutputText, "headers" | "secret_file"> {
  const hasUser = addresses.some((address) => address.includes("@"));
  const headers: Record<string, string> = {
    ...(chance(0.2) && { "X-Key": "HeaderValue" }),
    ...(!hasUser && chance(0.2) && { Authorization: "Bearer {secret}" }),
  };
  const hasSecret = [...addresses, ...Object.values(headers)].some((text) => text.includes("{secret}"));
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(hasSecret && { secret_file: one(["plain", "odd"]) }),
  };
}

function drawConfirm(draw: Draw, name: string, where: "topic" | "url"): ConfirmText {
  const { one, chance } = draw;
  const { path, hasExpect } = characterOf(name);
  // In an answer each payload needs an expect beside a path.
  const isWeb = where === "url" && (path === undefined || hasExpect);
  const rest = one(["", "", "", "?token=QueryToken", "/{secret}"]);
  return {
    ...(isWeb ? { url: `${one(DEVICE_HOSTS)}/${name}/state${rest}` } : { topic: `${name}/state` }),
    ...(path !== undefined && { path }),
    // Seldom a short one: who tells so often makes a household live slowly.
    ...(chance(0.8) && { every: one(isWeb ? EVERY_QUESTION : EVERY), for: one(["10m", "10m", "1h"]) }),
    ...(chance(0.5) && { keep: true }),
    ...(chance(0.45) && { online: { topic: `${name}/online`, equals: presenceOf(name).equals } }),
  };
}

const EVERY = ["5s", "20s", "1m", "2m", "2m", "5m", "10m", "10m", "10m", "10m"] as const;
/** Each answer makes vigie look. */
const EVERY_QUESTION = ["1m", "5m", "10m"] as const;

function presenceOf(name: string): { equals: PayloadText | boolean; there: string; gone: string } {
  const { number } = characterOf(name);
  if (number % 3 === 0) return { equals: true, there: "true", gone: "false" };
  if (number % 3 === 1) return { equals: "online", there: "online", gone: "offline" };
  return {
    equals: { state: "online" },
    there: '{"state":"online","rssi":-60}',
    gone: '{"state":"offline"}',
  };
}

/** Payloads of one output are told apart by their number, so that no two expect the same. */
function drawPayloads(
  draw: Draw,
  rules: readonly RuleText[],
  name: string,
  confirm: ConfirmText | undefined,
): Pick<OutputText, "choose" | "else" | "unknown" | "confirm"> {
  const { one, chance, times } = draw;
  const { path, hasExpect } = characterOf(name);
  const styles = hasExpect
    ? (["text", "number", "object", "switch"] as const)
    : path === undefined
      ? (["text", "number", "placeholder", "object"] as const)
      : (["text", "number", "placeholder"] as const);
  const style = one(styles);
  let count = 0;
  const drawPayload = (): { payload: PayloadText; expect?: string } => {
    count += 1;
    const [payload, expect] = payloadOf(draw, style, count);
    return { payload, ...(confirm && hasExpect && { expect }) };
  };
  const branch = () => {
    const { payload, expect } = drawPayload();
    return typeof payload === "string" && expect === undefined
      ? payload
      : { payload, ...(expect !== undefined && { expect }) };
  };
  return {
    choose: times(1, 3, () => ({ when: someRule(draw, rules), ...drawPayload() })),
    ...(chance(0.6) && { else: branch() }),
    ...(chance(0.3) && { unknown: branch() }),
    ...(confirm && { confirm }),
  };
}

/** With what the device then reports, if it says it in words of its own. */
function payloadOf(
  { one }: Draw,
  style: "text" | "number" | "placeholder" | "object" | "switch",
  count: number,
): [payload: PayloadText, expect: string] {
  const expect = `is ${count}`;
  switch (style) {
    case "text":
      return [`p${count}`, expect];
    case "number":
      return [String(17 + count), expect];
    case "placeholder":
      return [`p${count} {${one(PLACEHOLDERS)}}`, expect];
    case "object":
      return [{ state: `p${count}`, level: count }, expect];
    case "switch":
      return SWITCH[count - 1] ?? [`mode${count}`, expect];
  }
}

const SWITCH: readonly [string, string][] = [
  ["off", "false"],
  ["on", "true"],
];
const PLACEHOLDERS = [
  "now.color",
  "next.color",
  "next.date",
  "next.day",
  "d2.day",
  "left.rouge",
  "now.period",
] as const;

function someRule({ one }: Draw, rules: readonly RuleText[]): string {
  const [first, ...others] = rules.map(({ id }) => id);
  return one([first ?? "none", ...others]);
}

/** The owner draws it anew, or edits one part of it. */
export function editOutput(
  draw: Draw,
  rules: readonly RuleText[],
  output: OutputText,
  what: "output" | "part of an output",
): OutputText {
  const { id = "device1", url, confirm, message } = output;
  if (what === "output") return drawOutput(draw, rules, id);
  if (url !== undefined && draw.chance(0.4)) {
    const [host = ""] = /^\w+:\/\/[^/]+/.exec(url) ?? [];
    const hosts = message ? SERVICE_HOSTS : DEVICE_HOSTS;
    return { ...output, url: url.replace(host, withUser(draw.one(hosts), host.includes("@"))) };
  }
  if (message) return output;
  // `expect` needs `confirm`: both come and go together.
  const without = withoutConfirm(output);
  if (confirm === undefined) return { ...without, ...withConfirm(draw, without, id) };
  if (draw.chance(0.3)) return without;
  const { keep, online, ...others } = confirm;
  const changed = draw.chance(0.5)
    ? { ...others, ...(online && { online }), ...(!keep && { keep: true as const }) }
    : {
        ...others,
        ...(keep && { keep }),
        ...(!online && { online: { topic: `${id}/online`, equals: presenceOf(id).equals } }),
      };
  return { ...output, confirm: url === undefined ? changed : withSeldomTries(changed) };
}

function withoutConfirm({ confirm: _, ...output }: OutputText): OutputText {
  const plain = (given: PayloadText | undefined): PayloadText | undefined => {
    if (typeof given !== "object" || !("payload" in given)) return given;
    const { expect: _expect, ...rest } = given;
    return typeof rest.payload === "string" ? rest.payload : rest;
  };
  const { else: otherwise, unknown } = output;
  return {
    ...output,
    choose: output.choose.map(({ expect: _expect, ...choice }) => choice),
    ...(otherwise !== undefined && { else: plain(otherwise)! }),
    ...(unknown !== undefined && { unknown: plain(unknown)! }),
  };
}

/** What it says in its own words is not known here: only an output whose device repeats the payload. */
function withConfirm(draw: Draw, { topic }: OutputText, id: string): Pick<OutputText, "confirm"> {
  if (characterOf(id).hasExpect) return {};
  const confirm = drawConfirm(draw, id, topic === undefined ? "url" : "topic");
  return { confirm: topic === undefined ? withSeldomTries(confirm) : confirm };
}

/** A device for each output that has ever been configured, is no message, and is confirmed. */
export function drawDevices({ one, chance }: Draw, outputs: readonly OutputText[]): Device[] {
  const devices = new Map<string, Device>();
  for (const output of outputs) {
    const { id = "", confirm } = output;
    if (!confirm) continue;
    const before = devices.get(id) ?? {
      id,
      path: characterOf(id).path,
      manner: one(MANNERS),
      words: {},
    };
    const { there, gone } = presenceOf(id);
    devices.set(id, {
      ...before,
      words: { ...before.words, ...wordsOf(output) },
      ...(confirm.topic !== undefined &&
        !before.report && {
          report: {
            topic: confirm.topic,
            retain: chance(0.5),
            ...(chance(0.25) && { every: one([60, 600, 3600]) }),
          },
        }),
      ...(confirm.online && { online: { topic: confirm.online.topic, there, gone } }),
    });
  }
  return [...devices.values()];
}

const MANNERS = [
  "obeys",
  "obeys",
  "obeys",
  "obeys",
  "obeys",
  "obeys",
  "ignores",
  "contradicts",
  "answers late",
  "is silent",
  "is switched back",
  "is switched back",
  "flaps",
] as const;

function wordsOf({ choose, else: otherwise, unknown }: OutputText): Record<string, string> {
  const payloads = [...choose, otherwise, unknown].flatMap((given) => {
    if (typeof given !== "object" || !("payload" in given)) return [];
    const { payload, expect } = given as OutputText["choose"][number];
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    return expect === undefined ? [] : [[text, String(expect)]];
  });
  return Object.fromEntries(payloads);
}
