import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isConfirmedBy, shownReport } from "../../../src/core/outputs/read-report.ts";

describe("a report confirms", () => {
  test.each<[report: string, expected: string, path: string | undefined, isConfirmed: boolean]>([
    // A text, exactly.
    ["off", "off", undefined, true],
    ["OFF", "off", undefined, false],
    ["off ", "off", undefined, false],
    ["", "off", undefined, false],
    // Numbers.
    ["18.0", "18", undefined, true],
    ["18", "18.00", undefined, true],
    ["1.8e1", "18", undefined, true],
    ["-0", "0", undefined, true],
    ["18.5", "18", undefined, false],
    ["18 C", "18", undefined, false],
    // However the device writes it.
    ["018", "18", undefined, true],
    [" +18\n", "18", undefined, true],
    ["1e999", "2e999", undefined, false],
    ["0x12", "18", undefined, false],
    ["", "0", undefined, false],
    // Words that are JSON, too.
    ["true", "true", undefined, true],
    ["null", "null", undefined, true],
    // An object has to contain what is expected.
    ['{"linkquality":120,"state":"ON"}', '{"state":"ON"}', undefined, true],
    ['{"state":"OFF","linkquality":120}', '{"state":"ON"}', undefined, false],
    ['{"state":"on"}', '{"state":"ON"}', undefined, false],
    ['{"linkquality":120}', '{"state":"ON"}', undefined, false],
    ["ON", '{"state":"ON"}', undefined, false],
    ['[{"state":"ON"}]', '{"state":"ON"}', undefined, false],
    ["null", '{"state":"ON"}', undefined, false],
    ['{"state":"ON"', '{"state":"ON"}', undefined, false],
    ['{"a":{"b":1,"c":2},"d":3}', '{"a":{"b":1}}', undefined, true],
    ['{"a":{"b":2}}', '{"a":{"b":1}}', undefined, false],
    ['{"t":18.0}', '{"t":18}', undefined, true],
    ['{"t":"18.0"}', '{"t":18}', undefined, true],
    ['{"t":true}', '{"t":"true"}', undefined, false],
    ['{"t":null}', '{"t":null}', undefined, true],
    ["{}", '{"t":null}', undefined, false],
    ['{"l":[{"a":1,"b":2},3]}', '{"l":[{"a":1},3]}', undefined, true],
    ['{"l":[3,{"a":1}]}', '{"l":[{"a":1},3]}', undefined, false],
    ['{"l":[1,2,3]}', '{"l":[1,2]}', undefined, false],
    ['{"l":{"0":1}}', '{"l":[1]}', undefined, false],
    ['{"a":1}', '{"__proto__":{}}', undefined, false],
    // The value at a path.
    ['{"id":0,"source":"MQTT","output":false}', "false", "output", true],
    ['{"id":0,"source":"MQTT","output":true}', "false", "output", false],
    ['{"output":"false"}', "false", "output", true],
    ['{"a":{"b":"off"}}', "off", "a.b", true],
    ['{"a":[{"b":20.50}]}', "20.5", "a.0.b", true],
    ['{"a":{"b":{"state":"ON","x":1}}}', '{"state":"ON"}', "a.b", true],
    ['{"a":"off"}', "off", "a.b", false],
    ["off", "off", "state", false],
    ["{}", "off", "constructor.name", false],
    ["{}", "{}", "__proto__", false],
    ["[18,20]", "2", "length", false],
    ['{"a":null}', "null", "a", true],
    ["{}", "undefined", "a", false],
  ])("%j where %j is expected (path %s): %s", (report, expected, path, isConfirmed) => {
    expect(isConfirmedBy(report, expected, path)).toBe(isConfirmed);
  });

  test("whatever JSON object it is expected, itself and with more keys", () => {
    const anyObject = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(anyObject, fc.jsonValue(), (expected, more) => {
        const text = JSON.stringify(expected);
        expect(isConfirmedBy(text, text)).toBe(true);
        expect(isConfirmedBy(JSON.stringify({ "more than that": more, ...expected }), text)).toBe(true);
        const [key = ""] = Object.keys(expected);
        const { [key]: _, ...less } = expected;
        expect(isConfirmedBy(JSON.stringify(less), text)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test.each([undefined, "state"])(
    "not, without an error, when it is nested deeply, at the path %s",
    (path) => {
      const deep = `{"state":${"[".repeat(60_000)}${"]".repeat(60_000)}}`;
      expect(isConfirmedBy(deep, "ON", path)).toBe(false);
      expect(isConfirmedBy(deep, '{"state":"ON"}', path)).toBe(false);
      expect(shownReport(deep, "ON", path)).toMatch(/^\{"state":\[/);
      expect(shownReport(deep, '{"state":"ON"}', path)).toMatch(/^\{"state":\[/);
    },
  );

  test("or not, without an error, whatever they are", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.option(fc.string(), { nil: undefined }),
        (report, expected, path) => {
          expect(typeof isConfirmedBy(report, expected, path)).toBe("boolean");
        },
      ),
    );
  });
});

test.each([
  ['{"power":3,"state":"ON","battery":88}', '{"state":"OFF"}', undefined, '{"state":"ON"}'],
  ['{"power":3}', '{"state":"OFF"}', undefined, '{"power":3}'],
  ['{"state":"ON","power":3}', "OFF", undefined, '{"state":"ON","power":3}'],
  ["offline", '{"state":"OFF"}', undefined, "offline"],
  ['{"state":"ON","power":3}', "OFF", "state", "ON"],
  ['{"output":false}', "true", "output", "false"],
  ['{"power":3}', "OFF", "state", '{"power":3}'],
  ["ON", "OFF", "state", "ON"],
])("of %j, where %j is expected, with the path %s people are shown %j", (report, expected, path, shown) => {
  expect(shownReport(report, expected, path)).toBe(shown);
});
