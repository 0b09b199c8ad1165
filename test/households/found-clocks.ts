import type { Found } from "./found.ts";

/** A clock that is set back by an hour while vigie runs: both sources say so at once, and it is set right an hour later. */
export const CLOCKS_FOUND_WRONG: readonly Found[] = [
  {
    what: "topics of the moment are shown though both sources have said twice that the clock is an hour behind",
    scenario: {
      seed: 1,
      from: "2026-01-13T04:30:00Z",
      length: 7_200,
      trouble: 0,
      history: 3,
      oldBroker: false,
      devices: [],
      configs: [
        {
          service: { base_url: "https://service.example" },
          official: { source: "rte" },
          mqtt: { url: "mqtt://192.0.2.1" },
          rules: [{ id: "peak", when: { period: "hp" } }],
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 1_800, kind: "jump", by: -3_600 },
        { at: 5_400, kind: "jump", by: 3_600 },
      ],
    },
  },
];
