import { expect, test } from "vitest";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { explainNetworkError } from "../../src/service/network-errors.ts";

const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

test.each([
  [
    "nas:1883",
    "it broke the connection (ECONNRESET). Port 1883 looks like that of an MQTT broker: is service.base_url the address of the service?",
  ],
  ["nas:8443", "it broke the connection (ECONNRESET)"],
])("an error of the connection to %s says what the port looks like", (host, words) => {
  const { message } = explainNetworkError(FORECAST_SERVICE, "GET /v1/public", host, cause);
  expect(message).toBe(`The forecast service at ${host} could not be reached for GET /v1/public: ${words}`);
});
