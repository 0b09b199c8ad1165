import { describe, expect, test } from "vitest";
import { ConnectFailed } from "../../src/mqtt/broker-errors.ts";
import type { Version } from "../../src/mqtt/connection.ts";
import { negotiateVersion } from "../../src/mqtt/short-connection.ts";

/** A broker that answers each greeting with the next of these: a refusal's code, `silent`, or a welcome. */
function broker(...answers: (number | string | "silent" | "welcome")[]) {
  const asked: Version[] = [];
  const left: Version[] = [];
  const open = async (version: Version) => {
    asked.push(version);
    const answer = answers.shift();
    if (answer !== "welcome") throw new ConnectFailed("no", answer === "silent" ? undefined : answer);
    return { version, close: async () => void left.push(version) };
  };
  return { open, asked, left };
}

describe("negotiateVersion", () => {
  test.each<[what: string, answers: (number | string)[], asked: Version[], version: Version]>([
    ["MQTT 5 where the broker speaks it", ["welcome"], [5], 5],
    ["3.1.1 where it refuses 5 by the code of 5", [132, "welcome"], [5, 4], 4],
    ["3.1.1 where it refuses 5 by the code of 3.1.1", [1, "welcome"], [5, 4], 4],
    ["3.1.1 where it hangs up on 5, twice", ["silent", "welcome", "silent"], [5, 4, 5], 4],
    ["5 where it had only just come up", ["silent", "welcome", "welcome"], [5, 4, 5], 5],
    ["3.1.1 where 5 is reset, twice", ["ECONNRESET", "welcome", "ECONNRESET"], [5, 4, 5], 4],
  ])("speaks %s", async (_what, answers, asked, version) => {
    const { open, asked: heard, left } = broker(...answers);
    expect((await negotiateVersion(open)).version).toBe(version);
    expect(heard).toEqual(asked);
    expect(left).toEqual(version === 5 && asked.length === 3 ? [4] : []);
  });

  test.each([
    ["a wrong password", [134], [5]],
    ["nobody there", ["ECONNREFUSED"], [5]],
    ["a way that is cut off whatever is spoken", ["silent", "silent"], [5, 4]],
  ])("gives up at %s", async (_what, answers, asked) => {
    const { open, asked: heard } = broker(...answers);
    await expect(negotiateVersion(open)).rejects.toBeInstanceOf(ConnectFailed);
    expect(heard).toEqual(asked);
  });
});
