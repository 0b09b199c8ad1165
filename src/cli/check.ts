import { isLoopback } from "../config/address.ts";
import type { Config } from "../config/config.ts";
import type { ListenAddress, Network } from "../config/http-options.ts";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { officialAddress } from "../config/official-options.ts";
import { ConfigError } from "../config/problems.ts";
import { civilDate } from "../core/calendar/dates.ts";
import { offPeakRow } from "../core/calendar/period.ts";
import type { Tariff } from "../core/calendar/tariff.ts";
import { placeOf, placeOfReports, topicsHeard } from "../core/outputs/output.ts";
import { topicsOfRules } from "../core/rules/rule.ts";
import { nameAddress } from "../http/listener.ts";
import { systemClock } from "../runtime/clock.ts";
import type { LivePart } from "./check-live.ts";
import type { Io } from "./io.ts";
import { findOldPrices } from "./old-prices.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie check [--live]`: checks the configuration; with `--live` also both sources and the broker. */
export async function check(args: string[], io: Io): Promise<number> {
  try {
    const options = { config: { type: "string" }, live: { type: "boolean" } } as const;
    const { values } = readArgs({ args, options });
    return (await checkFile({ file: values.config, live: values.live ?? false }, io)).code;
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    io.stderr.write(`vigie check: ${error.message}\n`);
    return 2;
  }
}

export interface Checked {
  code: number;
  /** undefined: it is wrong. */
  config?: Config;
  /** What was asked, and is not as it should be. */
  failed: LivePart[];
}

/** Prints what is in the configuration, or what is wrong with it. */
export async function checkFile(
  { file, live }: { file: string | undefined; live: boolean },
  io: Io,
): Promise<Checked> {
  try {
    const loaded = await loadConfig({ file, env: io.env, cwd: io.cwd, signal: io.signal });
    for (const warning of loaded.warnings) io.stderr.write(`warning: ${warning}\n`);
    io.stdout.write(describe(loaded));
    const { config } = loaded;
    if (!live) {
      const oldPrices = await findOldPrices(config);
      if (oldPrices !== null) io.stderr.write(`warning: ${oldPrices}\n`);
      return { code: 0, config, failed: [] };
    }
    const { checkLive } = await import("./check-live.ts");
    const failed = await checkLive(config, io);
    return { code: failed.length === 0 ? 0 : 1, config, failed };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.stderr.write(`${error.problems.join("\n")}\n`);
    return { code: 2, failed: [] };
  }
}

function describe({ config, file }: LoadedConfig): string {
  const { service, official, mqtt, http, instance, rules, state, tariff } = config;
  const broker = mqtt.url === "embedded" ? "embedded (one of vigie's own, on 127.0.0.1)" : mqtt.url;
  const user = mqtt.username === undefined ? "" : ` as ${mqtt.username}`;
  return `The configuration is right.
  file      ${file ?? "none: everything comes from variables"}
  source    ${describeSource(service.base_url)}
  official  ${describeOfficial(official.source)}
  broker    ${broker}${user}
  page      ${describePage(http)}
  off-peak  ${describeOffPeak(tariff)}
  topics    ${mqtt.base_topic}/… (instance ${instance})
  rules     ${rules.length === 0 ? "none: the days are published, nothing is switched" : rules.length}
${describeAccess(config)}  state     ${state}
`;
}

function describeSource(base_url: string): string {
  switch (base_url) {
    case "simulator":
      return "simulator (invented days)";
    case "none":
      return "none (no forecasts)";
    default:
      return base_url;
  }
}

function describeOfficial(source: string): string {
  switch (source) {
    case "simulator":
      return "simulator (invented days)";
    case "off":
      return "off (only the forecast service says what is official)";
    case "rte":
      return `rte (${officialAddress(source)})`;
    default:
      return source;
  }
}

function describePage({ listen, allow: ofAll }: Config["http"]): string {
  if (listen.length === 0) return "off";
  return listen
    .map((address) => `${nameAddress(address)} (${describePeers(address, address.allow ?? ofAll)})`)
    .join(", ");
}

/** A line for each row, with the one that counts today. */
function describeOffPeak({ off_peak, time_zone }: Tariff): string {
  const today = offPeakRow(civilDate(systemClock.now(), time_zone), off_peak);
  const lines = off_peak.map((row) => {
    const { from, months, weekdays, windows } = row;
    const dates = [from && `from ${from}`, months?.join(" "), weekdays?.join(" ")].filter(Boolean).join(", ");
    const hours = windows.length === 0 ? "none" : windows.map((one) => `${one.from}-${one.to}`).join(", ");
    const mark = row === today ? " (today)" : "";
    return off_peak.length === 1 ? hours : `${dates || "else"}: ${hours}${mark}`;
  });
  return lines.join("\n            ");
}

function describePeers(address: ListenAddress, allow: readonly Network[]): string {
  if (isLoopback(`http://${nameAddress(address)}`)) return "this machine only";
  if (allow.length === 0) return "open to every machine that reaches it, without a login";
  const peers = allow.map((network) => `${network.address}/${network.prefix}`);
  return `open to ${peers.join(", ")}, without a login`;
}

/** For the access list of the broker, and for a firewall. */
function describeAccess({ rules, outputs }: LoadedConfig["config"]): string {
  const places = (kind: "mqtt" | "http") => outputs.list.filter(({ to }) => to.kind === kind).map(placeOf);
  const asked = outputs.list.flatMap(({ confirm }) => (confirm?.from.kind === "http" ? [confirm] : []));
  const answers = outputs.list.flatMap(topicsHeard);
  const line = (name: string, given: readonly string[], what: string) =>
    given.length === 0
      ? ""
      : `  ${name}${[...new Set(given)].join(", ")} (vigie must be allowed to ${what})\n`;
  return [
    line("values    ", topicsOfRules(rules), "read these topics"),
    line("outputs   ", places("mqtt"), "write these topics"),
    line("answers   ", answers, "read these topics"),
    line("requests  ", [...places("http"), ...asked.map(placeOfReports)], "reach these addresses"),
  ].join("");
}
