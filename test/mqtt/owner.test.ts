import { expect, test } from "vitest";
import { hasVigieClientId } from "../../src/mqtt/owner.ts";
import { ownerNamed } from "../support/publisher.ts";

const OWNER = ownerNamed("z");
const { installation } = OWNER;

test.each<[client_id: string, installation: string, isVigies: boolean]>([
  [`vigie-vigie-${installation}`, installation, true],
  [`vigie-house_2-${installation}`, installation, true],
  [`vigie-vigie-${installation}`, "abcdefghijkl", false],
  ["vigie-vigie-", "", false],
  ["vigie-vigie-boiler", "boiler", false],
  ["vigie-vigie-visit-abcdefghijkl", "visit-abcdefghijkl", false],
  [`vigie--${installation}`, installation, false],
  [`vigie-House-${installation}`, installation, false],
  [`vigie-a-b-${installation}`, installation, false],
  [`vigie-${"a".repeat(41)}-${installation}`, installation, false],
  [`homeassistant-vigie-${installation}`, installation, false],
  [installation, installation, false],
])("the client id %s of the installation %s is one of a vigie: %s", (client_id, of, isVigies) => {
  expect(hasVigieClientId({ ...OWNER, client_id, installation: of })).toBe(isVigies);
});
