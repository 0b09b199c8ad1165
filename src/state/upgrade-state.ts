import { z } from "zod";

/** The content of a state file as this version would have written it, whichever older version did. */
export function renewContent(content: unknown, version: number): unknown {
  let renewed = content;
  for (let number = versionOf(renewed); number !== undefined && number < version; number += 1) {
    const renew = RENEWALS[number];
    // No version that ever was: what it holds is not what vigie wrote.
    if (!renew) return content;
    renewed = { ...renew(z.looseObject({}).parse(renewed)), version: number + 1 };
  }
  return renewed;
}

/** undefined where the content says none. */
export function versionOf(content: unknown): number | undefined {
  return versionSchema.safeParse(content).data?.version;
}

type Content = Record<string, unknown>;

/** What a version's content becomes in the next one. */
const RENEWALS: Readonly<Record<number, (content: Content) => Content>> = {
  // Where was published was one place or none, and at first named no prefix of Home Assistant's.
  1: ({ published, ...rest }) => ({ ...rest, published: placesOf(published) }),
};

function placesOf(published: unknown): unknown {
  if (published === null) return [];
  if (Array.isArray(published) || typeof published !== "object") return published;
  return [{ prefix: "homeassistant", ...published }];
}

const versionSchema = z.object({ version: z.int() });
