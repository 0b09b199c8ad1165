import type { HttpConfig } from "../config/config.ts";
import type { Language } from "../core/discovery/entities.ts";

/** The language that the option names, else the one of the two that the browser likes best; English for all others. */
export function chooseLanguage(option: HttpConfig["language"], header = ""): Language {
  if (option !== "auto") return option;
  const liked = header.split(",").flatMap((part) => {
    const [, language, quality = "1"] = /^\s*(fr|en)(?:-[\w-]*)?\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(part) ?? [];
    return language ? [{ language: language.toLowerCase() as Language, quality: Number(quality) }] : [];
  });
  // Of two that are liked the same the first one; 0 means "not this one".
  const [best] = liked
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  return best?.language ?? "en";
}
