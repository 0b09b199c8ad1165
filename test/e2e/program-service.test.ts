import { afterAll, describe, expect, test } from "vitest";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type PlainAnswer, startPlainService } from "../support/plain-service.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const cleanup = createCleanup();
afterAll(cleanup.run);

/** vigie with a service that gives each request this answer; null: nothing listens at its address. */
async function start(answer: PlainAnswer | null) {
  const service = await startPlainService(() => answer);
  if (answer) cleanup.add(service.stop);
  else await service.stop();
  const broker = await startMosquitto();
  cleanup.add(broker.remove);
  const running = await startVigieAndBroker(cleanup, { service: service.url, broker, here: true });
  return { ...running, url: service.url, asked: service.asked };
}

const REFUSED = /could not be reached for GET \/v1\/public: nothing listens there \(ECONNREFUSED\)/;

describe.skipIf(withoutMosquitto)(`a service that does not answer ${withoutMosquitto}`, () => {
  test.concurrent("is logged at once, and on a topic that says why, and a press of refresh is answered", async () => {
    const { vigie, observer, until } = await start(null);
    // A poll gives up after four minutes: longer than a line is waited for here.
    await vigie.says(REFUSED);
    await until({ "service/problem_code": "service", "service/last_error": REFUSED, availability: "online" });
    await observer.publish("vigie/refresh/set", "PRESS", false);
    await vigie.says(/^refresh\/set: The forecast service .* nothing listens there/);
  });

  test.concurrent("because there is no such host is logged at once, and on a topic", async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    // No part of a host name has 64 letters: no name server is asked.
    const service = `http://${"a".repeat(64)}.invalid`;
    const { vigie, until } = await startVigieAndBroker(cleanup, { service, broker, here: true });
    const words = /could not be reached for GET \/v1\/public: there is no such host name \(ENOTFOUND\)/;
    await vigie.says(words);
    await until({ "service/problem_code": "service", "service/last_error": words, availability: "online" });
  });

  test.concurrent("what-if: The forecast service answers nonsense · but with status 404 is one line with the address and the option", async () => {
    const { vigie, url, asked } = await start({ status: 404, body: { detail: "Not Found" } });
    const { msg } = await vigie.says(/status 404/);
    expect(msg).toBe(
      `The forecast service has nothing at ${url}/v1/public: status 404: {"detail":"Not Found"}. Check service.base_url: it is everything before /v1/public`,
    );
    expect(asked.length).toBeGreaterThan(3);
    expect(vigie.lines.filter((line) => line.msg.includes("status 404"))).toHaveLength(1);
  });
});
