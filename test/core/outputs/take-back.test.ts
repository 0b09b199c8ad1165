import { describe, expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import { BOILER, keptAfter, verdictsOf } from "../../support/outputs.ts";
import { byHand } from "../../support/outputs-house.ts";

const DAY = verdictsOf({ peak: false });
const PEAK = verdictsOf({ peak: true });
/** Each rule is unknown while the clock is wrong. */
const NOTHING = verdictsOf({});

/** The boiler got `on` before, and this start's clock says that it is peak: `off` is chosen. */
function start(output: Output = BOILER) {
  const vigie = byHand([output], { kept: keptAfter({ [output.key]: "on" }), verdicts: DAY });
  vigie.open(1);
  vigie.trust("unsure");
  vigie.decide(PEAK);
  return { ...vigie, payload: () => vigie.due()[0]?.payload };
}

function acknowledge(vigie: ReturnType<typeof start>) {
  const number = vigie.due()[0]?.number;
  if (number === undefined) throw new Error("nothing is under way");
  vigie.take({ kind: "acknowledged", number });
}

describe("a payload that was chosen by a clock with which no source agreed yet", () => {
  test("is taken back if the clock is found wrong: the one before it is sent again", () => {
    const vigie = start();
    vigie.save();
    expect(vigie.payload()).toBe("off");
    acknowledge(vigie);
    vigie.trust("wrong");
    vigie.decide(NOTHING);
    vigie.save();
    expect(vigie.payload()).toBe("on");
    acknowledge(vigie);
    vigie.pass(3_600_000);
    expect(vigie.due()).toEqual([]);
  });

  test("is never sent if the clock is found wrong before the save", () => {
    const vigie = start();
    vigie.trust("wrong");
    vigie.decide(NOTHING);
    vigie.save();
    expect(vigie.due()).toEqual([]);
  });

  test("stands once a source has agreed, though the clock is found wrong later", () => {
    const vigie = start();
    vigie.save();
    acknowledge(vigie);
    vigie.trust("agreed");
    vigie.trust("wrong");
    vigie.decide(NOTHING);
    vigie.save();
    expect(vigie.due()).toEqual([]);
  });

  test("of several, what was sent before the first comes back", () => {
    const vigie = start({ ...BOILER, choose: [...BOILER.choose, { when: "cold", payload: "warm" }] });
    vigie.save();
    acknowledge(vigie);
    vigie.decide(verdictsOf({ peak: false, cold: true }));
    vigie.save();
    acknowledge(vigie);
    vigie.trust("wrong");
    vigie.decide(NOTHING);
    vigie.save();
    expect(vigie.payload()).toBe("on");
  });

  test("is not followed by another if it is a message", () => {
    const vigie = start({ ...BOILER, message: true });
    vigie.save();
    acknowledge(vigie);
    vigie.trust("wrong");
    vigie.decide(NOTHING);
    vigie.save();
    expect(vigie.due()).toEqual([]);
  });
});
