import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import { type FaultName, type Faults, isFault, unknownFault } from "./faults.ts";
import { invalid, Refusal } from "./refusal.ts";

/** `GET` and `PUT /_faults`: no fault and no limit ever touches them. */
export function controlFaults(app: Hono<{ Bindings: HttpBindings }>, faults: Faults): void {
  app.get("/_faults", (c) => c.json(faults.get()));
  app.put("/_faults", async (c) => {
    try {
      faults.set(faultsFrom(await c.req.text()));
      return c.json(faults.get());
    } catch (error) {
      if (error instanceof Refusal) return c.json({ detail: error.detail }, error.status);
      throw error;
    }
  });
}

function faultsFrom(text: string): FaultName[] {
  const names = parsed(text);
  if (!Array.isArray(names)) throw invalid(["body"], "list_type", "Expected a JSON array of fault names");
  return names.map((name: unknown, index) => {
    if (isFault(name)) return name;
    throw invalid(
      ["body", index],
      "enum",
      unknownFault(typeof name === "string" ? name : JSON.stringify(name)),
    );
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(["body"], "json_invalid", "Expected a JSON array of fault names, got no JSON");
  }
}
