// The floor: the least that a program can do that asks the service once and puts the answer on a broker, written by hand.
import mqtt from "mqtt";

const [service, host, port, base = "floor"] = process.argv.slice(2);
const answer = await (await fetch(`${service}/v1/public`)).json();
const client = mqtt.connect({
  protocol: "mqtt",
  host,
  port: Number(port),
  protocolVersion: 5,
  clientId: base,
  will: { topic: `${base}/availability`, payload: Buffer.from("offline"), qos: 1, retain: true },
});
client.on("connect", async () => {
  const publish = (topic, payload) =>
    client.publishAsync(`${base}/${topic}`, payload, { qos: 1, retain: true });
  await publish("today/color", answer.today.color);
  await publish("tomorrow/color", answer.tomorrow.color);
  await publish("availability", "online");
});
process.on("SIGTERM", () => client.end(false, {}, () => process.exit(0)));
setInterval(() => undefined, 60_000);
