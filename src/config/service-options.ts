import { z } from "zod";
import { COLORS } from "../core/calendar/tariff.ts";
import { endpoints } from "../core/contract/endpoints.ts";
import { isHttpAddress } from "./address.ts";
import { durationOf, sourceAddress, wallTime } from "./value-schemas.ts";

export const baseUrl = sourceAddress({
  words: ["simulator", "none"],
  isAddress: isHttpAddress,
  expected:
    "simulator, none (no forecasts), or an address that begins with https:// or http:// (no user or password, nothing after ? or #)",
  example: "https://forecast.example.org:8443",
  added: endpoints.forecasts.path,
});

const A_PARAMETER = "the name of a query parameter, such as from";
const parameterName = z.string({ error: A_PARAMETER }).regex(/^[A-Za-z_][\w.-]*$/, { error: A_PARAMETER });
const HISTORY_PARAMETERS = "auto, or both names as { start: from, end: to }";

const announcement = z
  .strictObject({
    between: z
      .tuple([wallTime, wallTime], { error: 'two times, such as ["06:30", "12:00"]' })
      .refine(([first, last]) => first < last, {
        error: 'the earlier time first, such as ["06:30", "12:00"]',
      })
      .prefault(["06:30", "12:00"])
      .meta({
        description:
          'From when to when tomorrow\'s colour is awaited, by the clock of tariff.time_zone. Default ["06:30", "12:00"]: it is seen from about 06:30, binding by 10:30, and has been corrected until 11:15.',
      }),
    every: durationOf(["1m", "2m", "3m", "4m", "5m", "6m", "10m", "12m", "15m", "20m", "30m", "1h"])
      .prefault("5m")
      .meta({
        description:
          "How often to ask meanwhile, until tomorrow is official: 1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, 15m, 20m, 30m or 1h. Default 5m: soon enough to heat before a rouge day, far below what the service allows.",
      }),
  })
  .prefault({})
  .meta({ description: "Asking more often while tomorrow's colour is awaited." });

const poll = z
  .strictObject({
    every: durationOf(["15m", "20m", "30m", "1h", "2h", "3h", "4h", "6h"]).prefault("1h").meta({
      description:
        "How often to ask the service: 15m, 20m, 30m, 1h, 2h, 3h, 4h or 6h. Default 1h: its forecasts change at most once an hour.",
    }),
    announcement,
  })
  .prefault({})
  .meta({ description: "When the service is asked for its forecasts." });

export const serviceOptions = z
  .strictObject({
    base_url: baseUrl.prefault("simulator").meta({
      description:
        "Address of the forecast service, simulator for invented days, or none: no forecasts, only official colours (official.source). Default simulator: the interface names no public address, so a first look runs on invented days, and says so everywhere.",
    }),
    allow_simulator: z.boolean().default(false).meta({
      description:
        "Whether invented days may be published on a real broker. Default false: invented days must not switch real devices by mistake.",
    }),
    colors: z
      .record(z.string().min(1), z.enum(COLORS), {
        error: "spellings with their colour, such as { ROT: rouge }",
      })
      .default({})
      .meta({
        description:
          "More spellings of colours than the usual ones, such as { ROT: rouge }. Default none: a spelling that is not known leaves its day unknown and is logged once.",
      }),
    confidence: z.enum(["auto", "ratio", "percent"]).default("auto").meta({
      description:
        "What the service's confidence means: ratio (0 to 1), percent (0 to 100), or auto. Default auto: any value over 1 shows that it is percent.",
    }),
    rate_unit: z.enum(["EUR/kWh", "c€/kWh"]).default("EUR/kWh").meta({
      description: "Unit of the service's prices. Default EUR/kWh: the interface does not say it.",
    }),
    history_parameters: z
      .union([z.literal("auto"), z.strictObject({ start: parameterName, end: parameterName })], {
        error: HISTORY_PARAMETERS,
      })
      .default("auto")
      .meta({
        description:
          "Names of the two dates in a request for history, as { start: from, end: to }, or auto. Default auto: the service names them when it refuses a request.",
      }),
    poll,
    late_after: wallTime.default("12:00").meta({
      description:
        'From this time on tomorrow counts as late while its colour is not official. Default "12:00": an announcement normally is binding by 10:30.',
    }),
    check_clock: z.enum(["auto", "off"]).default("auto").meta({
      description:
        "Compare this machine's clock with the service's. Default auto: a machine without a clock of its own can start with yesterday's date, and would then name the wrong day.",
    }),
  })
  .prefault({})
  .meta({ description: "The forecast service." });
