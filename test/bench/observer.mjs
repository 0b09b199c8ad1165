import mqtt from "mqtt";

const PATIENCE = 30_000;

/** What is retained below a base topic, and the discovery messages of its entities. */
export async function observe(port, base) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
  const retained = new Map();
  const checks = new Set();
  client.on("message", (topic, payload) => {
    const at = performance.now();
    if (payload.length > 0) retained.set(topic, payload.toString());
    else retained.delete(topic);
    for (const check of checks) check(at);
  });
  await client.subscribeAsync([`${base}/#`, `homeassistant/+/${base}/#`]);
  return {
    /** When it was so. */
    until: (holds, program) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`Expected topics, got: ${program.said()}`)),
          PATIENCE,
        );
        const check = (at) => {
          if (!holds(retained, base)) return;
          clearTimeout(limit);
          checks.delete(check);
          resolve(at);
        };
        checks.add(check);
        check(performance.now());
      }),
    /** The broker as it was before: a later one starts as the first did. */
    clear: async () => {
      const topics = [...retained.keys()];
      await Promise.all(topics.map((topic) => client.publishAsync(topic, "", { qos: 1, retain: true })));
    },
    end: () => client.endAsync(),
  };
}
