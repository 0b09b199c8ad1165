import { beforeAll, describe, expect, it } from "vitest";
import { libraryFolder } from "../support/fake-time.ts";
import { type Findings, runOnMachine, withoutMachine } from "./machine.ts";

describe.skipIf(withoutMachine)(`vigie through reboots and power cuts ${withoutMachine}`, () => {
  let found: Findings;
  beforeAll(async () => {
    found = await runOnMachine("boots.sh");
  });
  const text = (name: string) => found(name).text;
  const succeeds = (name: string) => expect(found(name), name).toMatchObject({ code: 0 });

  it("is installed and active before the service ever answered", () => {
    succeeds("install with the service away");
    expect(text("install with the service away")).toMatch(
      /^vigie runs; broker reached at \S+; data missing: the service has not answered yet/,
    );
    expect(text("active with the service away")).toBe("active");
  });

  it("works without a password file", () => {
    succeeds("restart without a password file");
    expect(text("its tariff")).toMatch(/^ {2}time_zone: Etc\/GMT[+-]\d+\n {2}laws: off$/);
    expect(text("known")).toMatch(/^now \d{4}-\d\d-\d\d rouge$/m);
    // A forecast of a week ahead may be wrong, also one of the simulator: on some dates this one is rouge.
    expect(text("known")).toMatch(/^d7 \d{4}-\d\d-\d\d (bleu|blanc|rouge)$/m);
    expect(text("known").split("\n").at(-1)).toBe("ON");
  });

  describe.each([
    [2, "a reboot with the service away"],
    [3, "a power cut for broker and vigie at once"],
    [4, "a power cut with a broker that lost everything, and a time of the network that never comes"],
  ])("boot %i, after %s", (boot) => {
    it("is active, and holds up nothing", () => {
      expect(text(`boot ${boot}: unit`)).toBe("NRestarts=0\nActiveState=active");
      expect(text(`boot ${boot}: failed units`)).toBe("");
      expect(text(`boot ${boot}: multi-user.target`)).toBe("active");
    });

    it("has every day and what follows from it on the broker again", () => {
      succeeds(`boot ${boot}: all on the broker`);
      expect(text(`boot ${boot}: availability`)).toBe("online");
      expect(found(`boot ${boot}: days`)).toEqual({ code: 0, text: "" });
    });

    it("has nothing to complain of but the service", () => {
      const lines = text(`boot ${boot}: warnings`).split("\n");
      const others = lines.filter((line) => !line.includes("service at 127.0.0.1:8787 could not be reached"));
      expect(others.join("\n")).toBe("");
    });
  });

  it("has all that from what it knew: the service did not come back", () => {
    expect(found("boot 2: service")).toEqual({ code: 7, text: expect.stringContaining("connect") });
  });

  it("waits for the time of the network where the machine does, but for half a minute only", () => {
    expect(text("boot 4: still waited for")).toContain("waiting");
    expect(Number(text("boot 4: waited"))).toBeGreaterThanOrEqual(29);
    expect(Number(text("boot 4: waited"))).toBeLessThan(45);
  });

  describe.skipIf(libraryFolder === undefined)("a clock that is a day behind", () => {
    it.each(["state", "service"])("the %s is noticed: vigie runs, and says nothing of now", (witness) => {
      succeeds(`clock behind the ${witness}: problem`);
      expect(text(`clock behind the ${witness}: now`)).toBe("None");
    });

    it("keeps the dated topics", () => {
      expect(text("clock behind the service: today")).toBe("None");
      expect(text("clock behind the service: forecast")).toMatch(/"date":"\d{4}-\d\d-\d\d","color":"rouge"/);
    });

    it("and is corrected by the network: all topics are right without a restart", () => {
      succeeds("clock set right");
      // It is noon in the tariff's zone, and the service announces by the time of Paris. For example at 00:40 UTC it is night in
      // Paris, so the colour of tomorrow is late here.
      expect(text("clock set right: problem")).toMatch(/^(none|late)$/);
    });
  });
});
