import { dayEntities } from "./day-entities.ts";
import type { Entity, Kind, Row } from "./entity.ts";
import { DATED_ENTITIES, FLAG_ENTITIES } from "./fact-entities.ts";
import { type RuleToShow, ruleEntities } from "./rule-entities.ts";
import { SEASON_ENTITIES } from "./season-entities.ts";
import { COMMAND_ENTITIES, SERVICE_ENTITIES } from "./service-entities.ts";

/** The whole table: an entity for each topic that a person or an automation may want. */
export function listEntities(rules: readonly RuleToShow[]): Entity[] {
  return [
    ...ofKind("moment", [...dayEntities(), ...FLAG_ENTITIES]),
    ...ofKind("dated", [...DATED_ENTITIES, ...SEASON_ENTITIES]),
    ...rules.flatMap(ruleEntities),
    ...COMMAND_ENTITIES,
    ...ofKind("moment", SERVICE_ENTITIES),
  ];
}

function ofKind(kind: Kind, rows: readonly Row[]): Entity[] {
  return rows.map((row) => ({ ...row, kind }));
}
