/** A device that the embedded broker simulates: it exists only there. */
export interface SimulatedDevice {
  /** Where it gets commands. */
  topic: string;
  /** Where it reports its state. */
  report: string;
  /** The commands that it understands. */
  understands: RegExp;
}

const BOILER = {
  topic: "first_look/boiler/set",
  report: "first_look/boiler",
  understands: /^(on|off)$/,
};

const HEATING = {
  topic: "first_look/heating/set",
  report: "first_look/heating",
  understands: /^\d{1,2}(\.\d)?$/,
};

export const SIMULATED_DEVICES: readonly SimulatedDevice[] = [BOILER, HEATING];

/** For the rules of the shipped file. */
const OUTPUTS = [
  {
    id: "boiler",
    name: { fr: "Ballon d'eau chaude (simulé)", en: "Boiler (simulated)" },
    topic: BOILER.topic,
    choose: [{ when: "rouge_peak", payload: "off" }],
    else: "on",
    confirm: { topic: BOILER.report, keep: true },
  },
  {
    id: "heating",
    name: { fr: "Consigne du chauffage (simulée)", en: "Heating setpoint (simulated)" },
    topic: HEATING.topic,
    choose: [
      { when: "rouge_peak", payload: "17" },
      { when: "preheat", payload: "22" },
      { when: "rouge_ahead", payload: "21" },
      { when: "no_rouge", payload: "20" },
    ],
    confirm: { topic: HEATING.report },
  },
];

/** The outputs of the simulated devices, as the file would have them: those whose rules there are. */
export function firstLookOutputs(ruleIds: readonly unknown[]) {
  return OUTPUTS.filter(({ choose }) => choose.every(({ when }) => ruleIds.includes(when)));
}
