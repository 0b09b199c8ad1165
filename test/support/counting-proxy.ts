import { splitFrames } from "./omitting-proxy.ts";
import { startProxy } from "./proxy.ts";

/** The first byte of packets that a client sends, without the flags of a message. */
const KINDS: ReadonlyMap<number, Kind> = new Map([
  [0x30, "publish"],
  [0x80, "subscribe"],
  [0xa0, "unsubscribe"],
]);

type Kind = "publish" | "subscribe" | "unsubscribe";

/** A way to a broker on which the packets to it are counted, and on which nothing comes back while that is lost. */
export async function startCountingProxy(brokerPort: number) {
  const counts: Record<Kind, number> = { publish: 0, subscribe: 0, unsubscribe: 0 };
  let isLosing = false;
  let lost = 0;
  const lose = () => (bytes: Buffer) => {
    if (!isLosing) return bytes;
    lost += bytes.length;
    return Buffer.alloc(0);
  };
  const proxy = await startProxy(brokerPort, lose, () => {
    let rest: Buffer = Buffer.alloc(0);
    return (bytes) => {
      const { frames, left } = splitFrames(Buffer.concat([rest, bytes]));
      rest = left;
      for (const [first = 0] of frames) {
        const kind = KINDS.get(first & 0xf0);
        if (kind) counts[kind] += 1;
      }
    };
  });
  return {
    ...proxy,
    counts: () => ({ ...counts }),
    /** What the broker sends from now on is lost, or again arrives. */
    lose: (loses: boolean) => {
      isLosing = loses;
    },
    /** Bytes. */
    lost: () => lost,
  };
}
