import { afterAll, describe, expect, test } from "vitest";
import { attack } from "../stranger/attack.ts";
import { LONG } from "../support/long.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { createCleanup } from "../support/vigie.ts";

const CASES = [
  [5, "unlimited"],
  [4, "1000"],
] as const;
const SECONDS = LONG ? 15 : 2;

describe.skipIf(withoutMosquitto)(`a stranger at the broker ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent.each(LONG ? CASES : CASES.slice(0, 1))(
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
