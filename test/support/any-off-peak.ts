import fc from "fast-check";
import { MONTHS, type OffPeakRow, WEEKDAYS } from "../../src/core/calendar/tariff.ts";

/** Off-peak rows as an owner may write them, with windows between these times; the last row fits every date. */
export function offPeakRows(times: fc.Arbitrary<string>): fc.Arbitrary<OffPeakRow[]> {
  const windows = fc.array(
    fc.record({ from: times, to: fc.oneof({ weight: 4, arbitrary: times }, fc.constant("24:00")) }),
    { maxLength: 3 },
  );
  const rows = fc.array(
    fc.record(
      {
        from: fc.constantFrom("2025-01-01", "2026-03-29", "2026-04-02", "2026-10-25", "2026-11-01"),
        months: fc.subarray([...MONTHS], { minLength: 1 }),
        weekdays: fc.subarray([...WEEKDAYS], { minLength: 1 }),
        windows,
      },
      { requiredKeys: ["windows"] },
    ),
    { maxLength: 3 },
  );
  return fc.tuple(rows, windows).map(([some, last]) => [...some, { windows: last }]);
}
