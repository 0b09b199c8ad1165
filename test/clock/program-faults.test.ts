import { afterAll, describe, expect, test } from "vitest";
import { pick, randomFrom } from "../../src/simulator/random.ts";
import { bleuDaysWith } from "../support/bleu-days.ts";
import { type FakeTime, SPEED, startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { LONG } from "../support/long.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { type RunningVigie, startVigieAndBroker } from "../support/running-vigie.ts";
import { FAULTS, type FaultName } from "../support/service-faults.ts";
import { createCleanup } from "../support/vigie.ts";

const A_GROUP = 9;
const reason = withoutMosquitto || withoutFakeTime;

/** What the owner is told; a fault that is not named here does no harm to an answer, or not to each. */
const SAID: Partial<Record<FaultName, RegExp>> = {
  down: /could not be reached .*closed the connection/,
  reset: /could not be reached|broke off/,
  slow: /could not be reached .*no whole answer within/,
  drip: /could not be reached .*no whole answer within/,
  truncated: /cannot be read|could not be reached/,
  html: /cannot be read: Expected .*text\/html/,
  "wrong-type": /cannot be read/,
  huge: /cannot be read/,
  "gzip-bomb": /cannot be read/,
  redirect: /cannot be read.*302|redirect/,
  "400": /refused .*400/,
  "422": /refused .*422/,
  "429": /429, too many requests/,
  "429-retry-after": /429, too many requests/,
  "500": /failed .*500/,
};

const pairs = FAULTS.flatMap((one, index) => FAULTS.slice(index + 1).map((other) => [one, other]));
const scenarios: FaultName[][] = [...FAULTS.map((fault) => [fault]), ...(LONG ? pairs : somePairs(12))];
const groups = Array.from({ length: Math.ceil(scenarios.length / A_GROUP) }, (_, n) => ({
  n: n + 1,
  group: scenarios.filter((_scenario, index) => index % Math.ceil(scenarios.length / A_GROUP) === n),
}));

describe.skipIf(reason)(`every fault of a service, alone and in pairs ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent.each(groups)(
    "what-if: The forecast service answers nonsense · are survived, said and got over, and no colour that was known gives way to another ($n)",
    { timeout: 120_000 },
    async ({ group }) => {
      const time = startFakeTime("2026-01-05T13:00:00Z", SPEED);
      const { running, service } = await settle(time);
      const known = running.observer.received.length;
      for (const faults of group) await suffer(faults, running, service);
      const watched = ["now/color", "next/color", "today/color", "tomorrow/color", "availability"];
      const changes = running.observer.received
        .slice(known)
        .filter(({ topic }) => watched.some((name) => topic === `vigie/${name}`))
        .map(({ topic, payload }) => `${topic} ${payload}`);
      expect(changes.filter((change) => !TRUE_ALL_ALONG.includes(change))).toEqual([]);
      expect(running.vigie.lines.filter(({ level }) => level === "error")).toEqual([]);
      expect((await running.vigie.end()).code).toBe(0);
    },
  );

  const settle = async (time: FakeTime) => {
    const days = bleuDaysWith("2025-09-01", "2026-02-01", {
      "2026-01-05": "rouge",
      "2026-01-06": "blanc",
    } as const);
    const simulator = await startFaultyService({
      port: 0,
      seed: 5,
      clock: time.clock,
      sendDate: false,
      days,
      slowFor: 120_000 / SPEED,
      dripEvery: 1_000 / SPEED,
      retryAfter: 30,
    });
    cleanup.add(simulator.stop);
    const running = await startVigieAndBroker(cleanup, { service: simulator.url, time });
    await running.until({ "service/status": "ok", "next/color": "blanc", "season/left/rouge": /\d/ });
    return { running, service: simulator };
  };
});

const TRUE_ALL_ALONG = [
  ...["vigie/now/color rouge", "vigie/today/color rouge", "vigie/availability online"],
  ...["vigie/next/color blanc", "vigie/tomorrow/color blanc"],
];

interface Service {
  faults: { set: (names: FaultName[]) => void };
  requests: () => number;
}

/** The faults come, the service is asked, the owner is told; they go, and all is well. */
async function suffer(
  faults: FaultName[],
  { until, observer, vigie }: RunningVigie,
  service: Service,
): Promise<void> {
  const words = faults.flatMap((fault) => SAID[fault]?.source ?? []);
  const ask = () => void observer.publish("vigie/refresh/set", "PRESS", false);
  service.faults.set(faults);
  const before = service.requests();
  ask();
  // A question may join one that is on its way, and a pause that the service asked for is kept to.
  const asking = setInterval(ask, 500);
  try {
    if (words.length > 0) {
      await until({ "service/status": "degraded", "service/last_error": new RegExp(words.join("|")) });
    } else await observer.until(() => service.requests() >= before + 2, `${faults.join(" and ")} was met`);
    service.faults.set([]);
    await until({ "service/status": "ok", "service/last_error": "None" });
  } finally {
    clearInterval(asking);
  }
  expect(() => process.kill(vigie.pid, 0)).not.toThrow();
}

function somePairs(count: number): FaultName[][] {
  const random = randomFrom("pairs");
  return Array.from({ length: count }, () => [...pick([pairs[0] ?? [], ...pairs], random)]);
}
