import { findPlaceholders } from "../core/outputs/placeholders.ts";
import { valueAt } from "../runtime/value-at.ts";
import { type Conflict, textAt } from "./conflict.ts";
import { decodeIfEncoded, isHttp, plainAddress, SECRET, wordsIn, wordsOfAddress } from "./output-address.ts";
import { countDifferent, has, payloadsOf, textOf } from "./output-parts.ts";

/** Of one output: what does not go together where it sends over HTTP, or where its device is asked over HTTP. */
export function httpConflicts(output: unknown, list: readonly unknown[]): Conflict[] {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return [];
  return [
    ...oneTarget(output),
    ...oneReport(output),
    ...urlWithoutId(output),
    ...optionsOfTheOtherKind(output),
    ...messageWithMore(output),
    ...saidTwice(output),
    ...secretWithoutFile(output),
    ...fileWithoutSecret(output),
    ...sameRequestForAll(output),
    ...addressOfOnePayload(output),
    ...requestThatToggles(output),
    ...questionThatToggles(output),
    ...questionThatSwitches(output, list),
  ];
}

function oneTarget(output: object): Conflict[] {
  if (has(output, "topic") && has(output, "url")) {
    const expected =
      "topic or url, not both: an output sends to one place, and another device is another output";
    return [{ path: ["url"], expected }];
  }
  if (has(output, "topic") || has(output, "url")) return [];
  const expected =
    "topic (the topic of the device, at the broker) or url (the address of the device, over HTTP), one of the two";
  return [{ path: ["topic"], expected, instead: ["url"] }];
}

function oneReport(output: object): Conflict[] {
  const confirm = valueAt(output, ["confirm"]);
  if (typeof confirm !== "object" || confirm === null || Array.isArray(confirm)) return [];
  if (has(confirm, "topic") && has(confirm, "url")) {
    const expected = "confirm.topic or confirm.url, not both: a device confirms in one place";
    return [{ path: ["confirm", "url"], expected }];
  }
  if (has(confirm, "topic") || has(confirm, "url")) return [];
  const expected =
    "confirm.topic (the topic on which the device publishes its state) or confirm.url (the address that is asked for it), one of the two";
  return [{ path: ["confirm", "topic"], expected, instead: ["url"] }];
}

function urlWithoutId(output: object): Conflict[] {
  if (!has(output, "url") || has(output, "topic") || has(output, "id")) return [];
  const expected = "an id, because vigie makes none of an address, which may hold a token";
  return [{ path: ["id"], expected, advice: "Give it an id, such as id: boiler" }];
}

function optionsOfTheOtherKind(output: object): Conflict[] {
  const [toTopic, overHttp] = [has(output, "topic"), has(output, "url")];
  if (toTopic === overHttp) return [];
  if (overHttp)
    return refuse(output, ["qos", "retain"], "beside url: a request over HTTP has nothing like it");
  const ofRequests = has(output, "confirm", "url") ? [] : ["headers", "secret_file", "tls"];
  return [
    ...refuse(output, ["method", "content_type"], "beside topic: they are of requests over HTTP"),
    ...refuse(output, ofRequests, "here: without url and confirm.url this output sends no requests"),
  ];
}

/** `where` also says why. */
function refuse(output: object, names: readonly string[], where: string): Conflict[] {
  return names
    .filter((name) => has(output, name))
    .map((name) => ({ path: [name], expected: `no ${name} ${where}` }));
}

function messageWithMore(output: object): Conflict[] {
  if (valueAt(output, ["message"]) !== true) return [];
  return [
    ...refuse(output, ["else"], "beside message: true: a message is sent once when its choice begins"),
    ...refuse(output, ["confirm"], "beside message: true: no device reports that it was read"),
  ];
}

function saidTwice(output: object): Conflict[] {
  const names = Object.keys(valueAt(output, ["headers"]) ?? {});
  const find = (wanted: string) => names.find((name) => name.toLowerCase() === wanted);
  const [type, login] = [find("content-type"), find("authorization")];
  const withUser = ADDRESSES.find((path) => userOf(textAt(output, ...path)) !== "");
  return [
    ...(type !== undefined && has(output, "content_type")
      ? [{ path: ["content_type"], expected: `content_type or the header ${type}, not both` }]
      : []),
    ...(login !== undefined && withUser
      ? [{ path: [...withUser], expected: `a user in the address or the header ${login}, not both` }]
      : []),
  ];
}

/** Where addresses stand in an output. */
const ADDRESSES = [["url"], ["confirm", "url"]] as const;

function userOf(address: string | undefined): string {
  return address !== undefined && isHttp(address) ? new URL(address).username : "";
}

/** Where the secret is put. */
function placesOfSecret(output: object): PropertyKey[][] {
  const headers = Object.keys(valueAt(output, ["headers"]) ?? {}).map((name) => ["headers", name]);
  return [...ADDRESSES.map((path) => [...path]), ...headers].filter((path) =>
    textAt(output, ...path)?.includes(SECRET),
  );
}

function secretWithoutFile(output: object): Conflict[] {
  if (has(output, "secret_file")) return [];
  const expected = "secret_file beside it: the path of the file that holds what {secret} stands for";
  return placesOfSecret(output)
    .slice(0, 1)
    .map((path) => ({ path, expected }));
}

function fileWithoutSecret(output: object): Conflict[] {
  const isUsed = placesOfSecret(output).length > 0;
  const sendsRequests = has(output, "url") || has(output, "confirm", "url");
  if (!has(output, "secret_file") || isUsed || !sendsRequests) return [];
  const expected = "{secret} in an address or in a header of this output, in whose place the content is put";
  return [{ path: ["secret_file"], expected }];
}

/** A GET has no body: without `{payload}` in its address it says the same, whatever the payload is. */
function sameRequestForAll(output: object): Conflict[] {
  const url = textAt(output, "url");
  const isGet = valueAt(output, ["method"]) === "GET";
  if (url === undefined || !isGet || url.includes("{payload}")) return [];
  const payloads = payloadsOf(output);
  const count = countDifferent(payloads);
  const changes = payloads.some(({ payload }) => findPlaceholders(payload).length > 0);
  if (count < 2 && !changes) return [];
  const why = count < 2 ? "the payload changes" : `this output has ${count} payloads`;
  const expected = `an address with {payload}, because ${why}, and a GET without it is the same request for each`;
  return [{ path: ["url"], expected, advice: "Or leave method out: the payload is then the body of a POST" }];
}

/** `?turn=off` would switch the device off also if the payload is `on`, which stands only in the body. */
function addressOfOnePayload(output: object): Conflict[] {
  const url = textAt(output, "url");
  const [method, isMessage] = [valueAt(output, ["method"]), valueAt(output, ["message"])];
  if (url === undefined || url.includes("{payload}") || method === "GET" || isMessage === true) return [];
  const payloads = payloadsOf(output);
  const [, segment = "", query = ""] = /([^/?]*)(?:\?(.*))?$/s.exec(url) ?? [];
  const words = [segment.toLowerCase(), ...wordsIn(decodeIfEncoded(query))];
  const named = payloads.find(({ payload }) => {
    const text = textOf(payload).toLowerCase();
    return /\p{L}/u.test(text) && words.includes(text);
  });
  const count = countDifferent(payloads);
  if (!named || count < 2) return [];
  const expected = `an address with {payload} in place of ${textOf(named.payload)}, because this output has ${count} payloads, and this address names one of them`;
  return [{ path: ["url"], expected }];
}

/** By the words that make a request do something else the second time: what. */
const NOT_TWICE = new Map([
  ["toggle", "a second toggle undoes the first"],
  ["cycle", "a second cycle goes on to the next state"],
  ["timer", "a second timer begins anew, and at its end the device does something that vigie did not send"],
]);

function requestThatToggles(output: object): Conflict[] {
  if (!has(output, "url") || valueAt(output, ["message"]) === true) return [];
  const ofAddress = {
    path: ["url"],
    what: "an address",
    words: wordsOfAddress(textAt(output, "url") ?? ""),
  };
  const ofPayloads = payloadsOf(output).map(({ payloadPath, payload }) => ({
    path: payloadPath,
    what: "a payload",
    words: wordsIn(textOf(payload)),
  }));
  return [ofAddress, ...ofPayloads].flatMap(({ path, what, words }) => {
    const word = words.find((one) => NOT_TWICE.has(one));
    if (word === undefined) return [];
    const expected = `${what} without ${word}, because vigie sends a request again when no answer comes, and ${NOT_TWICE.get(word)}`;
    return [{ path, expected, advice: "Send what the device is to be, such as on and off" }];
  });
}

function questionThatToggles(output: object): Conflict[] {
  const path = ["confirm", "url"];
  const word = wordsOfAddress(textAt(output, ...path) ?? "").find((one) => NOT_TWICE.has(one));
  if (word === undefined) return [];
  const expected = `an address without ${word}: vigie asks there again and again what the device does, and to ask must not switch it`;
  return [{ path, expected }];
}

/** To ask for the state would be to switch. */
function questionThatSwitches(output: object, list: readonly unknown[]): Conflict[] {
  const asked = plainAddress(textAt(output, "confirm", "url"));
  if (asked === undefined || !list.flatMap(addressesOfGets).includes(asked)) return [];
  const expected =
    "another address than that of a GET which sends a payload: to ask there would be to send it";
  return [{ path: ["confirm", "url"], expected }];
}

/** The addresses that an output requests by GET, with each payload in its place. */
function addressesOfGets(output: unknown): (string | undefined)[] {
  const url = textAt(output, "url");
  const method = valueAt(output, ["method"]) ?? (url?.includes("{payload}") ? "GET" : "POST");
  if (url === undefined || method !== "GET") return [];
  return payloadsOf(output).map(({ payload }) =>
    plainAddress(
      url.replaceAll("{payload}", () => encodeURIComponent(Buffer.from(textOf(payload)).toString())),
    ),
  );
}
