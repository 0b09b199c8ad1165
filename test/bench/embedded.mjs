// The embedded broker in a process of its own, for a machine without mosquitto.
import { startEmbeddedBroker } from "../../.build/mqtt/embedded-broker.js";

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
await startEmbeddedBroker({ port: Number(process.argv[2]), log: silent });
