// A house that talks much, until it is ended: 500 messages a second, values for rules or the reports of devices.
import mqtt from "mqtt";

const BETWEEN = 1000 / 500;
const HOUSES = {
  values: {
    topics: 100,
    say: (sent) => ({ battery: 50 + 50 * Math.sin(sent / 7_000 + (sent % 100)), linkquality: sent % 255 }),
  },
  reports: {
    topics: 50,
    say: (sent) => ({ state: "OFF", linkquality: sent % 255, energy: sent / 1_000 }),
  },
};

const [port, what] = process.argv.slice(2);
const { topics, say } = HOUSES[what];
const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
const began = performance.now();
let sent = 0;
// Timers are late now and then: what is missing is sent at once.
setInterval(() => {
  for (; sent < (performance.now() - began) / BETWEEN; sent += 1) {
    client.publish(`house/${sent % topics}`, JSON.stringify(say(sent)));
  }
}, 2);
process.on("SIGTERM", () => process.exit(0));
