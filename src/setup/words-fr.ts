import type { DeviceKind, DeviceUse } from "../config/device-templates.ts";
import type { MessageField, MessageKind } from "../config/message-templates.ts";
import { endpoints } from "../core/contract/endpoints.ts";
import { codeOf } from "../runtime/error-code.ts";
import type { BrokerProblem } from "./broker.ts";
import type { MessageProblem } from "./try-message.ts";
import type { NamedDay, SourceAnswer, SourceProblem } from "./try-sources.ts";

/** What vigie adds to the address of a service. */
const BELOW = endpoints.forecasts.path;

const dayInFrench = ({ color, confidence }: NamedDay) => {
  if (color === null) return "pas encore connu";
  return confidence === null ? color : `${color} (prévision, ${Math.round(confidence * 100)}\u00a0%)`;
};

export interface MessageWords {
  label: string;
  hint: string | undefined;
  fields: Partial<Record<MessageField, string>>;
  /** What else has to be done for it to arrive; empty: nothing. */
  to_do: (server: string, secret: string) => string;
}

const NOTHING_TO_DO = () => "";

const RTE_IS_AWAY = "ne répond pas. Cette machine a-t-elle accès à Internet\u00a0?";

/** Words that follow the address of a source or of a broker. */
const networkProblems = {
  unreachable: "n’est pas joignable\u00a0: la machine est-elle allumée, et le réseau fonctionne-t-il\u00a0?",
  forbidden:
    "n’est pas joignable\u00a0: cette machine interdit la connexion. Voyez son pare-feu, ou les limites du conteneur",
  unknown_authority: "a un certificat que cette machine ne connaît pas",
  other_name: "a un certificat pour un autre nom\u00a0: donnez ce nom comme adresse",
  not_valid_now: "a un certificat expiré, ou l’horloge de cette machine est fausse",
  no_agreement_on_tls: "et vigie ne s’entendent pas sur le chiffrement TLS",
  other: "n’est pas joignable",
};

/** The same of a server that is asked over HTTP. */
const serverProblems = {
  ...networkProblems,
  not_listening:
    "ne répond pas\u00a0: rien n’écoute à cette adresse. Est-elle la bonne, et le service est-il démarré\u00a0?",
  unknown_name:
    "a un nom inconnu. L’adresse est-elle la bonne, et cette machine a-t-elle accès au réseau\u00a0?",
  no_tls: "n’a pas de chiffrement (TLS) à cette adresse\u00a0: commence-t-elle plutôt par http://\u00a0?",
  closed:
    "ferme la connexion sans répondre\u00a0: est-ce l’adresse d’un service, et non celle d’un broker\u00a0?",
  silent: "ne répond pas. L’adresse est-elle la bonne, et cette machine a-t-elle accès au réseau\u00a0?",
};

/** By the code of the system. */
const DISK_IN_FRENCH: Readonly<Record<string, string>> = {
  EACCES: "cet utilisateur n’en a pas le droit",
  EPERM: "cet utilisateur n’en a pas le droit",
  EROFS: "il est en lecture seule",
  ENOSPC: "le disque est plein",
  EDQUOT: "le quota de cet utilisateur sur le disque est épuisé",
  EISDIR: "c’est un dossier",
  ENOTDIR: "une partie de son chemin est un fichier, pas un dossier",
  ENOENT: "il n’existe pas",
};
const NO_TEXT_IN_FRENCH = "ce n’est pas un fichier de texte en UTF-8";

export const fr = {
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
  /** Why a file cannot be used: words that follow a colon. */
  disk: (error: unknown): string => {
    const code = codeOf(error);
    return (
      DISK_IN_FRENCH[code] ?? (code === "" ? NO_TEXT_IN_FRENCH : `le disque signale une erreur (${code})`)
    );
  },
  file_as_root: (file: string) => `${file} ne peut être écrit que par root\u00a0: sudo vigie setup`,
  file_exists: (file: string, copy: string) =>
    `${file} existe déjà. Le remplacer à la fin\u00a0? L’ancien sera gardé sous le nom ${copy}.`,
  file_switches: (file: string, devices: string) =>
    `${file} commande\u00a0: ${devices}. vigie ne commandera plus un appareil que vous n’ajoutez pas de nouveau.`,
  file_tells: (file: string, names: string) =>
    `${file} envoie des messages\u00a0: ${names}. vigie n’enverra plus ceux que vous n’ajoutez pas de nouveau.`,
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
    ...serverProblems,
    not_found: `répond, mais n’a rien à cette adresse. Ce n’est peut-être pas tout ce qui précède ${BELOW}`,
    refused: "répond, mais refuse la requête. L’adresse est-elle la bonne, et faut-il un accès\u00a0?",
    failed: "répond qu’il est en panne",
    busy: "demande d’attendre avant la prochaine requête",
    redirect: "renvoie à une autre adresse, que vigie ne suit pas\u00a0: donnez celle-là",
    web_page:
      "répond par une page web, et non comme un service que vigie sait lire. L’adresse est-elle la bonne\u00a0?",
    unreadable: "répond, mais pas comme un service que vigie sait lire",
  } satisfies Record<SourceProblem, string>,
  /** Of RTE, whose address vigie knows. */
  rte_problem: {
    not_listening: RTE_IS_AWAY,
    unknown_name: RTE_IS_AWAY,
    unreachable: RTE_IS_AWAY,
    silent: RTE_IS_AWAY,
    closed: RTE_IS_AWAY,
    not_found: "répond, mais pas à l’adresse que vigie connaît",
    refused: "répond, mais refuse la requête",
    redirect: "renvoie à une autre adresse que celle que vigie connaît",
    web_page: "répond par une page web, et non comme vigie s’y attend",
    unreadable: "répond, mais pas comme vigie s’y attend",
  },
  other_source: "Choisir une autre source, ou une autre adresse",
  without_service: "Se passer du service\u00a0: RTE seul",
  without_rte: "Se passer de RTE",
  taken_untried: (name: string) =>
    `${name}\u00a0: gardé sans réponse. vigie réessaiera jusqu’à en avoir une.`,

  which_broker:
    "Quel broker MQTT\u00a0? C’est lui qui transmet les messages entre vigie, vos appareils et Home Assistant.",
  no_broker_found:
    "Aucun broker n’a été trouvé sur cette machine, ni du côté de Home Assistant. C’est lui qui transmet les messages entre vigie, vos appareils et Home Assistant. Il n’y en a pas encore\u00a0? docs/fr/README.md dit comment en avoir un\u00a0; dans Home Assistant, c’est l’application Mosquitto broker.",
  broker_wants_login: "demande un mot de passe",
  broker_other: "Un autre",
  broker_address: "L’adresse du broker",
  not_a_broker: "une adresse comme 192.168.1.10, mqtt://192.168.1.10:1883 ou mqtts://broker.lan",
  broker_open: (version: number): string => (version === 5 ? "répond (MQTT 5)" : "répond (MQTT 3.1.1)"),
  broker_problem: {
    ...networkProblems,
    login: "refuse l’utilisateur ou le mot de passe",
    not_listening: "n’écoute pas\u00a0: est-il démarré, et le port est-il le bon\u00a0?",
    unknown_name: "a un nom inconnu. Ce nom est-il le bon\u00a0? Sinon, donnez l’adresse IP",
    wants_tls: "n’accepte que des connexions chiffrées (TLS) sur ce port",
    no_tls: "n’a pas de chiffrement (TLS) sur ce port",
    not_mqtt:
      "répond, mais pas en MQTT\u00a0: c’est sans doute le port d’un autre programme. Celui d’un broker est d’ordinaire 1883, ou 8883 avec TLS",
    silent: "accepte la connexion, mais ne dit rien",
    closed: "ferme la connexion sans rien dire\u00a0: est-ce bien le port d’un broker\u00a0?",
    busy: "n’est pas disponible pour le moment\u00a0: réessayez dans quelques minutes",
    refused: "refuse vigie. Son journal dit pourquoi",
    ca_file_unread: "ne peut pas être essayé\u00a0: le fichier du certificat ne peut pas être lu",
  } satisfies Record<BrokerProblem, string>,
  broker_wants_user:
    "demande un utilisateur et un mot de passe. Avec Home Assistant, on y crée l’utilisateur\u00a0: Paramètres → Personnes → Utilisateurs",
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
    count === 0
      ? "Un appareil à couper quand le courant est cher, ou un message sur le téléphone\u00a0?"
      : "Encore un appareil, ou un message\u00a0?",
  uses: {
    boiler: "Le ballon d’eau chaude",
    car: "La recharge de la voiture",
    heating: "Le chauffage",
    other: "Autre chose",
    message: "Un message sur le téléphone",
  } satisfies Record<DeviceUse | "message", string>,
  use_hints: {
    boiler: "coupé pendant les heures pleines des jours rouges",
    car: "coupée pendant les heures pleines des jours rouges et blancs",
    heating: "coupé, ou baissé, pendant les heures pleines des jours rouges",
    other: "coupé pendant les heures pleines des jours rouges",
    message: "la veille d’un jour rouge, dès qu’il est annoncé, entre 7\u00a0h et 21\u00a0h\u00a030",
  } satisfies Record<DeviceUse | "message", string>,
  no_device: "Non, c’est tout",
  no_device_seen:
    "Aucun appareil n’a été vu. Pour que vigie voie le vôtre, connectez-le à ce broker\u00a0: docs/fr/devices.md dit où cela se règle. Un appareil sans MQTT se commande par HTTP, et s’écrit à la main\u00a0: la même page donne les lignes.",
  go_back: "Aucun d’eux\u00a0: revenir",
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
  output_refused: "Cela est refusé\u00a0:",
  message_refused:
    "La configuration n’accepte pas ce message. Son topic ne peut être ni sous vigie/ ou homeassistant/, ni celui d’un appareil, et ne contient ni + ni #. Son nom compte de 1 à 100 caractères.",
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
  may_not_send: (topic: string) =>
    `Le broker n’accepte pas ce que cet utilisateur envoie sur ${topic}\u00a0: voyez sa liste d’accès.`,
  may_not_read: (topic: string) =>
    `Le broker ne laisse pas cet utilisateur lire ${topic}\u00a0: voyez sa liste d’accès.`,
  broker_cut_off: "La connexion au broker a été coupée.",
  device_unsure: "Cet appareil n’a pas confirmé.",
  keep_output: "Le garder quand même",
  drop_output: "Ne pas le garder",

  which_message: "Par quel service le message arrive-t-il sur le téléphone\u00a0?",
  messages: {
    ntfy: {
      label: "ntfy",
      hint: "une application gratuite, sans compte\u00a0; conseillée si vous n’en avez pas d’autre",
      fields: {
        server: "Le serveur ntfy",
        secret:
          "Le sujet («\u00a0topic\u00a0»)\u00a0: un nom que personne ne devine, car qui le connaît peut lire",
      },
      to_do: (server: string, topic: string) =>
        `Sur le téléphone, dans l’application ntfy, abonnez-vous au sujet ${topic} du serveur ${server}.`,
    },
    gotify: {
      label: "Gotify",
      hint: "avec un serveur à vous",
      fields: { secret: "Le jeton d’une application (Apps → Create application)" },
      to_do: NOTHING_TO_DO,
    },
    telegram: {
      label: "Telegram",
      hint: "avec un bot à vous",
      fields: {
        to: "Le numéro de la discussion («\u00a0chat_id\u00a0»)",
        secret: "Le jeton du bot, que @BotFather vous a donné",
      },
      to_do: () => "Écrivez une fois à votre bot\u00a0: avant cela, il ne peut pas vous écrire.",
    },
    matrix: {
      label: "Matrix",
      hint: "dans un salon sans chiffrement",
      fields: {
        to: "L’identifiant du salon, qui commence par !",
        secret: "Le jeton d’accès («\u00a0access token\u00a0») de l’utilisateur de vigie",
      },
      to_do: NOTHING_TO_DO,
    },
    signal: {
      label: "Signal",
      hint: "par la passerelle signal-cli-rest-api, dans votre réseau",
      fields: { from: "Le numéro qui envoie", to: "Le numéro qui reçoit" },
      to_do: NOTHING_TO_DO,
    },
    home_assistant: {
      label: "Home Assistant, par un webhook",
      hint: "seulement si Home Assistant n’utilise pas ce broker\u00a0; sinon, un blueprint suffit",
      fields: {
        server: "L’adresse de Home Assistant",
        secret: "L’identifiant du webhook\u00a0: un nom que personne ne devine",
      },
      to_do: (_server: string, id: string) =>
        `Dans Home Assistant, il faut une automatisation dont le webhook s’appelle ${id}\u00a0: la fin de docs/messages.md la montre.`,
    },
    mqtt: {
      label: "Une passerelle qui lit un topic de ce broker",
      hint: undefined,
      fields: { to: "Le topic où elle reçoit ses messages" },
      to_do: NOTHING_TO_DO,
    },
  } as Record<MessageKind, MessageWords>,
  message_fields: {
    server: "L’adresse du serveur",
    from: "Qui envoie",
    to: "Qui reçoit",
    secret: "Le jeton",
  } satisfies Record<MessageField, string>,
  message_expected: (kind: MessageKind, field: MessageField): string => {
    if (field === "server")
      return "une adresse qui commence par https:// ou http://, sans utilisateur, sans ? ni #, comme https://ntfy.example.org";
    if (field === "secret") return "Cette réponse ne peut pas être vide.";
    if (kind === "telegram") return "un nombre comme 123456789, ou @ et le nom d’un canal";
    if (kind === "matrix") return "un identifiant comme !abcdefg:example.org";
    if (kind === "mqtt") return "un topic sans + ni #, sans / au début ni à la fin, comme telephone/message";
    return "un numéro comme +33612345678";
  },
  test_message: "Essai de vigie\u00a0: ce message ne dit rien d’un jour.",
  try_message: (text: string) =>
    `L’essayer maintenant\u00a0? Le téléphone reçoit\u00a0: «\u00a0${text}\u00a0»`,
  message_taken: (where: string) => `${where} l’a accepté\u00a0; regardez le téléphone`,
  has_it_arrived: "Le message d’essai est-il arrivé\u00a0?",
  message_problem: {
    ...serverProblems,
    not_found: "répond, mais n’a rien à cette adresse",
    no_access: "refuse l’accès\u00a0: le jeton est-il le bon\u00a0?",
    refused: "répond, mais refuse le message",
    failed: "répond qu’il est en panne ou occupé",
    secret_unread:
      "n’est pas essayé\u00a0: le fichier du secret n’est pas lisible, est vide, ou a plus d’une ligne",
  } satisfies Record<MessageProblem, string>,

  write: (file: string) => `Écrire ${file}\u00a0?`,
  written: (file: string) => `${file} est écrit.`,
  copied: (copy: string) => `L’ancien fichier est ${copy}.`,
  password_written: (file: string) =>
    `Le mot de passe est dans ${file}, que son propriétaire seul peut lire.`,
  secret_written: (file: string) => `Ce que vous seul devez savoir est dans ${file}.`,
  check: {
    checking: "Vérification\u00a0:",
    /** The last one is put behind "et". */
    checked: (answering: readonly string[], devices: number, messages: number) => {
      const names = answering.join(", ").replace(/, ([^,]*)$/, " et $1");
      const count = devices === 0 ? "aucun appareil" : devices === 1 ? "1 appareil" : `${devices} appareils`;
      const more = messages === 0 ? "" : messages === 1 ? ", 1 message" : `, ${messages} messages`;
      return `${names} ${answering.length === 1 ? "répond" : "répondent"}, ${count}${more}.`;
    },
    parts: { broker: "le broker", service: "le service de prévision", official: "RTE" },
    still_silent: {
      service: "Le service de prévision ne répond toujours pas\u00a0; vigie réessaiera.",
      official: "RTE ne répond toujours pas\u00a0; vigie réessaiera.",
    },
    failed: {
      broker: "Le broker n’a pas répondu comme il faut.",
      service: "Le service de prévision n’a pas répondu comme il faut.",
      official: "RTE n’a pas répondu comme il faut.",
      agreement: "Le service de prévision et RTE n’annoncent pas les mêmes couleurs.",
    },
    refused:
      "vigie refuse cette configuration, sans doute à cause d’une variable dont le nom commence par VIGIE_.",
    doubtful: "vigie fait une remarque sur cette configuration.",
    /** What the check says is in English. */
    more: (_said: string, command: string) => `Pour en savoir plus, en anglais\u00a0: ${command}\n`,
  },
  start_title: "Pour démarrer vigie\u00a0:",
  start_systemd:
    "  sudo systemctl enable --now vigie   maintenant, et au démarrage de la machine\n  sudo systemctl restart vigie        s’il tournait déjà",
  start_docker:
    "  docker restart vigie\nLa première fois\u00a0: docker run avec ce même volume (docs/fr/docker-nas.md).",
  start_npm: (config: string) =>
    `  npm start${config}\n  sudo sh systemd/install.sh   comme service (docs/fr/raspberry-pi.md)\n\nAvec Docker, la mise en route se fait dans le conteneur (docs/fr/docker-nas.md)\u00a0:\n  docker run --rm -it -v vigie-state:/data vigie setup`,
  start_try: (simulate: (color: string) => string) =>
    `Pour essayer, quel que soit le jour, une fois vigie démarré\u00a0:\n  ${simulate("rouge")}\n      un jour rouge\u00a0: les appareils sont coupés, mais aux heures pleines seulement\n  ${simulate("rouge:next")}\n      la veille d’un jour rouge\u00a0: le message part, entre 7\u00a0h et 21\u00a0h\u00a030\n  ${simulate("auto")}\n      pour finir\u00a0; sinon, c’est fini au bout d’une heure`,

  comments: {
    top: (help: string) =>
      `La configuration de vigie, écrite par «\u00a0vigie setup\u00a0».\n${help}\n«\u00a0vigie check\u00a0» trouve les erreurs. vigie relit ce fichier dès qu’il change\u00a0; s’il est faux, l’ancien reste en vigueur.`,
    help_copy: (copy: string) => `Toutes les options sont expliquées dans ${copy} (en anglais).`,
    help_other:
      "Toutes les options sont expliquées dans le fichier config/vigie.yaml livré avec vigie (en anglais).",
    password_systemd: (file: string) =>
      `Le mot de passe est dans ${file}\u00a0: systemd le transmet au service.`,
    message:
      "«\u00a0message: true\u00a0»\u00a0: un message, envoyé une fois quand sa règle devient ON. «\u00a0{secret}\u00a0» est dans le fichier que «\u00a0secret_file\u00a0» désigne.",
    /** What the phone shows: "Jour rouge mercredi 25 novembre". */
    message_text: "Jour {next.color} {next.day}",
    above: {
      service: "Les prévisions. «\u00a0none\u00a0»\u00a0: aucune, les couleurs officielles seules.",
      official: "Les couleurs officielles, de RTE, qui en décide.",
      mqtt: "Le broker MQTT.",
      homeassistant: "La langue des noms dans Home Assistant\u00a0: fr ou en.",
      rules:
        "Les règles\u00a0: chacune est ON ou OFF. «\u00a0vigie explain\u00a0» dit pourquoi.\nLes heures pleines («\u00a0hp\u00a0») vont de 6\u00a0h à 22\u00a0h\u00a0; si votre contrat en a d’autres\u00a0: docs/fr/tariff.md.",
      outputs:
        "Les appareils\u00a0: l’ordre du premier «\u00a0choose\u00a0» dont la règle est ON, sinon celui de «\u00a0else\u00a0».\n«\u00a0confirm\u00a0»\u00a0: l’ordre est renvoyé jusqu’à ce que l’appareil le confirme, et s’il change d’avis («\u00a0keep\u00a0»).",
    },
  },
};

/** Both languages have every text: the compiler names one that lacks. */
export type Words = typeof fr;
