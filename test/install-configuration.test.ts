import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const PACKAGE = join(import.meta.dirname, "..");
const INSTALL = join(PACKAGE, "systemd", "install.sh");

/** What install.sh makes of the shipped configuration; the rest of the script needs a machine with systemd. */
function configurationFor(options: Record<string, string>): unknown {
  const script = `
    set -eu
    end() { echo "$*" >&2; exit 1; }
    config=/nonexistent service= official= broker= username= listen=
    ${Object.keys(options)
      .map((name) => `${name}=$OPTION_${name}`)
      .join("\n")}
    eval "$(sed -n '/^prepare_configuration() {/,/^}/p;/^fill() {/,/^}/p' "$package/systemd/install.sh")"
    prepare_configuration
    cat "$new"`;
  const env = { PATH: process.env["PATH"], package: PACKAGE } as NodeJS.ProcessEnv;
  for (const [name, value] of Object.entries(options)) env[`OPTION_${name}`] = value;
  return parse(
    execFileSync("sh", ["-c", script], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
  );
}

describe("install.sh", () => {
  test("writes its options into the shipped configuration", () => {
    const options = { service: "none", official: "rte", broker: "mqtt://192.0.2.10", username: "me" };
    expect(configurationFor(options)).toMatchObject({
      service: { base_url: "none" },
      official: { source: "rte" },
      mqtt: { url: "mqtt://192.0.2.10", username: "me" },
    });
  });

  test("without --official asks no official source", () => {
    const options = { service: "https://days.example", broker: "mqtt://192.0.2.10" };
    expect(configurationFor(options)).not.toHaveProperty("official");
  });

  test("with --page opens the page to every machine that reaches this one, else to this one only", () => {
    const options = { service: "https://days.example", broker: "mqtt://192.0.2.10" };
    expect(configurationFor(options)).toMatchObject({ http: { listen: "127.0.0.1:8427" } });
    const open = /--page\) listen=(\S+); shift; continue/.exec(readFileSync(INSTALL, "utf8"))?.[1] ?? "";
    expect(configurationFor({ ...options, listen: open })).toMatchObject({
      http: { listen: "0.0.0.0:8427" },
    });
  });

  test("changes nothing where the options do not fit together", () => {
    const options = { service: "none", broker: "mqtt://192.0.2.10" };
    expect(() => configurationFor(options)).toThrow(
      /official\.source: expected rte or an address[\s\S]*nothing was changed/,
    );
  });
});
