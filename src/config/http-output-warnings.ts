import { access, constants } from "node:fs/promises";
import type { Output } from "../core/outputs/output.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import type { Config } from "./config.ts";
import { placeOfAddress, SECRET } from "./output-address.ts";
import { isPrivateHost } from "./private-host.ts";
import type { Warning } from "./warning.ts";

export function findRequestWarnings({ outputs }: Config, inContainer: boolean): Warning[] {
  return outputs.list.flatMap((output, index) => {
    const warnings = [
      ...secretsWrittenOut(output),
      ...secretsInTheOpen(output),
      ...uselessAuthority(output),
      ...(inContainer ? localNames(output) : []),
    ];
    return warnings.map(({ path, words }) => ({ path: ["outputs", index, ...path], words }));
  });
}

interface Address {
  path: PropertyKey[];
  address: string;
}

export function addressesOf({ to, confirm }: Output): Address[] {
  return [
    ...(to.kind === "http" ? [{ path: ["url"], address: to.url }] : []),
    ...(confirm?.from.kind === "http" ? [{ path: ["confirm", "url"], address: confirm.from.url }] : []),
  ];
}

/** What stands in the configuration is read by whoever helps with it, and is in each backup. */
function secretsWrittenOut(output: Output): Warning[] {
  const inAddresses = addressesOf(output).flatMap(({ path, address }) => {
    const words = secretInAddress(address);
    return words === undefined ? [] : [{ path, words }];
  });
  return [...inAddresses, ...secretsInHeaders(output)];
}

const INTO_A_FILE = "Put it into a file, name that file as secret_file, and write {secret} in its place";

function secretInAddress(address: string): string | undefined {
  const { password, pathname, searchParams } = new URL(address);
  if (password !== "") {
    return 'the password is written out in this address. Put user:password in base64 into a file, name that file as secret_file, and write headers: { Authorization: "Basic {secret}" } instead of it';
  }
  const [key] = [...searchParams].find(([name, value]) => isNameOfSecret(name) && isWrittenOut(value)) ?? [];
  if (key !== undefined) return `what follows ${key}= is written out in this address. ${INTO_A_FILE}`;
  const isBot = pathname.split("/").some((part) => /^bot\d+(:|%3a)./i.test(part));
  return isBot ? `the token of the bot is written out in this address. ${INTO_A_FILE}` : undefined;
}

function secretsInHeaders({ access: requests }: Output): Warning[] {
  return Object.entries(requests?.headers ?? {})
    .filter(([name, value]) => isHeaderOfSecret(name) && isWrittenOut(value))
    .map(([name]) => ({
      path: ["headers", name],
      words: `it is probably a secret, and is written out. ${INTO_A_FILE}`,
    }));
}

function isNameOfSecret(name: string): boolean {
  return /^(access[_-]?token|auth|api[_-]?key|apikey|key|pass|passwd|password|pwd|secret|token)$/i.test(name);
}

function isHeaderOfSecret(name: string): boolean {
  return /authorization|token|secret|password|api-?key|gotify-key/i.test(name);
}

function isWrittenOut(value: string): boolean {
  return value !== "" && !value.includes(SECRET);
}

function secretsInTheOpen(output: Output): Warning[] {
  return addressesOf(output)
    .filter(({ address }) => carriesSecret(address, output) && crossesInternetOpenly(address))
    .map(({ path, address }) => ({
      path,
      words: `a secret is sent to ${placeOfAddress(address)} without encryption, and anyone on its way can read it (expected https://, or an address in the home)`,
    }));
}

function carriesSecret(address: string, { access: requests }: Output): boolean {
  const inHeaders = Object.entries(requests?.headers ?? {}).some(
    ([name, value]) => value.includes(SECRET) || isHeaderOfSecret(name),
  );
  return inHeaders || address.includes(SECRET) || secretInAddress(address) !== undefined;
}

function crossesInternetOpenly(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isPrivateHost(hostname);
}

function uselessAuthority(output: Output): Warning[] {
  const isEncrypted = addressesOf(output).some(({ address }) => new URL(address).protocol === "https:");
  if (output.access?.ca_file === undefined || isEncrypted) return [];
  const words = "set, but no address of this output is encrypted (expected https://)";
  return [{ path: ["tls", "ca_file"], words }];
}

/** They are found by multicast, which does not reach into a container. */
function localNames(output: Output): Warning[] {
  return addressesOf(output)
    .filter(({ address }) => /\.local\.?$/.test(new URL(address).hostname))
    .map(({ path }) => ({
      path,
      words:
        "a name that ends in .local is usually not found from inside a container. Write the IP address of the device, which the router can keep the same",
    }));
}

/** Only a warning: the file of one output must not keep vigie from the others, and both files are read when they are needed. */
export async function findUnreadableOutputFiles({ outputs }: Config): Promise<Warning[]> {
  const files = outputs.list.flatMap(({ access: requests }, index) => [
    { path: ["outputs", index, "secret_file"], file: requests?.secret_file },
    { path: ["outputs", index, "tls", "ca_file"], file: requests?.ca_file },
  ]);
  const warnings: Warning[] = [];
  for (const { path, file } of files) {
    if (file === undefined) continue;
    try {
      await access(file, constants.R_OK);
    } catch (error) {
      // The file is not named: what stands there may be the secret itself.
      const words = `the file that is named there cannot be read now (${describeDiskError(error)}): without it no request of this output can be sent`;
      warnings.push({ path, words });
    }
  }
  return warnings;
}
