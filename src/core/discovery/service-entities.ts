import { COLORS } from "../calendar/tariff.ts";
import { PROBLEM_CODES, SERVICE_STATUSES } from "../facts/facts.ts";
import type { Entity, Row } from "./entity.ts";

/** How the service fares. */
export const SERVICE_ENTITIES: readonly Row[] = [
  {
    topic: "service/status",
    shape: "choice",
    options: SERVICE_STATUSES,
    attributes: "service",
    fr: "État du service",
    en: "Service status",
    icon: "mdi:cloud-check-outline",
    category: "diagnostic",
  },
  { topic: "service/problem", shape: "problem", fr: "Problème", en: "Problem", category: "diagnostic" },
  {
    topic: "service/problem_code",
    shape: "choice",
    options: PROBLEM_CODES,
    fr: "Nature du problème",
    en: "Kind of problem",
    icon: "mdi:alert-circle",
    category: "diagnostic",
  },
  {
    topic: "service/last_success",
    shape: "instant",
    category: "diagnostic",
    fr: "Dernière réponse du service",
    en: "Last answer of the service",
  },
  {
    topic: "service/last_error",
    shape: "text",
    category: "diagnostic",
    quiet: true,
    fr: "Dernière erreur du service",
    en: "Last error of the service",
    icon: "mdi:message-alert",
  },
  {
    topic: "service/updated_at",
    shape: "instant",
    category: "diagnostic",
    quiet: true,
    fr: "Heure des prévisions",
    en: "Time of the forecast",
  },
];

/** What is told once: of days, and of rules. */
const EVENTS = ["announced", "final", "revised", "rule_on", "rule_off"];

/** What one can ask of vigie, and what it tells once. */
export const COMMAND_ENTITIES: readonly Entity[] = [
  {
    topic: "refresh",
    shape: "button",
    kind: "command",
    category: "config",
    fr: "Actualiser",
    en: "Refresh",
    icon: "mdi:refresh",
  },
  {
    topic: "simulation/color",
    shape: "select",
    options: ["auto", ...COLORS],
    kind: "command",
    fr: "Simulation",
    en: "Simulation",
    icon: "mdi:test-tube",
    category: "config",
    command: "simulation/set",
    attributes: "simulation",
  },
  {
    topic: "simulation/until",
    shape: "instant",
    kind: "moment",
    category: "diagnostic",
    fr: "Fin de la simulation",
    en: "End of the simulation",
  },
  {
    topic: "event",
    shape: "event",
    options: EVENTS,
    kind: "dated",
    fr: "Événement",
    en: "Event",
    icon: "mdi:bell-outline",
  },
];
