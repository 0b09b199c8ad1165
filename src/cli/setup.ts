import type { Config } from "../config/config.ts";
import type { WrittenSetup } from "../setup/setup.ts";
import { checkFile } from "./check.ts";
import type { LivePart } from "./check-live.ts";
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

/** In one line. More is said only if something is not as its owner knows it. */
async function checkWritten(written: WrittenSetup, io: Io): Promise<number> {
  const { file, passwordFile, untried, words, checkCommand, howToStart } = written;
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
  const lines = isAsKnown
    ? [...describeAnswers(config, failed, written), ...(warnings.length > 0 ? [words.doubtful] : [])]
    : config
      ? failed.map((part) => words.failed[part])
      : [words.refused];
  io.stdout.write(`${lines.join("\n")}\n`);
  const details = [...(isAsKnown ? [] : found), ...warnings].join("");
  if (details !== "") io.stdout.write(words.more(details, checkCommand));
  io.stdout.write(howToStart);
  return (isAsKnown ? 0 : code) || written.code;
}

/** Who answers, and which source still does not. */
function describeAnswers(
  { service, official, outputs }: Config,
  failed: readonly LivePart[],
  { words, untried }: WrittenSetup,
): string[] {
  const asked = [
    "broker" as const,
    ...(service.base_url === "none" ? [] : ["service" as const]),
    ...(official.source === "off" ? [] : ["official" as const]),
  ];
  const answering = asked.filter((part) => !failed.includes(part)).map((part) => words.parts[part]);
  const silent = untried.filter((part) => failed.includes(part)).map((part) => words.still_silent[part]);
  const messages = outputs.list.filter(({ message }) => message).length;
  return [words.checked(answering, outputs.list.length - messages, messages), ...silent];
}
