import type { WrittenSetup } from "../setup/setup.ts";
import { check } from "./check.ts";
import { toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readSetupOptions } from "./setup-options.ts";

/** `vigie setup`: asks for service, broker and devices, tries each answer at once, writes the configuration, and checks it. */
export async function setup(args: string[], io: Io): Promise<number> {
  let code = 0;
  const ended = await toExitCode("setup", io, async () => {
    const options = readSetupOptions(args);
    const { runSetup } = await import("../setup/setup.ts");
    const result = await runSetup(options, io);
    code = result.file === undefined ? result.code : await checkWritten(result, io);
  });
  return ended || code;
}

async function checkWritten(written: WrittenSetup, io: Io): Promise<number> {
  const { file, passwordFile, checking, howToStart, code } = written;
  io.stdout.write(`\n${checking}\n`);
  // As the service gets it, which the configuration of a service does not say.
  const env = passwordFile === undefined ? io.env : { ...io.env, VIGIE_MQTT_PASSWORD_FILE: passwordFile };
  const checked = await check(["--config", file, "--live"], { ...io, env });
  io.stdout.write(howToStart);
  return checked || code;
}
