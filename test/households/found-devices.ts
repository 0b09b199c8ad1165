import type { Found } from "./found/shared.ts";

export const DEVICES_FOUND_WRONG: readonly Found[] = [
  {
    what: "a device over HTTP stays confirmed, though it has not answered for 25 min, and when its choice has ended",
    scenario: {
      seed: 1,
      // 11:00 in Paris.
      from: "2026-01-05T10:00:00Z",
      length: 5_400,
      trouble: 0,
      history: 3,
      oldBroker: false,
      configs: [
        {
          service: { base_url: "https://service.example" },
          official: { source: "rte" },
          mqtt: { url: "mqtt://192.0.2.1" },
          rules: [{ id: "morning", when: { between: ["10:00", "12:00"] } }],
          outputs: {
            list: [
              {
                id: "device1",
                url: "http://192.0.2.40/device1/set?turn={payload}",
                choose: [{ when: "morning", payload: "off" }],
                confirm: { url: "http://192.0.2.40/device1/state" },
              },
            ],
          },
        },
      ],
      devices: [{ id: "device1", path: undefined, manner: "obeys", words: {} }],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "web", host: "http://192.0.2.40", fault: { kind: "is unreachable" }, for: 1_500 },
        { at: 3_000, kind: "quiet" },
        { at: 5_000, kind: "quiet" },
      ],
    },
  },
];
