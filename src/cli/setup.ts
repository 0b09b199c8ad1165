import type { WrittenSetup } from "../setup/setup.ts";
import { checkFile } from "./check.ts";
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

/** In one line. What `vigie check --live` prints is shown only if something is not as its owner knows it. */
async function checkWritten(written: WrittenSetup, io: Io): Promise<number> {
  const { file, passwordFile, untried, words, howToStart } = written;
  const found: string[] = [];
  const warnings: string[] = [];
  // As the service gets it, which the configuration of a service does not say.
  const env = passwordFile === undefined ? io.env : { ...io.env, VIGIE_MQTT_PASSWORD_FILE: passwordFile };
  io.stdout.write(`\n${words.checking} `);
  const { code, config, failed } = await checkFile(
    { file, live: true },
    {
      ...io,
      env,
      stdout: { write: (text) => found.push(text) },
      stderr: { write: (text) => warnings.push(text) },
    },
  );
  const isAsKnown = config !== undefined && failed.every((part) => untried.some((one) => one === part));
  if (isAsKnown) {
    const { service, official, outputs } = config;
    const asked = [
      "broker" as const,
      ...(service.base_url === "none" ? [] : ["service" as const]),
      ...(official.source === "off" ? [] : ["official" as const]),
    ];
    const answering = asked.filter((part) => !failed.includes(part)).map((part) => words.parts[part]);
    io.stdout.write(`${words.checked(answering, outputs.list.length)}\n`);
    for (const part of untried.filter((one) => failed.includes(one)))
      io.stdout.write(`${words.still_silent[part]}\n`);
  } else io.stdout.write(`${words.check_failed}\n${found.join("")}`);
  io.stderr.write(warnings.join(""));
  io.stdout.write(howToStart);
  return (isAsKnown ? 0 : code) || written.code;
}
