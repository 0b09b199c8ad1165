import { describe, expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import { rougeFacts } from "../../support/facts.ts";
import { BOILER } from "../../support/outputs.ts";
import {
  CONFIRM,
  confirmed,
  HOUR,
  house,
  KEEPING,
  MINUTE,
  OVER_HTTP,
  PHONE,
  SECOND,
  SHOWING,
} from "../../support/outputs-house.ts";

const unanswered = (mayHaveArrived: boolean) => (number: number) =>
  ({ kind: "unanswered", number, message: "no answer", mayHaveArrived, retryAfter: null }) as const;
const { else: _else, ...KEEPING_WITHOUT_ELSE } = KEEPING;

test("a failed output whose choice has ended and that has no else is no problem any more", () => {
  const vigie = house(KEEPING_WITHOUT_ELSE);
  vigie.connect();
  vigie.turn(true);
  vigie.wait(2 * HOUR);
  expect(vigie.status()?.hasFailed).toBe(true);
  vigie.turn(false);
  vigie.wait(24 * HOUR);
  expect(vigie.state()).toBe("sent");
  expect(vigie.status()?.hasFailed).toBe(false);
});

test("the owner disables the rule of a device that is switched back: no problem any more", () => {
  const vigie = confirmed(KEEPING_WITHOUT_ELSE);
  vigie.report("on");
  vigie.wait(HOUR);
  expect(vigie.status()?.hasFailed).toBe(true);
  vigie.turn(false);
  vigie.wait(24 * HOUR);
  expect(vigie.status()?.hasFailed).toBe(false);
});

test("an unsteady device over HTTP is not asked each second", () => {
  const vigie = house({
    ...OVER_HTTP,
    confirm: { ...OVER_HTTP.confirm!, online: { topic: "boiler/online", equals: "true" } },
  });
  let ison = false;
  const asked: number[] = [];
  vigie.stateIs(() => {
    asked.push(vigie.now());
    return JSON.stringify({ ison });
  });
  vigie.connect();
  vigie.reportsRead();
  vigie.turn(true);
  vigie.wait(MINUTE);
  ison = true;
  while (vigie.state() !== "contrary") vigie.wait(SECOND);
  ison = false;
  while (vigie.state() !== "confirmed") vigie.wait(SECOND);
  vigie.wait(MINUTE);
  vigie.publish("boiler/online", "true");
  vigie.wait(2 * SECOND);
  ison = true;
  while (vigie.state() !== "contrary") vigie.wait(SECOND);
  ison = false;
  asked.length = 0;
  vigie.wait(3 * MINUTE);
  expect(asked.length).toBeLessThan(20);
});

test("a corrected expect of a confirmed payload counts", () => {
  const wrong: Output = {
    ...OVER_HTTP,
    choose: [{ when: "peak", payload: "off", expect: "off" }],
    confirm: { ...OVER_HTTP.confirm!, path: "state" },
  };
  const vigie = house(wrong);
  vigie.stateIs(() => '{"ison":false,"state":"off"}');
  vigie.turn(true);
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("confirmed");
  const again = house(OVER_HTTP, { kept: vigie.kept(), at: vigie.now(), isPeak: true });
  again.stateIs(() => '{"ison":false,"state":"off"}');
  again.turn(true);
  again.wait(HOUR);
  expect(again.state()).toBe("confirmed");
  expect(again.sent).toEqual([]);
});

test("expect is corrected because the device is shown as contrary", () => {
  const vigie = confirmed(SHOWING);
  vigie.report("auto");
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("contrary");
  const fixed: Output = { ...SHOWING, choose: [{ when: "peak", payload: "off", expect: "auto" }] };
  const again = house(fixed, { kept: vigie.kept(), at: vigie.now(), isPeak: true });
  again.connect();
  again.reportsRead();
  again.report("auto");
  again.wait(MINUTE);
  expect(again.state()).toBe("confirmed");
});

test("confirm with online is added while the payload is in force", () => {
  const { confirm: _c, ...plain } = BOILER;
  const vigie = house(plain);
  vigie.connect();
  vigie.turn(true);
  const again = house(
    { ...KEEPING, confirm: { ...CONFIRM, keep: true, online: { topic: "boiler/online", equals: "true" } } },
    { kept: vigie.kept(), at: MINUTE, isPeak: true },
  );
  again.connect();
  again.reportsRead();
  again.publish("boiler/online", "true");
  again.wait(MINUTE);
  again.report("off");
  again.wait(2 * HOUR);
  expect(again.state()).toBe("confirmed");
});

test("a retained other at the start is told also if the rule is known only after 6 s", () => {
  const kept = confirmed().kept();
  const again = house(KEEPING, { kept, at: 2 * MINUTE, isPeak: null });
  again.connect();
  again.report("on", true);
  again.reportsRead();
  again.wait(6 * SECOND);
  again.turn(true);
  again.wait(MINUTE);
  expect(again.sent).not.toEqual([]);
});

test("a message that was given up last week is tried anew this week", () => {
  const vigie = house(PHONE);
  vigie.answerWith(unanswered(true));
  vigie.turn(true);
  vigie.wait(2 * HOUR);
  expect(vigie.sent).toHaveLength(6);
  vigie.turn(false);
  vigie.wait(7 * 24 * HOUR);
  vigie.sent.length = 0;
  vigie.answerWith(unanswered(false));
  vigie.turn(true);
  vigie.wait(10 * MINUTE);
  expect(vigie.sent.length).toBeGreaterThan(10);
});

test("its id is another one", () => {
  const vigie = house(PHONE);
  vigie.answerWith(unanswered(true));
  vigie.turn(true);
  vigie.wait(HOUR);
  vigie.turn(false);
  vigie.wait(7 * 24 * HOUR);
  vigie.answerWith((number) => ({ kind: "acknowledged", number }));
  vigie.turn(true);
  expect(new Set(vigie.ids()).size).toBe(2);
});

test("a changed placeholder does not send a message early that may have arrived", () => {
  const vigie = house({ ...PHONE, choose: [{ when: "peak", payload: "{left.rouge}" }] });
  vigie.answerWith(unanswered(true));
  vigie.turn(true);
  const facts = rougeFacts();
  for (let n = 0; n < 10; n += 1) {
    vigie.facts({
      ...facts,
      dated: { ...facts.dated, left: { bleu: 1, blanc: 1, rouge: n } },
    } as typeof facts);
    vigie.wait(SECOND);
  }
  expect(vigie.sent).toHaveLength(1);
});

test("a device over HTTP that never does it is told each ten minutes after the first hour", () => {
  const vigie = house(OVER_HTTP);
  vigie.stateIs(() => '{"ison":true}');
  vigie.turn(true);
  vigie.wait(HOUR + SECOND);
  expect(vigie.state()).toBe("failed");
  vigie.sent.length = 0;
  vigie.wait(HOUR);
  const last = HOUR / SECOND - 30;
  expect(vigie.tellings()).toEqual([1, 2, 3, 4, 5, 6].map((time) => last + 600 * time));
});

test("a payload dropped while it waited for its save forgets no report", () => {
  const vigie = confirmed();
  vigie.saves(false);
  vigie.turn(false);
  vigie.report("on");
  vigie.turn(true);
  vigie.saves(true);
  vigie.wait(MINUTE);
  expect(vigie.state()).not.toBe("confirmed");
});

test("that something switches it back stays a problem after a restart", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(10 * MINUTE);
  expect(vigie.status()?.hasFailed).toBe(true);
  const again = house(KEEPING, { kept: vigie.kept(), at: vigie.now(), isPeak: true });
  again.verdicts(null);
  again.connect();
  again.wait(SECOND);
  expect(again.status()?.hasFailed).toBe(true);
  again.turn(true);
  expect(again.status()?.hasFailed).toBe(true);
});

test("of a device over HTTP that answers, but not at path, the advice is about path", () => {
  const vigie = house(OVER_HTTP);
  vigie.stateIs(() => '{"output":false}');
  vigie.turn(true);
  vigie.wait(HOUR + MINUTE);
  expect(vigie.said.at(-1)).toContain("its answers hold no such value. Check confirm.url and confirm.path");
});

test("a blip over HTTP that is over within 5 s", () => {
  const vigie = house(OVER_HTTP);
  let calls = 0;
  vigie.stateIs(() => {
    calls += 1;
    return JSON.stringify({ ison: calls === 3 });
  });
  vigie.turn(true);
  vigie.wait(20 * MINUTE);
  expect(vigie.sent).toHaveLength(1);
});

test("a device that was told often is told ten minutes after a start at which the wall clock is a day behind, not sooner and not later", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(3 * HOUR);
  const kept = vigie.kept();
  const start = -24 * HOUR;
  const again = house(KEEPING, { kept, at: start, isPeak: true });
  again.connect();
  again.wait(15 * MINUTE);
  expect(again.tellings()).toEqual([(start + 10 * MINUTE) / SECOND]);
});

test("else is not told because the device came back", () => {
  const online: Output = {
    ...KEEPING,
    confirm: { ...CONFIRM, keep: true, online: { topic: "boiler/online", equals: "true" } },
  };
  const vigie = confirmed(online);
  vigie.turn(false);
  vigie.wait(2 * HOUR);
  expect(vigie.state()).toBe("failed");
  vigie.sent.length = 0;
  vigie.publish("boiler/online", "false");
  vigie.publish("boiler/online", "true");
  vigie.wait(5 * MINUTE);
  expect(vigie.sent).toEqual([]);
});

test("a device that reports each five minutes is told each ten minutes once it has failed", () => {
  const vigie = house(KEEPING);
  vigie.connect();
  vigie.reportsRead();
  vigie.turn(true);
  for (let n = 0; n < 13; n += 1) {
    vigie.wait(5 * MINUTE);
    vigie.report("on");
  }
  vigie.sent.length = 0;
  for (let n = 0; n < 12; n += 1) {
    vigie.wait(5 * MINUTE);
    vigie.report("on");
  }
  const last = HOUR / SECOND - 30;
  expect(vigie.tellings()).toEqual([1, 2, 3, 4, 5, 6].map((time) => last + 600 * time));
});

describe("an output at the same topic", () => {
  const { else: _none, ...withoutElse } = BOILER;
  const message: Output = { ...withoutElse, message: true, choose: [{ when: "peak", payload: "a peak" }] };
  const refused = (number: number) => ({ kind: "refused", number, message: "not authorized" }) as const;
  const lost = (number: number) =>
    ({ kind: "unanswered", number, message: "lost", mayHaveArrived: false, retryAfter: null }) as const;

  test("becomes a message: people are not sent what the device did not take", () => {
    const before = house(BOILER);
    before.connect();
    before.answerWith(refused);
    before.turn(true);
    expect(before.sent.map(({ payload }) => payload)).toEqual(["off"]);
    const after = house(message, { kept: before.kept(), isPeak: true });
    after.connect();
    expect(after.sent.map(({ payload }) => payload)).toEqual(["a peak"]);
  });

  test("becomes a message with the same text: people get it, however often the device did not take it", () => {
    const before = house(BOILER);
    before.connect();
    before.answerWith(lost);
    before.turn(true);
    before.wait(HOUR);
    expect(before.sent.length).toBeGreaterThan(3);
    const sameText = { ...message, choose: BOILER.choose };
    const after = house(sameText, { kept: before.kept(), at: HOUR, isPeak: true });
    after.connect();
    expect(after.sent.map(({ payload }) => payload)).toEqual(["off"]);
    expect(after.state()).toBe("sent");
  });

  test("becomes a device: it is not sent what people did not get, while its rule is unknown", () => {
    const before = house(message);
    before.connect();
    before.answerWith(refused);
    before.turn(true);
    expect(before.sent.map(({ payload }) => payload)).toEqual(["a peak"]);
    const after = house(BOILER, { kept: before.kept(), isPeak: null });
    after.connect();
    expect(after.sent).toEqual([]);
    after.turn(true);
    after.turn(false);
    expect(after.sent.map(({ payload }) => payload)).toEqual(["off", "on"]);
  });

  test("becomes a device and a message again: people do not read the same twice", () => {
    const before = house(message);
    before.connect();
    before.turn(true);
    before.turn(false);
    expect(before.sent.map(({ payload }) => payload)).toEqual(["a peak"]);
    const between = house(withoutElse, { kept: before.kept(), isPeak: false });
    between.connect();
    const after = house(message, { kept: between.kept(), isPeak: false });
    after.connect();
    after.turn(true);
    expect([...between.sent, ...after.sent]).toEqual([]);
  });

  test("becomes a device and a message again: tries of what may have arrived go on", () => {
    const { confirm: _confirm, else: _otherwise, ...device } = OVER_HTTP;
    const phone: Output = { ...device, message: true, choose: message.choose };
    const before = house(phone);
    before.connect();
    before.answerWith(unanswered(true));
    before.turn(true);
    before.wait(10 * SECOND);
    const between = house(device, { kept: before.kept(), isPeak: false, at: before.now() });
    between.connect();
    const after = house(phone, { kept: between.kept(), isPeak: false, at: before.now() });
    after.connect();
    after.answerWith(unanswered(true));
    after.turn(true);
    after.wait(24 * HOUR);
    expect(before.sent.length + after.sent.length).toBe(6);
  });
});
