import type { ValidationError } from "../core/contract/endpoints.ts";

type Fault = ValidationError["detail"][number];

/** A request that cannot be answered: 422 lists what is wrong where, 400 says it in a sentence. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly status: 400 | 422;
  readonly detail: Fault[] | string;

  constructor(status: 400 | 422, detail: Fault[] | string) {
    super(typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join(", "));
    this.status = status;
    this.detail = detail;
  }
}

export function invalid(loc: Fault["loc"], type: string, msg: string): Refusal {
  return new Refusal(422, [{ loc, msg, type }]);
}
