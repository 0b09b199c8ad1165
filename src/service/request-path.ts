import type { Request } from "../core/contract/answer.ts";
import { endpoints } from "../core/contract/endpoints.ts";
import type { RangeNames } from "./history-names.ts";

/** Path and query of a request, below the base address. */
export function requestPath(request: Request, names: RangeNames): string {
  switch (request.kind) {
    case "forecasts":
      return endpoints.forecasts.path;
    case "date":
      return endpoints.date.path.replace("{target_date}", request.date);
    case "season":
      return endpoints.season.path + query(endpoints.season.parameters.season, request.label);
    case "history":
      return `${endpoints.history.path}?${pairs({ [names.start]: request.start, [names.end]: request.end })}`;
  }
}

function query(name: string, value: string | undefined): string {
  return value === undefined ? "" : `?${pairs({ [name]: value })}`;
}

function pairs(parameters: Record<string, string>): string {
  return new URLSearchParams(parameters).toString();
}
