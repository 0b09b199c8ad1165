import mqtt from "mqtt";

export interface Seen {
  topic: string;
  payload: string;
  retain: boolean;
  /** When it came, by the clock on the wall. */
  at: number;
}

/** Another program on the same broker: sees all there is, and may write. */
export interface Observer {
  /** All messages in the order in which they came. */
  seen: Seen[];
  /** What is retained, by what came so far. */
  retained: Map<string, string>;
  publish: (topic: string, payload: string, retain?: boolean) => Promise<void>;
  /** Resolves when this holds; gives up after 25 s unless told. */
  until: (holds: (observer: Observer) => boolean, what: string, patience?: number) => Promise<void>;
  leave: () => Promise<void>;
}

export async function observe(
  url: string,
  filter = "#",
  version: 4 | 5 = 5,
  { reconnectPeriod = 0 } = {},
): Promise<Observer> {
  const client = await mqtt.connectAsync(url, {
    protocolVersion: version,
    reconnectPeriod,
    connectTimeout: 20_000,
  });
  const checks = new Set<() => void>();
  const observer: Observer = {
    seen: [],
    retained: new Map(),
    publish: async (topic, payload, retain = true) => {
      await client.publishAsync(topic, payload, { qos: 1, retain });
    },
    until: (holds, what, patience = 25_000) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!holds(observer)) return;
          checks.delete(check);
          clearInterval(again);
          clearTimeout(limit);
          resolve();
        };
        // What is waited for may be another program's doing, and bring no message.
        const again = setInterval(check, 20);
        const limit = setTimeout(() => {
          clearInterval(again);
          reject(new Error(`Waited in vain until ${what}`));
        }, patience);
        checks.add(check);
        check();
      }),
    leave: () => client.endAsync(),
  };
  client.on("error", () => undefined);
  client.on("message", (topic, payload, { retain }) => {
    observer.seen.push({ topic, payload: payload.toString(), retain, at: Date.now() });
    if (payload.length === 0) observer.retained.delete(topic);
    else if (retain || version === 4) observer.retained.set(topic, payload.toString());
    for (const check of checks) check();
  });
  await client.subscribeAsync(filter, version === 5 ? { qos: 1, rap: true } : { qos: 1 });
  return observer;
}

/** What a newcomer would be told now: all that is retained. */
export async function readRetained(url: string): Promise<Map<string, string>> {
  const observer = await observe(url);
  const mark = `mark/${Math.random()}`;
  const client = await mqtt.connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 });
  await client.publishAsync(mark, "x", { qos: 1 });
  await observer.until(({ seen }) => seen.some(({ topic }) => topic === mark), "the mark came");
  await client.endAsync();
  await observer.leave();
  return observer.retained;
}
