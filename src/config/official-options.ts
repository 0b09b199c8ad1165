import { z } from "zod";
import { officialEndpoints, RTE_ADDRESS } from "../core/contract/endpoints.ts";
import { isHttpAddress, isLoopback } from "./address.ts";
import { sourceAddress } from "./value-schemas.ts";

const source = sourceAddress({
  words: ["off", "rte", "simulator"],
  isAddress: (text) => isHttpAddress(text) && (text.startsWith("https:") || isLoopback(text)),
  expected:
    "off, rte, simulator, or an address that begins with https:// (http:// only on this machine; no user or password, nothing after ? or #)",
  example: "https://official.example.org:8443",
  added: officialEndpoints.light.path,
});

export const officialOptions = z
  .strictObject({
    source: source.optional().meta({
      description:
        "Where official colours are read besides the forecast service: off, rte (RTE, who decides them), simulator, or an address that answers as RTE's does. Default off: vigie asks no server that nobody named. With service.base_url: simulator the default is simulator. Recommended: rte.",
    }),
  })
  .prefault({})
  .meta({ description: "The official colours, from RTE itself." });

/** Invented days have invented official colours, unless the option is set. */
export function finishOfficial({ source }: z.output<typeof officialOptions>, base_url: string) {
  return { source: source ?? (base_url === "simulator" ? "simulator" : "off") };
}

/** The address that the option means; `simulator` for invented days; null where nobody is asked. */
export function officialAddress(source: string): string | null {
  if (source === "off") return null;
  return source === "rte" ? RTE_ADDRESS : source;
}
