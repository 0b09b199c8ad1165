/** Replaces these secrets, as they are and as an address encodes them, and the user and password of any address. */
export function maskSecrets(text: string, secrets: readonly string[] = []): string {
  const spellings = secrets.flatMap((secret) => [secret, asInAddress(secret)]);
  const longestFirst = spellings
    .filter((secret) => secret !== "")
    .sort((one, other) => other.length - one.length);
  return longestFirst
    .reduce((masked, secret) => masked.replaceAll(secret, () => MASK), text)
    .replaceAll(CREDENTIALS, `$1${MASK}@`);
}

function asInAddress(secret: string): string {
  // Through bytes: encodeURIComponent throws on half of a surrogate pair.
  return encodeURIComponent(Buffer.from(secret).toString());
}

const MASK = "***";
const CREDENTIALS = /\b([a-z][a-z\d+.-]{1,20}:\/\/)[^\s/?#"'<>]*@/gi;
