import { z } from "zod";

/** What vigie reads may be damaged or wrong: of other instants and dates the dates around them cannot be told. */
export const instantSchema = z
  .int()
  .min(Date.parse("0001-01-03T00:00Z"))
  .max(Date.parse("9998-01-01T00:00Z"));
export const dateSchema = z.iso.date().refine((date) => date > "0001" && date < "9999");
