import { z } from "zod";
import { expectedAddress } from "./output-address.ts";
import { textWithout } from "./value-schemas.ts";

const AN_ADDRESS = "an address that begins with http:// or https://, in quotes";

/** An address in which these placeholders may stand. */
export function outputAddress(allowed: readonly string[]) {
  return textWithout((text) => expectedAddress(text, allowed), AN_ADDRESS).max(2000, {
    error: "an address of at most 2000 characters",
  });
}

const HEADERS = "the names of headers and their texts, such as { X-Priority: high }";
const A_HEADER = "a text, in quotes where it is a number, true or false";
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
/** The client of each request sets them. */
const OF_THE_CLIENT = [
  ...["host", "content-length", "connection", "cookie"],
  ...["transfer-encoding", "expect", "upgrade", "keep-alive", "te", "trailer"],
];

const headers = z.preprocess(
  (given, { issues }) => {
    for (const fault of findHeaderFaults(given)) issues.push({ code: "custom", input: given, ...fault });
    return given;
  },
  z.record(z.string(), z.string(), { error: HEADERS }),
);

interface HeaderFault {
  path: PropertyKey[];
  message: string;
}

/** What is no name and text may be a part of a token: it is not in the path. */
function findHeaderFaults(given: unknown): HeaderFault[] {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return [];
  const entries: [string, unknown][] = Object.entries(given);
  if (entries.some(([name, value]) => !NAME.test(name) || value === null)) {
    return [
      { path: [], message: `${HEADERS} (a name is of letters, digits and -; a space follows its colon)` },
    ];
  }
  return entries.flatMap(([name, value], index) => {
    const earlier = entries.slice(0, index).map(([other]) => other.toLowerCase());
    const message = earlier.includes(name.toLowerCase())
      ? "each header once: small and capital letters do not matter in its name"
      : expectedHeader(name, value);
    return message === undefined ? [] : [{ path: [name], message }];
  });
}

function expectedHeader(name: string, value: unknown): string | undefined {
  if (OF_THE_CLIENT.includes(name.toLowerCase())) {
    return "another header: those about the connection and the body are set by vigie, and it keeps no cookies";
  }
  if (typeof value !== "string") return A_HEADER;
  if (!/^[\x20-\x7e]*$/.test(value)) return "a text of one line, of letters and characters of ASCII only";
  const others = value.replaceAll("{secret}", "");
  if (!/\{[\w.]*\}/.test(others)) return undefined;
  return "a text with no placeholder but {secret}";
}

const A_METHOD = "GET, POST or PUT";
const A_MEDIA_TYPE = "a media type, such as application/json";
const A_FILE = "the path of a file";

/** The options of an output that are about requests over HTTP. */
export const requestOptions = {
  url: outputAddress(["payload", "secret", "id"]).exactOptional().meta({
    description:
      "Address of a device or of a service that delivers messages, instead of topic; needs an id. {payload}, {secret} and {id} may stand in its path and its query; {id} names one sending, and is the same for each try. User and password in it are sent as Basic.",
  }),
  method: z.enum(["GET", "POST", "PUT"], { error: A_METHOD }).exactOptional().meta({
    description:
      "Method of the request: GET, POST or PUT. Default GET where {payload} stands in the address, else POST, whose body is the payload.",
  }),
  headers: headers.exactOptional().meta({
    description:
      'More headers of each request, such as { Authorization: "Bearer {secret}" }; also of those to confirm.url. Default none.',
  }),
  content_type: z
    .string({ error: A_MEDIA_TYPE })
    .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\x20-\x7e]*)?$/, { error: A_MEDIA_TYPE })
    .max(200, { error: A_MEDIA_TYPE })
    .exactOptional()
    .meta({
      description:
        "Type of the body. Default text/plain; charset=utf-8, and application/json where the payload is an object; none for a POST with {payload} in its address.",
    }),
  secret_file: z.string({ error: A_FILE }).min(1, { error: A_FILE }).exactOptional().meta({
    description:
      "File with what {secret} stands for, relative to the working directory; it is read at each request. Default none.",
  }),
  tls: z
    .strictObject({
      ca_file: z.string({ error: A_FILE }).min(1, { error: A_FILE }).exactOptional().meta({
        description:
          "File with the authority that signed the certificate of this address (PEM). Default none: the authorities that Node.js knows.",
      }),
    })
    .exactOptional()
    .meta({ description: "Encryption, for https://. The certificate is always checked." }),
};
