// The least that a program can do that reads what a house says: it subscribes and remembers the last payload of each topic.
import mqtt from "mqtt";

const [port] = process.argv.slice(2);
const payloads = new Map();
const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
client.on("message", (topic, payload) => payloads.set(topic, payload.toString()));
await client.subscribeAsync("house/+", { qos: 0 });
process.on("SIGTERM", () => process.exit(0));
