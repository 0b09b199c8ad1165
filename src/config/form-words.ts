import type { Language } from "../core/calendar/day-in-words.ts";
import { endpoints } from "../core/contract/endpoints.ts";
import { FORM_LABELS } from "./form-labels.ts";
import type { Path } from "./shown-value.ts";

/** `Rules 2, Colour`: the place of a value, as whoever fills in the form sees it. */
export function labelOf(language: Language, path: Path): string {
  const [field, index, inner] = path;
  const label = FORM_LABELS[language][String(field)];
  const row = typeof index === "number" ? ` ${index + 1}` : "";
  const ofInner = inner === undefined ? "" : `, ${labelOfField(language, path)}`;
  return `${label?.name ?? String(field ?? "options.json")}${row}${ofInner}`;
}

/** `Colour`: the same without the row. */
export function labelOfField(language: Language, [field, , inner]: Path): string {
  return FORM_LABELS[language][String(field)]?.fields?.[String(inner)]?.name ?? String(inner);
}

/** From the top of the form to its end. */
export function compareInForm(one: Path, other: Path): number {
  const [left, right] = [placeInForm(one), placeInForm(other)];
  const at = left.findIndex((place, index) => place !== right[index]);
  return (left[at] ?? 0) - (right[at] ?? 0);
}

function placeInForm([field = "", row = -1, inner = ""]: Path): number[] {
  const labels = FORM_LABELS.fr;
  const ofInner = Object.keys(labels[String(field)]?.fields ?? {});
  return [Object.keys(labels).indexOf(String(field)), Number(row), ofInner.indexOf(String(inner))];
}

/** What vigie adds to the address of a service. */
const ADDED = endpoints.forecasts.path;

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
  service: `an address that begins with https:// or http://, without user, password, ? and #, and without ${ADDED}`,
  broker:
    "an address such as mqtt://192.168.1.10:1883, without ? and #, and without a path (ws:// may have one); a % in a password is written %25",
  user_once: "the user only once, here or in the address",
  username_needed: "a user, because there is a password",
  id: "small letters and digits, joined by single underscores, at most 40 characters, such as rouge_peak",
  id_once: "an id that no other rule has",
  id_of_outputs: "another id, because else and unknown mean something else",
  percent: "a whole percent from 0 to 100",
  percent_of_one: "a whole percent from 0 to 100, and not 1: 100 is certain",
  minutes: "whole minutes from 0 to 1440",
  between: "two different times of day, such as 03:30-06:00",
  name: "a name with letters or digits, of at most 100 characters",
  name_once: "a name of its own for each device",
  place: "the beginning of a topic, without + and #, without quotes, without / at the beginning and the end",
  not_own: "a topic that is neither below vigie/ nor below homeassistant/, where vigie itself publishes",
  other_report: "another topic than that of its commands, where vigie would receive its own message",
  long_topic: "a shorter text: with what vigie adds, a topic has at most 200 characters",
  placeholder: (known: string) => `only placeholders that vigie knows, such as ${known}`,
  one_brace: (name: string) => `one pair of braces: {${name}}`,
  relay: "the number of the relay",
  device_once: (row: number) =>
    `a device, or a relay of it, that is not there yet: device ${row} is the same one`,
  one_relay: (row: number) =>
    `another device than device ${row}, because vigie can command only one relay of such a device over MQTT`,
  report_once: (row: number) =>
    `another topic than that of device ${row}, because vigie would switch the device back for each of them`,
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
  service: `une adresse qui commence par https:// ou http://, sans utilisateur ni mot de passe, sans ? ni #, et sans ${ADDED}`,
  broker:
    "une adresse comme mqtt://192.168.1.10:1883, sans ? ni #, et sans chemin (sauf avec ws://)\u00a0; un % dans un mot de passe s’écrit %25",
  user_once: "l’utilisateur une seule fois, ici ou dans l’adresse",
  username_needed: "un utilisateur, puisqu’il y a un mot de passe",
  id: "des minuscules sans accent et des chiffres, séparés par des tirets bas, 40 caractères au plus, comme rouge_peak",
  id_once: "un identifiant qu’aucune autre règle n’a",
  id_of_outputs: "un autre identifiant, car else et unknown ont déjà un autre sens",
  percent: "un pourcentage entier, de 0 à 100",
  percent_of_one: "un pourcentage entier, de 0 à 100, et pas 1\u00a0: 100 veut dire certain",
  minutes: "un nombre entier de minutes, de 0 à 1440",
  between: "deux heures différentes, comme 03:30-06:00",
  name: "un nom avec des lettres ou des chiffres, de 100 caractères au plus",
  name_once: "un nom différent pour chaque appareil",
  place: "le début d’un topic, sans + ni #, sans guillemets, sans / au début ni à la fin",
  not_own: "un topic qui n’est ni sous vigie/ ni sous homeassistant/, où vigie publie lui-même",
  other_report: "un autre topic que celui de ses ordres, où vigie recevrait son propre message",
  long_topic: "un texte plus court, car un topic a 200 caractères au plus, avec ce que vigie y ajoute",
  placeholder: (known) => `seulement des variables que vigie connaît, comme ${known}`,
  one_brace: (name) => `une seule paire d’accolades, {${name}}`,
  relay: "le numéro du relais",
  device_once: (row) =>
    `un appareil, ou un de ses relais, qui n’est pas encore là (l’appareil ${row} est le même)`,
  one_relay: (row) =>
    `un autre appareil que l’appareil ${row}, car vigie ne peut commander par MQTT qu’un seul relais d’un tel appareil`,
  report_once: (row) =>
    `un autre topic que celui de l’appareil ${row}, car vigie insisterait pour l’un contre l’autre`,
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

export const FORM_WORDS: Readonly<Record<Language, FormWords>> = { fr, en };
