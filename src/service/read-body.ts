import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from "node:zlib";
import { AnswerUnreadable } from "./service-errors.ts";

/** No answer of the service comes near: a year of history is some 60 KiB. */
export const LARGEST_BODY = 1024 * 1024;

/** The whole body, decompressed; ends at the limit, of what is sent as of what it unpacks to. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  headers: ReadonlyMap<string, string>,
  asked: string,
  limit: number,
): Promise<Uint8Array> {
  const packed = await collect(body, Number(headers.get("content-length") ?? 0), asked, limit);
  const encoding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "" || packed.length === 0) return packed;
  const unpack = UNPACKERS.get(encoding === "deflate" && !hasZlibHeader(packed) ? "deflate-raw" : encoding);
  if (unpack === undefined) {
    throw new AnswerUnreadable(
      asked,
      `Expected gzip, deflate or br, got the compression "${encoding.slice(0, 40)}"`,
    );
  }
  try {
    return await unpack(packed, { maxOutputLength: limit });
  } catch (cause) {
    throw unpackError(asked, cause, limit);
  }
}

async function collect(
  body: AsyncIterable<Uint8Array>,
  announced: number,
  asked: string,
  limit: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limit || announced > limit) throw tooLarge(asked, limit);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof AnswerUnreadable) throw cause;
    throw new AnswerUnreadable(asked, `Expected a whole answer, it broke off after ${size} bytes`, {
      cut: true,
      cause,
    });
  }
  return Buffer.concat(chunks);
}

function tooLarge(asked: string, limit: number, cause?: unknown): AnswerUnreadable {
  return new AnswerUnreadable(asked, `Expected at most ${limit / 1024} KiB, got more`, { cause });
}

const UNPACKERS = new Map<string, (packed: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  // Some servers send deflate without the zlib header that RFC 9110 asks for.
  ["deflate-raw", promisify(inflateRaw)],
  ["br", promisify(brotliDecompress)],
]);

function hasZlibHeader(packed: Uint8Array): boolean {
  const [first = 0, second = 0] = packed;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

function unpackError(asked: string, cause: unknown, limit: number): AnswerUnreadable {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "ERR_BUFFER_TOO_LARGE") return tooLarge(asked, limit, cause);
  const cut = code === "Z_BUF_ERROR";
  const why = cut
    ? "Expected whole compressed data, got a part of it"
    : `Expected compressed data, got junk (${code})`;
  return new AnswerUnreadable(asked, why, { cut, cause });
}
