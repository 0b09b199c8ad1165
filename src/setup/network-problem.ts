import { failureKind } from "../mqtt/explain-connect-failure.ts";
import { codeOf } from "../runtime/error-code.ts";
import { valueAt } from "../runtime/value-at.ts";

/** Why a machine cannot be reached, whatever is asked of it: one kind for each thing that people can do about it. */
export type NetworkProblem =
  | "not_listening"
  | "unknown_name"
  | "unreachable"
  | "forbidden"
  | "no_tls"
  | "not_valid_now"
  | "other_name"
  | "unknown_authority"
  | "no_agreement_on_tls"
  | "closed"
  | "silent"
  | "other";

/** By the code of the error; empty: there is none, because the time was over. */
export function networkProblem(code: string): NetworkProblem {
  if (code === "" || /TIMEOUT/.test(code)) return "silent";
  if (code === "UND_ERR_SOCKET") return "closed";
  const kind = failureKind(code);
  switch (kind) {
    case "not_listening":
    case "unknown_name":
    case "unreachable":
    case "forbidden":
    case "no_tls":
    case "not_valid_now":
    case "other_name":
    case "unknown_authority":
    case "no_agreement_on_tls":
      return kind;
    case "cut_off":
      return "closed";
    default:
      return "other";
  }
}

/** `… cannot be reached (EADDRINUSE)` */
export function withDetail(sentence: string, detail: string | null): string {
  return detail === null ? sentence : `${sentence} (${detail})`;
}

/** What helps in any language: the names in a certificate, or a code that can be looked up. null: nothing does. */
export function networkDetail(problem: string, cause: unknown): string | null {
  if (problem === "other_name") {
    const names: unknown = valueAt(cause, ["cert", "subjectaltname"]);
    return typeof names === "string" ? names : null;
  }
  return problem === "other" || problem === "no_agreement_on_tls" ? codeOf(cause) || null : null;
}
