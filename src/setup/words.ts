import type { DeviceKind, DeviceUse } from "../config/device-templates.ts";
import { endpoints } from "../core/contract/endpoints.ts";
import type { BrokerProblem } from "./broker.ts";
import type { NamedDay, SourceAnswer, SourceProblem } from "./try-sources.ts";

export type Language = "fr" | "en";

/** The language of the system: the first of these variables that is set counts. */
export function languageOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): Language {
  return /^fr(?![a-z])/i.test(LC_ALL || LC_MESSAGES || LANG || "") ? "fr" : "en";
}

/** Asked before a language is known. */
export const WHICH_LANGUAGE = "Langue / Language";

/** What vigie adds to the address of a service. */
const BELOW = endpoints.forecasts.path;

const dayInFrench = ({ color, confidence }: NamedDay) => {
  if (color === null) return "pas encore connu";
  return confidence === null ? color : `${color} (prévision, ${Math.round(confidence * 100)}\u00a0%)`;
};

const dayInEnglish = ({ color, confidence }: NamedDay) => {
  if (color === null) return "not known yet";
  return confidence === null ? color : `${color} (forecast, ${Math.round(confidence * 100)} %)`;
};

const fr = {
  title: "vigie\u00a0: mise en route",
  hello:
    "Chaque réponse est vérifiée aussitôt. Rien n’est écrit avant la dernière question\u00a0; Ctrl-C arrête tout sans rien changer.",
  yes: "Oui",
  no: "Non",
  stopped: "Arrêté\u00a0: rien n’a été écrit.",
  not_answering: (options: string) =>
    `il n’y a pas de terminal pour répondre, ou l’option --yes est donnée. Il manque\u00a0: ${options} (vigie setup --help)`,
  again: "Réessayer",
  what_now: "Que faire\u00a0?",
  keep_anyway: "Garder cette réponse quand même",

  file_unusable: (file: string, why: string) => `${file} ne peut pas être écrit\u00a0: ${why}`,
  /** By the code of the system. Where there are none, the words of the other commands are said. */
  disk: {
    EACCES: "cet utilisateur n’en a pas le droit",
    EPERM: "cet utilisateur n’en a pas le droit",
    EROFS: "il est en lecture seule",
    ENOSPC: "le disque est plein",
    EISDIR: "c’est un dossier",
    ENOTDIR: "une partie de son chemin est un fichier, pas un dossier",
    ENOENT: "il n’existe pas",
  } as Record<string, string>,
  file_as_root: (file: string) => `${file} ne peut être écrit que par root\u00a0: sudo vigie setup`,
  file_exists: (file: string, copy: string) =>
    `${file} existe déjà. Le remplacer à la fin\u00a0? L’ancien sera gardé sous le nom ${copy}.`,
  file_switches: (file: string, devices: string) =>
    `${file} commande\u00a0: ${devices}. vigie ne commandera plus un appareil que vous n’ajoutez pas de nouveau.`,
  file_exists_script: (file: string) =>
    `${file} existe déjà\u00a0: --yes le remplace et en garde une copie, --config FICHIER écrit ailleurs`,
  file_shipped: (file: string, copy: string) =>
    `${file} est encore le fichier livré avec vigie\u00a0: il sera remplacé, et gardé sous le nom ${copy}.`,

  which_source: "D’où viennent les couleurs des jours\u00a0?",
  source_none: "De RTE, qui en décide",
  source_none_hint: "sans compte ni service\u00a0; conseillé si vous n’avez pas de service de prévision",
  source_address: "D’un service de prévision, et de RTE",
  source_address_hint: "si quelqu’un vous a donné une adresse",
  source_look: "De nulle part\u00a0: je veux seulement voir à quoi vigie ressemble",
  source_look_hint: "avec des jours inventés",
  only_look:
    "Pour cela, il n’y a rien à régler. Un hiver en quelques minutes\u00a0: npx vigie demo. Ou, dans le dossier du projet\u00a0: npm start",
  service_address: `L’adresse du service (tout ce qui précède ${BELOW})`,
  not_an_address: `une adresse qui commence par https:// ou http://, sans ${BELOW}, par exemple https://previsions.example.org`,
  not_official: "--official\u00a0: rte, off (avec un service), ou une adresse qui commence par https://",
  days: (source: string, { today, tomorrow, forecasts }: SourceAnswer) => {
    const days = forecasts === 1 ? "1 jour de prévision" : `${forecasts} jours de prévision`;
    const more = forecasts === null ? "" : `\u00a0; ${days}`;
    return `${source}\u00a0: aujourd’hui ${dayInFrench(today)}, demain ${dayInFrench(tomorrow)}${more}`;
  },
  source_problem: {
    away: "ne répond pas. L’adresse est-elle la bonne, et cette machine a-t-elle accès au réseau\u00a0?",
    not_found: `répond, mais n’a rien à cette adresse. Ce n’est peut-être pas tout ce qui précède ${BELOW}`,
    busy: "demande d’attendre avant la prochaine requête",
    other: "répond, mais pas comme un service que vigie sait lire",
  } satisfies Record<SourceProblem, string>,
  /** Of RTE, whose address vigie knows. */
  rte_problem: {
    away: "ne répond pas. Cette machine a-t-elle accès à Internet\u00a0?",
    not_found: "répond, mais pas à l’adresse que vigie connaît",
    other: "répond, mais pas comme vigie s’y attend",
  },
  other_address: "Donner une autre adresse",
  without_service: "Se passer du service\u00a0: RTE seul",
  without_rte: "Se passer de RTE",
  taken_untried: (name: string) =>
    `${name}\u00a0: gardé sans réponse. vigie réessaiera jusqu’à en avoir une.`,

  which_broker:
    "Quel broker MQTT\u00a0? C’est lui qui transmet les messages entre vigie, vos appareils et Home Assistant.",
  no_broker_found: "Aucun broker n’a été trouvé sur cette machine, ni du côté de Home Assistant.",
  broker_wants_login: "demande un mot de passe",
  broker_other: "Un autre",
  broker_address: "Son adresse",
  not_a_broker: "une adresse comme 192.168.1.10, mqtt://192.168.1.10:1883 ou mqtts://broker.lan",
  broker_open: (version: number): string => (version === 5 ? "répond (MQTT 5)" : "répond (MQTT 3.1.1)"),
  broker_problem: {
    login: "refuse l’utilisateur ou le mot de passe",
    not_listening: "n’écoute pas\u00a0: est-il démarré, et le port est-il le bon\u00a0?",
    unknown_name: "a un nom inconnu. Ce nom est-il le bon\u00a0? Sinon, donnez l’adresse IP",
    unreachable:
      "n’est pas joignable\u00a0: la machine est-elle allumée, et le réseau fonctionne-t-il\u00a0?",
    wants_tls: "n’accepte que des connexions chiffrées (TLS) sur ce port",
    no_tls: "n’a pas de chiffrement (TLS) sur ce port",
    unknown_authority: "a un certificat que cette machine ne connaît pas",
    other_name: "a un certificat pour un autre nom\u00a0: donnez ce nom comme adresse",
    not_valid_now: "a un certificat expiré, ou l’horloge de cette machine est fausse",
    not_mqtt:
      "répond, mais pas en MQTT\u00a0: c’est sans doute le port d’un autre programme. Celui d’un broker est d’ordinaire 1883, ou 8883 avec TLS",
    silent: "accepte la connexion, mais ne dit rien",
    closed: "ferme la connexion sans rien dire\u00a0: est-ce bien le port d’un broker\u00a0?",
  } satisfies Partial<Record<BrokerProblem, string>>,
  broker_wants_user:
    "demande un utilisateur et un mot de passe. Avec Home Assistant, on y crée l’utilisateur\u00a0: Paramètres → Personnes → Utilisateurs",
  /** Of any other problem; why is said below it, in the words of the log. */
  broker_unusable: "ne peut pas être utilisé",
  use_address: (url: string) => `Essayer ${url}\u00a0?`,
  use_plain_address: (url: string) =>
    `Essayer ${url}\u00a0? Le mot de passe passerait en clair sur votre réseau.`,
  ca_file:
    "Le certificat de votre propre autorité de certification (un fichier PEM)\u00a0; laissez vide pour une autre adresse",
  type_again: "Donner de nouveau l’utilisateur et le mot de passe\u00a0? (Non\u00a0: un autre broker)",
  username: "Utilisateur pour ce broker",
  password: "Mot de passe (il va dans un fichier que vous seul pouvez lire)",
  not_empty: "Cette réponse ne peut pas être vide.",
  password_unread: (file: string, why: string) =>
    `Le mot de passe ne peut pas être lu dans ${file}\u00a0: ${why}`,
  home_assistant:
    "Home Assistant utilise ce broker\u00a0: vigie y apparaîtra comme un appareil, sans rien configurer.",
  no_home_assistant:
    "Home Assistant n’a pas été vu sur ce broker. S’il s’y connecte plus tard, il trouvera vigie tout seul.",
  may_not_look:
    "Cet utilisateur ne peut pas voir tous les topics du broker\u00a0: les appareils sont à saisir à la main.",

  which_use: (count: number): string =>
    count === 0 ? "Un appareil à couper quand le courant est cher\u00a0?" : "Encore un appareil\u00a0?",
  uses: {
    boiler: "Le ballon d’eau chaude",
    car: "La recharge de la voiture",
    heating: "Le chauffage",
    other: "Autre chose",
  } satisfies Record<DeviceUse, string>,
  use_hints: {
    boiler: "coupé pendant les heures pleines des jours rouges",
    car: "coupée pendant les heures pleines des jours rouges et blancs",
    heating: "coupé, ou baissé, pendant les heures pleines des jours rouges",
    other: "coupé pendant les heures pleines des jours rouges",
  } satisfies Record<DeviceUse, string>,
  no_device: "Non, c’est tout",
  looking: "vigie écoute pendant dix secondes quels appareils publient sur ce broker…",
  relay: (name: string) => (/^\d+$/.test(name) ? `relais ${name}` : name),
  which_device: "Lequel\u00a0? Voici les appareils vus sur ce broker.",
  look_again: "Écouter encore dix secondes",
  device_typed: "Un autre, à saisir à la main",
  which_kind: "De quel type est-il\u00a0?",
  kinds: {
    shelly_gen1: "Shelly, première génération (Shelly 1, 1PM, Plug S…)",
    shelly_gen2: "Shelly, deuxième génération et suivantes (Plus, Pro, Gen3…)",
    tasmota: "Tasmota",
    zigbee2mqtt: "zigbee2mqtt",
    esphome: "ESPHome",
    openbeken: "OpenBeken",
    other: "Un autre, qui reçoit ses ordres par MQTT",
  } satisfies Record<DeviceKind, string>,
  which_place: {
    shelly_gen1: "Le début de ses topics, avec shellies/",
    shelly_gen2: "Le début de ses topics («\u00a0MQTT prefix\u00a0» dans ses réglages)",
    tasmota: "Son topic («\u00a0Topic\u00a0» dans ses réglages MQTT)",
    zigbee2mqtt: "Le début de ses topics, avec zigbee2mqtt/",
    esphome: "Le nom du nœud, qui est le début de ses topics",
    openbeken: "Son nom («\u00a0Client Topic\u00a0» dans ses réglages MQTT)",
  } satisfies Record<Exclude<DeviceKind, "other">, string>,
  which_relay: "Lequel de ses relais\u00a0? Laissez vide s’il n’en a qu’un",
  not_a_relay: "Attendu\u00a0: le numéro du relais, par exemple 0 ou 1.",
  not_tried: (topic: string) =>
    `${topic} n’est pas essayé\u00a0: ce qui est entre accolades n’est connu qu’une fois vigie démarré.`,
  which_switch: "L’id de son interrupteur (switch)",
  other_topic: "Le topic où il reçoit ses ordres",
  other_payload: "L’ordre pendant les heures chères (off, 17…)",
  other_else: "L’ordre pour le reste du temps (on, 20…)\u00a0; laissez vide s’il n’y en a pas",
  other_report: "Le topic où il donne son état, avec les mêmes mots\u00a0; laissez vide s’il ne le donne pas",
  which_name: "Son nom, pour vous",
  device_refused: "Cet appareil est refusé ainsi\u00a0:",
  try_it: (off: string, on: string | null) =>
    on === null
      ? `L’essayer maintenant\u00a0? vigie envoie ${off}, et rien ensuite.`
      : `L’essayer maintenant\u00a0? vigie envoie ${off}, puis ${on} quelques secondes après.`,
  try_switch: (off: string, on: string) =>
    `L’essayer maintenant\u00a0? vigie coupe l’appareil${off}, puis le remet en marche${on} quelques secondes après.`,
  confirmed: (report: string, answer: string) => `confirmé par ${report}\u00a0: ${answer}`,
  not_confirmed: (report: string) => `${report} ne l’a pas confirmé en cinq secondes`,
  answers_other: (report: string, answer: string) => `${report} dit autre chose\u00a0: ${answer}`,
  sent_only: "envoyé\u00a0; cet appareil ne dit pas ce qu’il fait",
  not_taken_back: (topic: string, payload: string) =>
    `L’appareil n’a pas pu être remis comme avant\u00a0: envoyez-lui ${payload} sur ${topic}, ou servez-vous de son bouton.`,
  device_unsure: "Cet appareil n’a pas confirmé.",
  keep_device: "Le garder quand même",
  drop_device: "Ne pas le garder",

  write: (file: string) => `Écrire ${file}\u00a0?`,
  written: (file: string) => `${file} est écrit.`,
  copied: (copy: string) => `L’ancien fichier est ${copy}.`,
  password_written: (file: string) =>
    `Le mot de passe est dans ${file}, que son propriétaire seul peut lire.`,
  check: {
    checking: "Vérification\u00a0:",
    /** The last one is put behind "et". */
    checked: (answering: readonly string[], devices: number) => {
      const names = answering.join(", ").replace(/, ([^,]*)$/, " et $1");
      const count = devices === 0 ? "aucun appareil" : devices === 1 ? "1 appareil" : `${devices} appareils`;
      return `${names} ${answering.length === 1 ? "répond" : "répondent"}, ${count}.`;
    },
    parts: { broker: "le broker", service: "le service de prévision", official: "RTE" },
    still_silent: {
      service: "Le service de prévision ne répond toujours pas\u00a0; vigie réessaiera.",
      official: "RTE ne répond toujours pas\u00a0; vigie réessaiera.",
    },
    check_failed: "tout ne va pas. Voici ce que dit vigie check --live (en anglais)\u00a0:",
  },
  start_title: "Pour démarrer vigie\u00a0:",
  start_systemd:
    "  sudo systemctl enable --now vigie   maintenant, et au démarrage de la machine\n  sudo systemctl restart vigie        s’il tournait déjà",
  start_docker:
    "  docker restart vigie\nLa première fois\u00a0: docker run avec ce même volume (docs/fr/docker-nas.md).",
  start_npm: (config: string) =>
    `  npm start${config}\n  sudo sh systemd/install.sh   comme service (docs/fr/raspberry-pi.md)\n\nAvec Docker, la mise en route se fait dans le conteneur (docs/fr/docker-nas.md)\u00a0:\n  docker run --rm -it -v vigie-state:/data vigie setup`,
  start_try_line: (line: string) =>
    `Pour essayer un jour rouge, quel que soit le jour, une fois vigie démarré\u00a0:\n  ${line}\nPour finir, la même ligne avec auto à la place de rouge.`,
  start_try:
    "Pour essayer un jour rouge, quel que soit le jour\u00a0: publiez rouge sur vigie/simulation/set, puis auto pour finir.",

  comments: {
    top: (help: string) =>
      `La configuration de vigie, écrite par «\u00a0vigie setup\u00a0».\n${help}\n«\u00a0vigie check\u00a0» trouve les erreurs. vigie relit ce fichier dès qu’il change\u00a0; s’il est faux, l’ancien reste en vigueur.`,
    help_copy: (copy: string) => `Toutes les options sont expliquées dans ${copy} (en anglais).`,
    help_other:
      "Toutes les options sont expliquées dans le fichier config/vigie.yaml livré avec vigie (en anglais).",
    password_systemd: (file: string) =>
      `Le mot de passe est dans ${file}\u00a0: systemd le transmet au service.`,
    above: {
      service: "Les prévisions. «\u00a0none\u00a0»\u00a0: aucune, les couleurs officielles seules.",
      official: "Les couleurs officielles, de RTE, qui en décide.",
      mqtt: "Le broker MQTT.",
      homeassistant: "La langue des noms dans Home Assistant\u00a0: fr ou en.",
      rules: "Les règles\u00a0: chacune est ON ou OFF. «\u00a0vigie explain\u00a0» dit pourquoi.",
      outputs:
        "Les appareils\u00a0: l’ordre du premier «\u00a0choose\u00a0» dont la règle est ON, sinon celui de «\u00a0else\u00a0».\n«\u00a0confirm\u00a0»\u00a0: l’ordre est renvoyé jusqu’à ce que l’appareil le confirme, et s’il change d’avis («\u00a0keep\u00a0»).",
    },
  },
};

export type Words = typeof fr;

const en: Words = {
  title: "vigie: set-up",
  hello:
    "Each answer is tried at once. Nothing is written before the last question; Ctrl-C ends without any change.",
  yes: "Yes",
  no: "No",
  stopped: "Stopped: nothing was written.",
  not_answering: (options) =>
    `there is no terminal for answers, or --yes is set. Missing: ${options} (vigie setup --help)`,
  again: "Try again",
  what_now: "What now?",
  keep_anyway: "Keep this answer all the same",

  file_unusable: (file, why) => `${file} cannot be written: ${why}`,
  disk: {},
  file_as_root: (file) => `only root can write ${file}: sudo vigie setup`,
  file_exists: (file, copy) => `${file} exists. Replace it at the end? It is kept as ${copy}.`,
  file_switches: (file, devices) =>
    `${file} switches: ${devices}. vigie will no longer switch a device that you do not add again.`,
  file_exists_script: (file) =>
    `${file} exists: --yes replaces it and keeps a copy, --config FILE writes another file`,
  file_shipped: (file, copy) =>
    `${file} is still the file that vigie ships: it will be replaced, and kept as ${copy}.`,

  which_source: "Where do the colours of the days come from?",
  source_none: "From RTE, who decides them",
  source_none_hint: "needs no account and no service; recommended if you have no forecast service",
  source_address: "From a forecast service, and RTE",
  source_address_hint: "if somebody has given you an address",
  source_look: "From nowhere: I only want to look at vigie",
  source_look_hint: "with invented days",
  only_look:
    "Nothing has to be set up for that. A winter in minutes: npx vigie demo. Or, in the folder of the project: npm start",
  service_address: `The address of the service (everything before ${BELOW})`,
  not_an_address: `an address that begins with https:// or http://, without ${BELOW}, such as https://forecast.example.org`,
  not_official: "--official: rte, off (with a service), or an address that begins with https://",
  days: (source, { today, tomorrow, forecasts }) => {
    const days = forecasts === 1 ? "1 day of forecast" : `${forecasts} days of forecast`;
    const more = forecasts === null ? "" : `; ${days}`;
    return `${source}: today ${dayInEnglish(today)}, tomorrow ${dayInEnglish(tomorrow)}${more}`;
  },
  source_problem: {
    away: "does not answer. Is the address right, and does this machine reach the network?",
    not_found: `answers, but has nothing at this address. Perhaps it is not everything before ${BELOW}`,
    busy: "asks for a pause before the next request",
    other: "answers, but not as a service that vigie can read",
  },
  rte_problem: {
    away: "does not answer. Does this machine reach the Internet?",
    not_found: "answers, but not at the address that vigie knows",
    other: "answers, but not as vigie expects",
  },
  other_address: "Another address",
  without_service: "Do without the service: RTE alone",
  without_rte: "Do without RTE",
  taken_untried: (name) => `${name}: kept without an answer. vigie will ask until there is one.`,

  which_broker: "Which MQTT broker? It passes messages between vigie, your devices and Home Assistant.",
  no_broker_found: "No broker was found on this machine, nor at Home Assistant.",
  broker_wants_login: "asks for a password",
  broker_other: "Another one",
  broker_address: "Its address",
  not_a_broker: "an address such as 192.168.1.10, mqtt://192.168.1.10:1883 or mqtts://broker.lan",
  broker_open: (version) => (version === 5 ? "answers (MQTT 5)" : "answers (MQTT 3.1.1)"),
  broker_problem: {
    login: "refuses the user or the password",
    not_listening: "is not listening: is it running, and is the port right?",
    unknown_name: "has an unknown name. Is the name right? Otherwise use the IP address",
    unreachable: "cannot be reached: is the machine on, and does the network work?",
    wants_tls: "accepts only encrypted connections (TLS) on this port",
    no_tls: "has no encryption (TLS) on this port",
    unknown_authority: "has a certificate that this machine does not know",
    other_name: "has a certificate for another name: use that name as the address",
    not_valid_now: "has a certificate that has expired, or the clock of this machine is wrong",
    not_mqtt:
      "answers, but not in MQTT: this is probably the port of another program. A broker usually has 1883, or 8883 with TLS",
    silent: "takes the connection and says nothing",
    closed: "closes the connection without a word: is this the port of a broker?",
  },
  broker_wants_user:
    "asks for a user and a password. With Home Assistant, the user is made there: Settings → People → Users",
  broker_unusable: "cannot be used",
  use_address: (url) => `Try ${url}?`,
  use_plain_address: (url) => `Try ${url}? The password would cross your network as plain text.`,
  ca_file: "The file with the certificate of your own authority (PEM); empty for another address",
  type_again: "Type user and password again? (No: another broker)",
  username: "User for this broker",
  password: "Password (it goes into a file that only you can read)",
  not_empty: "This answer cannot be empty.",
  password_unread: (file, why) => `The password cannot be read from ${file}: ${why}`,
  home_assistant:
    "Home Assistant uses this broker: vigie will appear there as a device, with nothing to configure.",
  no_home_assistant:
    "Home Assistant was not seen on this broker. If it comes later, it finds vigie by itself.",
  may_not_look: "This user may not see all topics of the broker: devices have to be typed.",

  which_use: (count) =>
    count === 0 ? "A device to switch off while electricity is expensive?" : "Another device?",
  uses: {
    boiler: "The boiler, for hot water",
    car: "The car charger",
    heating: "The heating",
    other: "Something else",
  },
  use_hints: {
    boiler: "off in the peak hours of rouge days",
    car: "off in the peak hours of rouge and blanc days",
    heating: "off, or lower, in the peak hours of rouge days",
    other: "off in the peak hours of rouge days",
  },
  no_device: "No, that is all",
  looking: "vigie looks for ten seconds which devices speak on this broker…",
  relay: (name) => (/^\d+$/.test(name) ? `relay ${name}` : name),
  which_device: "Which one? These devices were seen on this broker.",
  look_again: "Look for ten more seconds",
  device_typed: "Another one, to be typed",
  which_kind: "What kind of device is it?",
  kinds: {
    shelly_gen1: "Shelly, first generation (Shelly 1, 1PM, Plug S…)",
    shelly_gen2: "Shelly, second generation and later (Plus, Pro, Gen3…)",
    tasmota: "Tasmota",
    zigbee2mqtt: "zigbee2mqtt",
    esphome: "ESPHome",
    openbeken: "OpenBeken",
    other: "Another one that takes commands over MQTT",
  },
  which_place: {
    shelly_gen1: "The beginning of its topics, with shellies/",
    shelly_gen2: 'The beginning of its topics ("MQTT prefix" in its settings)',
    tasmota: 'Its topic ("Topic" in its MQTT settings)',
    zigbee2mqtt: "The beginning of its topics, with zigbee2mqtt/",
    esphome: "The name of the node, which is the beginning of its topics",
    openbeken: 'Its name ("Client Topic" in its MQTT settings)',
  },
  which_relay: "Which of its relays? Empty if it has only one",
  not_a_relay: "Expected the number of the relay, such as 0 or 1.",
  not_tried: (topic) => `${topic} is not tried: what stands in braces is known only when vigie runs.`,
  which_switch: "The id of its switch",
  other_topic: "The topic on which it takes commands",
  other_payload: "The command in the expensive hours (off, 17…)",
  other_else: "The command for the rest of the time (on, 20…); empty for none",
  other_report: "The topic on which it reports its state, in the same words; empty if it does not",
  which_name: "Its name, for you",
  device_refused: "This device cannot be written like this:",
  try_it: (off, on) =>
    on === null
      ? `Try it now? vigie sends ${off}, and nothing after it.`
      : `Try it now? vigie sends ${off}, and ${on} a few seconds later.`,
  try_switch: (off, on) =>
    `Try it now? vigie switches the device off${off}, and on again${on} a few seconds later.`,
  confirmed: (report, answer) => `confirmed by ${report}: ${answer}`,
  not_confirmed: (report) => `${report} has not confirmed it within five seconds`,
  answers_other: (report, answer) => `${report} says something else: ${answer}`,
  sent_only: "sent; this device does not say what it does",
  not_taken_back: (topic, payload) =>
    `The device could not be set back: send it ${payload} on ${topic}, or use its button.`,
  device_unsure: "This device has not confirmed.",
  keep_device: "Keep it all the same",
  drop_device: "Do not keep it",

  write: (file) => `Write ${file}?`,
  written: (file) => `${file} is written.`,
  copied: (copy) => `The file before it is ${copy}.`,
  password_written: (file) => `The password is in ${file}, which only its owner can read.`,
  check: {
    checking: "Check:",
    checked: (answering, devices) => {
      const names = answering.join(", ").replace(/, ([^,]*)$/, " and $1");
      const count = devices === 0 ? "no device" : devices === 1 ? "1 device" : `${devices} devices`;
      return `${names} ${answering.length === 1 ? "answers" : "answer"}, ${count}.`;
    },
    parts: { broker: "the broker", service: "the forecast service", official: "RTE" },
    still_silent: {
      service: "The forecast service still does not answer; vigie will ask again.",
      official: "RTE still does not answer; vigie will ask again.",
    },
    check_failed: "not all is right. This is what vigie check --live says:",
  },
  start_title: "To start vigie:",
  start_systemd:
    "  sudo systemctl enable --now vigie   now, and with this machine\n  sudo systemctl restart vigie        if it was running",
  start_docker: "  docker restart vigie\nThe first time: docker run with this volume (docs/docker-nas.md).",
  start_npm: (config) =>
    `  npm start${config}\n  sudo sh systemd/install.sh   as a service (docs/raspberry-pi.md)\n\nWith Docker, the set-up runs in the container (docs/docker-nas.md):\n  docker run --rm -it -v vigie-state:/data vigie setup`,
  start_try_line: (line) =>
    `To try a rouge day, whatever day it is, once vigie runs:\n  ${line}\nTo end it, the same line with auto in place of rouge.`,
  start_try:
    "To try a rouge day, whatever day it is: publish rouge to vigie/simulation/set, then auto to end it.",

  comments: {
    top: (help) =>
      `The configuration of vigie, written by "vigie setup".\n${help}\n"vigie check" finds mistakes. A running vigie reads this file again when it changes; if it is wrong, the one before it stays in force.`,
    help_copy: (copy) => `${copy} explains every option.`,
    help_other: "The file config/vigie.yaml, as vigie ships it, explains every option.",
    password_systemd: (file) => `The password is in ${file}: systemd passes it to the service.`,
    above: {
      service: 'The forecasts. "none": none, only the official colours.',
      official: "The official colours, from RTE, who decides them.",
      mqtt: "The MQTT broker.",
      homeassistant: "The language of the names in Home Assistant: fr or en.",
      rules: 'The rules: each is ON or OFF. "vigie explain" says why.',
      outputs:
        'The devices: the payload of the first "choose" whose rule is ON, else that of "else".\n"confirm": it is sent again until the device confirms it, and when the device changes its mind ("keep").',
    },
  },
};

export const WORDS: Record<Language, Words> = { fr, en };
