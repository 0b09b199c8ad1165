import { startProxy } from "./proxy.ts";

/** The first byte of packets that answer. */
export const PUBACK = 0x40;
export const SUBACK = 0x90;

/** A way to a broker on which some of its answers are lost. */
export async function startOmittingProxy(brokerPort: number) {
  let left = { kind: PUBACK, count: 0 };
  let omitted = 0;
  const isPassedOn = (frame: Buffer) => {
    if (left.count === 0 || frame[0] !== left.kind) return true;
    left.count -= 1;
    omitted += 1;
    return false;
  };
  const proxy = await startProxy(brokerPort, () => {
    let rest: Buffer = Buffer.alloc(0);
    return (bytes) => {
      const { frames, left: begun } = splitFrames(Buffer.concat([rest, bytes]));
      rest = begun;
      return Buffer.concat(frames.filter(isPassedOn));
    };
  });
  return {
    ...proxy,
    /** The next ones of this kind are lost. */
    omit: (kind: number, count = Number.POSITIVE_INFINITY) => {
      left = { kind, count };
    },
    omitted: () => omitted,
  };
}

/** MQTT's packets: a byte, a length of one to four bytes, and as many bytes as it says. */
export function splitFrames(bytes: Buffer): { frames: Buffer[]; left: Buffer } {
  const frames: Buffer[] = [];
  let start = 0;
  for (;;) {
    let length = 0;
    let digits = 0;
    for (; ; digits += 1) {
      const digit = bytes[start + 1 + digits];
      if (digit === undefined) return { frames, left: bytes.subarray(start) };
      length += (digit & 127) << (7 * digits);
      if (digit < 128) break;
    }
    const end = start + 2 + digits + length;
    if (end > bytes.length) return { frames, left: bytes.subarray(start) };
    frames.push(bytes.subarray(start, end));
    start = end;
  }
}
