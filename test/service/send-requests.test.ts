import { expect, test } from "vitest";
import type { Request } from "../../src/core/contract/answer.ts";
import { sendRequests } from "../../src/service/send-requests.ts";
import { RequestRefused } from "../../src/service/service-errors.ts";
import { FORECAST_SERVICE } from "../../src/service/sources.ts";

const REQUESTS: Request[] = [{ kind: "forecasts" }, { kind: "season" }, { kind: "date", date: "2026-01-06" }];

function refused(path: string, status: number): RequestRefused {
  const request = { operation: `GET ${path}`, address: `http://service/api${path}` };
  return new RequestRefused(
    FORECAST_SERVICE,
    request,
    { status, contentType: null, beginning: "Not Found" },
    [],
  );
}

/** Sends the requests to a service that refuses those of these kinds with this status. */
function send(kinds: Request["kind"][], status: number) {
  return sendRequests(FORECAST_SERVICE, new AbortController().signal, REQUESTS, async ({ kind }) => {
    if (kinds.includes(kind)) throw refused(`/v1/public/${kind}`, status);
    return [];
  });
}

test("a service that answers each request with 404 is one failure, which says what to check", async () => {
  expect(await send(["forecasts", "season", "date"], 404)).toEqual({
    answers: 0,
    failures: [
      "The forecast service has nothing at http://service/api/v1/public/forecasts: status 404: Not Found. Check service.base_url: it is everything before /v1/public",
    ],
  });
});

test.each([
  ["some are answered", ["season", "date"] as const, 404],
  ["the status is another one", ["forecasts", "season", "date"] as const, 422],
])("each failure is told where %s", async (_case, kinds, status) => {
  const { failures } = await send([...kinds], status);
  expect(failures).toHaveLength(kinds.length);
  expect(failures.join()).not.toContain("service.base_url");
});
