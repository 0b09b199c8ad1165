import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from "node:zlib";
import { AnswerUnreadable } from "./service-errors.ts";

/** The whole body, decompressed; at most `limit` bytes before and after. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  headers: ReadonlyMap<string, string>,
  operation: string,
  limit: number,
): Promise<Uint8Array> {
  const packed = await collect(body, Number(headers.get("content-length") ?? 0), operation, limit);
  const encoding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "" || packed.length === 0) return packed;
  // Some servers send deflate without the zlib header that RFC 9110 asks for.
  const decompress =
    encoding === "deflate" && !hasZlibHeader(packed) ? promisify(inflateRaw) : DECOMPRESS.get(encoding);
  if (decompress === undefined) {
    const why = `Expected gzip, deflate or br, got the compression "${encoding.slice(0, 40)}"`;
    throw new AnswerUnreadable(operation, why);
  }
  try {
    return await decompress(packed, { maxOutputLength: limit });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(operation, limit, cause);
    const cut = code === "Z_BUF_ERROR";
    const got = cut
      ? "Expected whole compressed data, got a part of it"
      : `Expected compressed data, got junk (${code})`;
    throw new AnswerUnreadable(operation, got, { cut, cause });
  }
}

const DECOMPRESS = new Map<string, (packed: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

function hasZlibHeader(packed: Uint8Array): boolean {
  const [first = 0, second = 0] = packed;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

async function collect(
  body: AsyncIterable<Uint8Array>,
  announced: number,
  operation: string,
  limit: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limit || announced > limit) throw tooLarge(operation, limit);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof AnswerUnreadable) throw cause;
    const why = `Expected a whole answer, it broke off after ${size} bytes`;
    throw new AnswerUnreadable(operation, why, { cut: true, cause });
  }
  return Buffer.concat(chunks);
}

function tooLarge(operation: string, limit: number, cause?: unknown): AnswerUnreadable {
  return new AnswerUnreadable(operation, `Expected at most ${limit / 1024} KiB, got more`, { cause });
}
