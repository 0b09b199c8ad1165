// A house that talks much: 100 topics with 5 messages a second each, until it is ended.
import mqtt from "mqtt";

const TOPICS = 100;
const BETWEEN = 1000 / 5 / TOPICS;

const [port] = process.argv.slice(2);
const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
const began = performance.now();
let sent = 0;
// Timers are late now and then: what is missing is sent at once.
setInterval(() => {
  for (; sent < (performance.now() - began) / BETWEEN; sent += 1) {
    const value = 50 + 50 * Math.sin(sent / 7_000 + (sent % TOPICS));
    client.publish(`house/${sent % TOPICS}`, JSON.stringify({ battery: value, linkquality: sent % 255 }));
  }
}, 2);
process.on("SIGTERM", () => process.exit(0));
