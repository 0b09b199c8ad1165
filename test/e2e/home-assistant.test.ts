import { test } from "vitest";

// It has a suite of its own, for it takes a Home Assistant to run it.
test.skip("a real Home Assistant is content with vigie (needs HASS: HASS=hass npm run test:homeassistant)", () =>
  undefined);
