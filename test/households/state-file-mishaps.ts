/**
 * What may become of the state file while vigie is stopped. `earlier`: one that was written some writes ago has its place. `none`: the
 * folder is empty. `damaged`: no vigie can read it any more, or it is gone; `both`: nor the previous one. `back`: the one that was there
 * before that of a newer version.
 */
export type StateFileMishap =
  | { from: "earlier" | "none" | "older version" | "newer version" | "back" }
  | { from: "damaged"; how: Damage; both?: true };

/** `cut`: its first half. `zeroed`: as after a power cut. */
export type Damage = "cut" | "zeroed" | "empty" | "garbage" | "missing";

/** undefined: nothing is left. */
export function damage(file: Buffer, how: Damage): Buffer | undefined {
  switch (how) {
    case "cut":
      return file.subarray(0, file.length / 2);
    case "zeroed":
      return Buffer.alloc(file.length);
    case "empty":
      return Buffer.alloc(0);
    case "garbage":
      return Buffer.from(file.map((byte) => byte ^ 0xa5));
    case "missing":
      return undefined;
  }
}

export function ofNewerVersion(file: Buffer): Buffer {
  return Buffer.from(JSON.stringify({ ...JSON.parse(String(file)), version: 99, more: true }));
}

/** As a vigie wrote it that knew one official colour of a day, the service's, and no words of RTE. */
export function ofVersion2(file: Buffer): Buffer {
  const { official_words: _words, official_clients: _clients, books, ...rest } = JSON.parse(String(file));
  const older = Object.entries<Book>(books).map(([source, book]) => [
    source,
    { ...book, days: mapped(book) },
  ]);
  return Buffer.from(JSON.stringify({ ...rest, version: 2, books: Object.fromEntries(older) }));
}

interface Book {
  days: Record<string, { service_word?: { first_said: number; confirmed: boolean } }>;
}

function mapped({ days }: Book): Record<string, unknown> {
  const older = Object.entries(days).map(([date, { service_word, ...day }]) => {
    if (!service_word) return [date, day];
    const { first_said: seen_at, confirmed: final, ...word } = service_word;
    return [date, { ...day, official: { ...word, seen_at, final } }];
  });
  return Object.fromEntries(older);
}
