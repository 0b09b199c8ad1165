import { spawn } from "node:child_process";
import { blockOf } from "../support/guide.ts";
import { MAIN } from "../support/vigie.ts";

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Follows a guide with a temporary folder in place of `/etc` and the home folder, and with the broker of the test. */
export interface Reader {
  /** The text with these replacements. */
  own: (text: string) => string;
  /** The guide's block for this path. */
  file: (path: string) => string;
  /** The guide's block of this name. */
  script: (name: string) => string;
  /** Runs the guide's block of this name. */
  run: (name: string, env?: Record<string, string>) => Promise<Ran>;
}

export function readGuide(page: string, root: string, ports: { broker: number; listener?: number }): Reader {
  const listener = ports.listener ?? ports.broker;
  const own = (text: string) =>
    text
      .replaceAll("sudo ", "")
      .replaceAll("-g mosquitto ", "")
      .replaceAll("chown mosquitto:", "true")
      // The command asks for the password twice.
      .replaceAll(/^mosquitto_passwd .* (\w+)$/gm, "printf '%s\\n%s\\n' '$1 password' '$1 password' | $&")
      .replaceAll("npx vigie", `'${process.execPath}' '${MAIN}'`)
      .replaceAll("/etc/", `${root}/etc/`)
      .replaceAll("192.0.2.10", "127.0.0.1")
      .replaceAll(/\b8883\b/g, String(listener))
      .replaceAll(/\b1883\b/g, String(ports.broker));
  const script = (name: string) => own(blockOf(page, `run: ${name}`));
  return {
    own,
    file: (path) => own(blockOf(page, `file: ${path}`)),
    script,
    run: (name, env = {}) => runScript(script(name), root, env),
  };
}

/** Ends at the first command that fails. */
function runScript(script: string, home: string, env: Record<string, string>): Promise<Ran> {
  const path = process.env["PATH"] ?? "";
  const child = spawn("sh", ["-ec", script], {
    cwd: home,
    env: { PATH: path, HOME: home, TMPDIR: home, ...env },
  });
  const ran: Ran = { code: null, stdout: "", stderr: "" };
  child.stdout?.on("data", (part) => (ran.stdout += part));
  child.stderr?.on("data", (part) => (ran.stderr += part));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...ran, code }));
  });
}
