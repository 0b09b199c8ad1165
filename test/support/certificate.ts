import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lacking } from "./prepared.ts";

export const withoutOpenssl = lacking(
  spawnSync("openssl", ["version"]).status === 0,
  "openssl is not installed",
);

interface Certificate {
  /** The file of the certificate, which is its own authority. */
  path: string;
  cert: string;
  key: string;
}

/** A certificate for these names, such as `DNS:broker.lan`, in this folder. */
export function makeCertificate(folder: string, ...names: string[]): Certificate {
  const [path, keyPath] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const subject = ["-subj", "/CN=broker.lan", "-addext", `subjectAltName=${names.join(",")}`];
  execFileSync("openssl", ["req", ...kind, "-keyout", keyPath, "-out", path, ...subject], {
    stdio: "ignore",
  });
  return { path, cert: readFileSync(path, "utf8"), key: readFileSync(keyPath, "utf8") };
}
