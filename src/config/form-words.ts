import { FORM_LABELS } from "./form-labels.ts";
import type { Path } from "./shown-value.ts";

export type FormLanguage = "fr" | "en";

/** `Rules 2, Colour`: the place of a value, as whoever fills in the form sees it. */
export function labelOf(language: FormLanguage, path: Path): string {
  const [field, index, inner] = path;
  const label = FORM_LABELS[language][String(field)];
  const row = typeof index === "number" ? ` ${index + 1}` : "";
  const ofInner = inner === undefined ? "" : `, ${label?.fields?.[String(inner)]?.name ?? String(inner)}`;
  return `${label?.name ?? String(field ?? "options.json")}${row}${ofInner}`;
}

const en = {
  problem: (place: string, expected: string, got: string) => `${place}: expected ${expected}, got ${got}`,
  nothing: "nothing",
  hidden: "a text that is not shown",
  something: "a list or a group",
  damaged: "a text that is damaged",
  list: "a list",
  at_most: (count: number) => `at most ${count} rows`,
  rows: (count: number) => `${count} rows`,
  group: "a group of fields",
  text: "a text of at most 200 characters",
  yes_or_no: "true or false",
  one_of: (words: string) => `one of ${words}`,
  official_needed: "true, because without a service address nobody else names a colour",
  service: "an address that begins with https:// or http://, without user, password, ? and #",
  broker: "an address such as mqtt://192.168.1.10:1883, without ? and #",
  username_needed: "a user, because there is a password",
  id: "small letters and digits, joined by single underscores, at most 40 characters, such as rouge_peak",
  id_once: "an id that no other rule has",
  percent: "a whole percent from 0 to 100",
  minutes: "whole minutes from 0 to 1440",
  between: "two different times of day, such as 03:30-06:00",
  name: "a name with letters or digits, of at most 100 characters",
  name_once: "a name of its own for each device",
  place: "the beginning of a topic, without + and #, without / at the beginning and the end",
  relay: "the number of the relay",
  device_once: (row: number) =>
    `a device, or a relay of it, that no other row has: row ${row} has the same one`,
  one_relay: (row: number) =>
    `another device than that of row ${row}, because vigie can command only one relay of such a device over MQTT`,
  known_rule: (ids: string) => `the id of a rule (${ids})`,
  for_other: "nothing, because only the kind other has it",
  payload: "a message, such as off",
  date: "a date, such as 2027-02-01",
  date_once: "a date that no other row has",
  price: "a price in EUR per kWh from 0 to 5, such as 0.1654",
  json: "JSON, as Home Assistant writes it",
  unreadable: (path: string, why: string) => `${path} cannot be read: ${why}`,
  missing: "it does not exist",
  not_allowed: "this user has no permission",
  no_file: "it is no file, or one that is much too large",
  disk_error: (code: string) => `the disk reports an error (${code})`,
};

/** Both languages have every text: the compiler names one that lacks. */
export type FormWords = typeof en;

const fr: FormWords = {
  problem: (place, expected, got) => `${place}\u00a0: attendu ${expected}, reçu ${got}`,
  nothing: "rien",
  hidden: "un texte qui n’est pas affiché",
  something: "une liste ou un groupe",
  damaged: "un texte endommagé",
  list: "une liste",
  at_most: (count) => `${count} lignes au plus`,
  rows: (count) => `${count} lignes`,
  group: "un groupe de champs",
  text: "un texte de 200 caractères au plus",
  yes_or_no: "true (oui) ou false (non)",
  one_of: (words) => `un de ces mots (${words})`,
  official_needed: "oui, car sans adresse de service personne d’autre ne donne de couleur",
  service: "une adresse qui commence par https:// ou http://, sans utilisateur ni mot de passe, sans ? ni #",
  broker: "une adresse comme mqtt://192.168.1.10:1883, sans ? ni #",
  username_needed: "un utilisateur, puisqu’il y a un mot de passe",
  id: "des minuscules sans accent et des chiffres, séparés par des tirets bas, 40 caractères au plus, comme rouge_peak",
  id_once: "un identifiant qu’aucune autre règle n’a",
  percent: "un pourcentage entier, de 0 à 100",
  minutes: "un nombre entier de minutes, de 0 à 1440",
  between: "deux heures différentes, comme 03:30-06:00",
  name: "un nom avec des lettres ou des chiffres, de 100 caractères au plus",
  name_once: "un nom différent pour chaque appareil",
  place: "le début d’un topic, sans + ni #, sans / au début ni à la fin",
  relay: "le numéro du relais",
  device_once: (row) =>
    `un appareil, ou un de ses relais, qu’aucune autre ligne n’a (la ligne ${row} a le même)`,
  one_relay: (row) =>
    `un autre appareil que celui de la ligne ${row}, car vigie ne peut commander par MQTT qu’un seul relais d’un tel appareil`,
  known_rule: (ids) => `l’identifiant d’une règle (${ids})`,
  for_other: "rien, car seul le type other l’utilise",
  payload: "un ordre, comme off",
  date: "une date, comme 2027-02-01",
  date_once: "une date qu’aucune autre ligne n’a",
  price: "un prix en euros par kWh de 0 à 5, comme 0.1654",
  json: "du JSON, comme Home Assistant l’écrit",
  unreadable: (path, why) => `${path} ne peut pas être lu\u00a0: ${why}`,
  missing: "il n’existe pas",
  not_allowed: "cet utilisateur n’en a pas le droit",
  no_file: "ce n’est pas un fichier, ou il est beaucoup trop gros",
  disk_error: (code) => `le disque signale une erreur (${code})`,
};

export const FORM_WORDS: Readonly<Record<FormLanguage, FormWords>> = { fr, en };
