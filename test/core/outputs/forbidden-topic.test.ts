import { expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import { BOILER, toTopic, verdictsOf } from "../../support/outputs.ts";
import { byHand, CONFIRM, HOUR, KEEPING, MINUTE, SECOND } from "../../support/outputs-house.ts";

const outputNamed = (id: string, change: Partial<Output> = {}): Output => ({
  ...BOILER,
  id,
  ...toTopic(`${id}/set`),
  ...change,
});

/** A broker that ends the connection at a message to one of these topics. vigie connects again a second later. */
function closingBroker(outputs: Output[], forbidden: string[]) {
  const vigie = byHand(outputs, { verdicts: verdictsOf({ peak: true }) });
  const sent: { at: number; topic: string }[] = [];
  const lost: number[] = [];
  const said: string[] = [];
  const answered = new Set<number>();
  let connection = 0;
  let opensAt: number | null = null;
  const isForbidden = new Set(forbidden.map((id) => `${id}/set`));
  const open = () => {
    connection += 1;
    opensAt = null;
    vigie.open(connection);
    vigie.take({ kind: "reports read", connection });
  };
  const answer = () => {
    for (let before = null; before !== vigie.part(); ) {
      before = vigie.part();
      vigie.save();
      const due = vigie.due().filter(({ number }) => !answered.has(number));
      for (const { number, by } of due) {
        answered.add(number);
        if (by.kind === "mqtt") sent.push({ at: vigie.now(), topic: by.topic });
      }
      if (due.some(({ by }) => by.kind === "mqtt" && isForbidden.has(by.topic))) {
        lost.push(vigie.now());
        opensAt = vigie.now() + SECOND;
        vigie.lose(connection);
      } else for (const { number } of due) vigie.take({ kind: "acknowledged", number });
    }
    said.push(...vigie.said());
  };
  const live = (length: number) => {
    answer();
    for (const end = vigie.now() + length; vigie.now() < end; ) {
      const next = Math.min(end, opensAt ?? end, vigie.boundary());
      vigie.pass(next - vigie.now(), answer);
      if (opensAt !== null && vigie.now() >= opensAt) open();
      answer();
    }
  };
  open();
  answer();
  return {
    ...{ vigie, sent, lost, said, live },
    allow: () => isForbidden.clear(),
    forbid: (id: string) => isForbidden.add(`${id}/set`),
    sentTo: (id: string) => sent.filter(({ topic }) => topic === `${id}/set`).map(({ at }) => at / SECOND),
    acknowledged: (id: string) => vigie.part().kept.devices[`${id}/set`]?.acknowledged,
  };
}

test("a broker that ends the connection at a topic is not sent to it at each connection, and that is said", () => {
  const { lost, said, live, vigie, sentTo, allow } = closingBroker([outputNamed("boiler")], ["boiler"]);
  live(10 * SECOND);
  expect(said).toEqual([
    'boiler/set did not take "off": the connection to the broker ended before this was acknowledged. If that happens each time, the broker may end it because vigie may not publish to boiler/set: check its access list. It is sent again',
  ]);
  expect(vigie.status()?.state).toBe("waiting");
  const { changes } = vigie.part().passing;
  live(2 * HOUR);
  expect(vigie.part().passing.changes).toBe(changes);
  expect(vigie.status()?.state).toBe("failed");
  expect(said.at(-1)).toMatch(/It is sent again every ten minutes$/);
  expect(sentTo("boiler").slice(0, 5)).toEqual([0, 30, 90, 210, 450]);
  expect(lost.length).toBeLessThan(18);
  const before = lost.length;
  live(10 * HOUR);
  expect(lost.length - before).toBe(60);
  allow();
  live(11 * MINUTE);
  expect(vigie.status()?.state).toBe("sent");
  expect(said.at(-1)).toBe("The broker accepts messages to boiler/set again");
});

test("one forbidden topic keeps no other from its device: after a loss they go out one at a time", () => {
  const outputs = ["one", "two", "three", "four"].map((id) => outputNamed(id));
  const { lost, live, sentTo, acknowledged } = closingBroker(outputs, ["two"]);
  live(33 * SECOND);
  expect(["one", "two", "three", "four"].map(acknowledged)).toEqual([true, false, true, true]);
  expect(lost).toHaveLength(2);
  expect(sentTo("three")).toEqual([0, 31]);
});

test("several forbidden topics keep no other from its device for long, whatever their order", () => {
  const ids = ["f1", "f2", "f3", "f4", "f5", "f6", "good"];
  const quick = { confirm: { ...CONFIRM, every: 5 * SECOND } };
  const { live, acknowledged } = closingBroker(
    ids.map((id) => outputNamed(id, quick)),
    ids.slice(0, -1),
  );
  live(20 * SECOND);
  expect(acknowledged("good")).toBe(true);
});

test("a payload that is due for the first time is not held back by those that were lost", () => {
  const guests = outputNamed("late", { choose: [{ when: "guests", payload: "off" }] });
  const { live, vigie, sentTo, acknowledged } = closingBroker([outputNamed("boiler"), guests], ["boiler"]);
  live(3 * MINUTE);
  vigie.decide(verdictsOf({ peak: true, guests: true }));
  live(2 * SECOND);
  expect(acknowledged("late")).toBe(true);
  expect(sentTo("late")).toHaveLength(1);
});

test("another payload is tried at once, though the one before it was lost", () => {
  const { live, vigie, sentTo } = closingBroker([outputNamed("boiler")], ["boiler"]);
  live(10 * SECOND);
  vigie.decide(verdictsOf({ peak: false }));
  live(2 * SECOND);
  expect(sentTo("boiler")).toEqual([0, 10]);
});

test("a telling that ends the connection is made each ten minutes from the second time on, and that is said", () => {
  const { live, forbid, lost, said, vigie } = closingBroker(
    [{ ...KEEPING, ...outputNamed("boiler"), confirm: CONFIRM }],
    [],
  );
  live(10 * SECOND);
  forbid("boiler");
  live(55 * MINUTE);
  expect(lost.map((at) => at / MINUTE)).toEqual([0.5, 1, 11, 21, 31, 41, 51]);
  const lines = said.filter((line) => line.includes("may not publish to boiler/set"));
  expect(new Set(lines).size).toBe(1);
  const { changes } = vigie.part().passing;
  live(4 * MINUTE);
  expect(vigie.part().passing.changes).toBe(changes);
});

test("what a broker never acknowledges, though it was lost once, keeps no other from its device", () => {
  const guests = outputNamed("late", { choose: [{ when: "guests", payload: "off" }] });
  const vigie = byHand([outputNamed("boiler"), guests], { verdicts: verdictsOf({ peak: true }) });
  vigie.open(1);
  vigie.save();
  vigie.pass(MINUTE);
  vigie.lose(1);
  vigie.open(2);
  vigie.pass(MINUTE);
  expect(vigie.due().map(({ output }) => output)).toEqual(["boiler"]);
  vigie.decide(verdictsOf({ peak: true, guests: true }));
  vigie.save();
  vigie.pass(10 * SECOND);
  expect(vigie.due().map(({ output }) => output)).toEqual(["boiler", "late"]);
});
