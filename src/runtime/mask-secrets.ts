/** The text without secrets: neither one of these, as it is or as an address spells it, nor what stands before a host. */
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
  // By way of bytes: half a character, which no address can spell, would throw.
  return encodeURIComponent(Buffer.from(secret).toString());
}

const MASK = "***";
const CREDENTIALS = /\b([a-z][a-z\d+.-]{1,20}:\/\/)[^\s/?#"'<>]*@/gi;
