import { afterAll, describe, expect, test } from "vitest";
import { attack } from "../stranger/attack.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { createCleanup } from "../support/vigie.ts";

const SECONDS = 15;

describe.skipIf(withoutMosquitto)(`a stranger at the broker ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent.each([
    [5, "unlimited"],
    [4, "1000"],
  ] as const)(
    "who sends random messages leaves vigie running, right and small, MQTT %s, queue of the broker %s",
    async (version, queue) => {
      const { wrong, messages } = await attack(
        { seed: "npm test", version, queue, length: SECONDS * 1_000 },
        cleanup,
      );
      expect(wrong).toEqual([]);
      expect(messages).toBeGreaterThan(SECONDS);
    },
  );
});
