import { endpoints } from "../core/contract/endpoints.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import type { NamedDay } from "./try-sources.ts";
import type { Words } from "./words-fr.ts";

/** What vigie adds to the address of a service. */
const BELOW = endpoints.forecasts.path;

const dayInEnglish = ({ color, confidence }: NamedDay) => {
  if (color === null) return "not known yet";
  return confidence === null ? color : `${color} (forecast, ${Math.round(confidence * 100)} %)`;
};

const RTE_IS_AWAY = "does not answer. Does this machine reach the Internet?";

const networkProblems = {
  unreachable: "cannot be reached: is the machine on, and does the network work?",
  forbidden:
    "cannot be reached: this machine does not allow the connection. See its firewall, or the limits of the container",
  unknown_authority: "has a certificate that this machine does not know",
  other_name: "has a certificate for another name: use that name as the address",
  not_valid_now: "has a certificate that has expired, or the clock of this machine is wrong",
  no_agreement_on_tls: "and vigie do not agree on the encryption by TLS",
  other: "cannot be reached",
};

const serverProblems = {
  ...networkProblems,
  not_listening: "does not answer: nothing listens there. Is the address right, and is the service running?",
  unknown_name: "has an unknown name. Is the address right, and does this machine reach the network?",
  no_tls: "has no encryption (TLS) at this address: does it begin with http:// instead?",
  closed: "closes the connection without an answer: is this the address of a service, and not of a broker?",
  silent: "does not answer. Is the address right, and does this machine reach the network?",
};

const NOTHING_TO_DO = () => "";

export const en: Words = {
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
  disk: describeDiskError,
  file_as_root: (file) => `only root can write ${file}: sudo vigie setup`,
  file_exists: (file, copy) => `${file} exists. Replace it at the end? It is kept as ${copy}.`,
  file_switches: (file, devices) =>
    `${file} switches: ${devices}. vigie will no longer switch a device that you do not add again.`,
  file_tells: (file, names) =>
    `${file} sends messages: ${names}. vigie will no longer send those that you do not add again.`,
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
    ...serverProblems,
    not_found: `answers, but has nothing at this address. Perhaps it is not everything before ${BELOW}`,
    refused: "answers, but refuses the request. Is the address right, and is a login needed?",
    failed: "answers that it is out of order",
    busy: "asks for a pause before the next request",
    redirect: "sends vigie to another address, which it does not follow: give that one",
    web_page: "answers with a web page, not as a service that vigie can read. Is the address right?",
    unreadable: "answers, but not as a service that vigie can read",
  },
  rte_problem: {
    not_listening: RTE_IS_AWAY,
    unknown_name: RTE_IS_AWAY,
    unreachable: RTE_IS_AWAY,
    silent: RTE_IS_AWAY,
    closed: RTE_IS_AWAY,
    not_found: "answers, but not at the address that vigie knows",
    refused: "answers, but refuses the request",
    redirect: "sends vigie to another address than the one that it knows",
    web_page: "answers with a web page, not as vigie expects",
    unreadable: "answers, but not as vigie expects",
  },
  other_source: "Choose another source, or another address",
  without_service: "Do without the service: RTE alone",
  without_rte: "Do without RTE",
  taken_untried: (name) => `${name}: kept without an answer. vigie will ask until there is one.`,

  which_broker: "Which MQTT broker? It passes messages between vigie, your devices and Home Assistant.",
  no_broker_found:
    "No broker was found on this machine, nor at Home Assistant. It passes messages between vigie, your devices and Home Assistant. If there is none yet, the README says how to get one; in Home Assistant it is the app Mosquitto broker.",
  broker_wants_login: "asks for a password",
  broker_other: "Another one",
  broker_address: "The address of the broker",
  not_a_broker: "an address such as 192.168.1.10, mqtt://192.168.1.10:1883 or mqtts://broker.lan",
  broker_open: (version) => (version === 5 ? "answers (MQTT 5)" : "answers (MQTT 3.1.1)"),
  broker_problem: {
    ...networkProblems,
    login: "refuses the user or the password",
    not_listening: "is not listening: is it running, and is the port right?",
    unknown_name: "has an unknown name. Is the name right? Otherwise use the IP address",
    wants_tls: "accepts only encrypted connections (TLS) on this port",
    no_tls: "has no encryption (TLS) on this port",
    not_mqtt:
      "answers, but not in MQTT: this is probably the port of another program. A broker usually has 1883, or 8883 with TLS",
    silent: "takes the connection and says nothing",
    closed: "closes the connection without a word: is this the port of a broker?",
    busy: "is not available at the moment: try again in a few minutes",
    refused: "refuses vigie. Its log says why",
    ca_file_unread: "cannot be tried: the file of the certificate cannot be read",
  },
  broker_wants_user:
    "asks for a user and a password. With Home Assistant, the user is made there: Settings → People → Users",
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
    count === 0
      ? "A device to switch off while electricity is expensive, or a message to your phone?"
      : "Another device, or a message?",
  uses: {
    boiler: "The boiler, for hot water",
    car: "The car charger",
    heating: "The heating",
    other: "Something else",
    message: "A message to a phone",
  },
  use_hints: {
    boiler: "off in the peak hours of rouge days",
    car: "off in the peak hours of rouge and blanc days",
    heating: "off, or lower, in the peak hours of rouge days",
    other: "off in the peak hours of rouge days",
    message: "on the day before a rouge day, once it is announced, between 07:00 and 21:30",
  },
  no_device: "No, that is all",
  no_device_seen:
    "No device was seen. For vigie to see yours, connect it to this broker: docs/devices.md says where. A device without MQTT is switched over HTTP, and written by hand: the same page has the lines.",
  go_back: "None of these: go back",
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
  output_refused: "It cannot be written like this:",
  message_refused:
    "The configuration does not accept this message. Its topic cannot be below vigie/ or homeassistant/, nor that of a device, and has neither + nor #. Its name has 1 to 100 characters.",
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
  may_not_send: (topic) =>
    `The broker refuses what this user sends to ${topic}: see its list of who may do what.`,
  may_not_read: (topic) =>
    `The broker does not let this user read ${topic}: see its list of who may do what.`,
  broker_cut_off: "The connection to the broker was cut off.",
  device_unsure: "This device has not confirmed.",
  keep_output: "Keep it all the same",
  drop_output: "Do not keep it",

  which_message: "By which service does the message reach the phone?",
  messages: {
    ntfy: {
      label: "ntfy",
      hint: "a free app without an account; recommended if you have no other one",
      fields: {
        server: "The server of ntfy",
        secret: "The topic of ntfy: a name that nobody guesses, because whoever knows it can read",
      },
      to_do: (server, topic) =>
        `On the phone, in the app ntfy, subscribe to the topic ${topic} of the server ${server}.`,
    },
    gotify: {
      label: "Gotify",
      hint: "with a server of your own",
      fields: { secret: "The token of an application (Apps → Create application)" },
      to_do: NOTHING_TO_DO,
    },
    telegram: {
      label: "Telegram",
      hint: "with a bot of your own",
      fields: {
        to: "The number of the chat (chat_id)",
        secret: "The token of the bot, which @BotFather told you",
      },
      to_do: () => "Write to your bot once: before that, it may not write to you.",
    },
    matrix: {
      label: "Matrix",
      hint: "in a room without encryption",
      fields: {
        to: "The id of the room, which begins with !",
        secret: "The access token of the user of vigie",
      },
      to_do: NOTHING_TO_DO,
    },
    signal: {
      label: "Signal",
      hint: "by the gateway signal-cli-rest-api in your own network",
      fields: { from: "The number that sends", to: "The number that receives" },
      to_do: NOTHING_TO_DO,
    },
    home_assistant: {
      label: "Home Assistant, by a webhook",
      hint: "only if Home Assistant does not use this broker; otherwise a blueprint is enough",
      fields: {
        server: "The address of Home Assistant",
        secret: "The id of the webhook: a name that nobody guesses",
      },
      to_do: (_server, id) =>
        `Home Assistant needs an automation whose webhook is called ${id}: the end of docs/messages.md shows it.`,
    },
    mqtt: {
      label: "A gateway that reads a topic of this broker",
      hint: undefined,
      fields: { to: "The topic on which it takes messages" },
      to_do: NOTHING_TO_DO,
    },
  },
  message_fields: {
    server: "The address of the server",
    from: "Who sends",
    to: "Who receives",
    secret: "The token",
  },
  message_expected: (kind, field) => {
    if (field === "server")
      return "an address that begins with https:// or http://, without a user, ? and #, such as https://ntfy.example.org";
    if (field === "secret") return "This answer cannot be empty.";
    if (kind === "telegram") return "a number such as 123456789, or @ and the name of a channel";
    if (kind === "matrix") return "an id such as !abcdefg:example.org";
    if (kind === "mqtt")
      return "a topic without + and #, without / at the beginning and the end, such as phone/message";
    return "a number such as +33612345678";
  },
  test_message: "A test of vigie: this message says nothing about any day.",
  try_message: (text) => `Try it now? The phone gets: "${text}"`,
  message_taken: (where) => `${where} has taken it; look at the phone`,
  has_it_arrived: "Has the test arrived?",
  message_problem: {
    ...serverProblems,
    not_found: "answers, but has nothing at this address",
    no_access: "refuses access: is the token right?",
    refused: "answers, but refuses the message",
    failed: "answers that it is out of order or busy",
    secret_unread: "is not tried: the file of the secret cannot be read, is empty, or has more than one line",
  },

  write: (file) => `Write ${file}?`,
  written: (file) => `${file} is written.`,
  copied: (copy) => `The file before it is ${copy}.`,
  password_written: (file) => `The password is in ${file}, which only its owner can read.`,
  secret_written: (file) => `What only you may know is in ${file}.`,
  check: {
    checking: "Check:",
    checked: (answering, devices, messages) => {
      const names = answering.join(", ").replace(/, ([^,]*)$/, " and $1");
      const count = devices === 0 ? "no device" : devices === 1 ? "1 device" : `${devices} devices`;
      const more = messages === 0 ? "" : messages === 1 ? ", 1 message" : `, ${messages} messages`;
      return `${names} ${answering.length === 1 ? "answers" : "answer"}, ${count}${more}.`;
    },
    parts: { broker: "the broker", service: "the forecast service", official: "RTE" },
    still_silent: {
      service: "The forecast service still does not answer; vigie will ask again.",
      official: "RTE still does not answer; vigie will ask again.",
    },
    failed: {
      broker: "The broker has not answered as it should.",
      service: "The forecast service has not answered as it should.",
      official: "RTE has not answered as it should.",
      agreement: "The forecast service and RTE name different colours.",
    },
    refused:
      "vigie refuses this configuration, probably because of a variable whose name begins with VIGIE_.",
    doubtful: "vigie has a remark on this configuration.",
    more: (said) => said,
  },
  start_title: "To start vigie:",
  start_systemd:
    "  sudo systemctl enable --now vigie   now, and with this machine\n  sudo systemctl restart vigie        if it was running",
  start_docker: "  docker restart vigie\nThe first time: docker run with this volume (docs/docker-nas.md).",
  start_npm: (config) =>
    `  npm start${config}\n  sudo sh systemd/install.sh   as a service (docs/raspberry-pi.md)\n\nWith Docker, the set-up runs in the container (docs/docker-nas.md):\n  docker run --rm -it -v vigie-state:/data vigie setup`,
  start_try: (simulate) =>
    `To try it, whatever day it is, once vigie runs:\n  ${simulate("rouge")}\n      a rouge day: devices are off, but only in the peak hours\n  ${simulate("rouge:next")}\n      the day before a rouge day: the message is sent, between 07:00 and 21:30\n  ${simulate("auto")}\n      ends it; it also ends after an hour`,

  comments: {
    top: (help) =>
      `The configuration of vigie, written by "vigie setup".\n${help}\n"vigie check" finds mistakes. A running vigie reads this file again when it changes; if it is wrong, the one before it stays in force.`,
    help_copy: (copy) => `${copy} explains every option.`,
    help_other: "The file config/vigie.yaml, as vigie ships it, explains every option.",
    password_systemd: (file) => `The password is in ${file}: systemd passes it to the service.`,
    message:
      '"message: true": a message, sent once when its rule turns ON. "{secret}" is in the file that "secret_file" names.',
    message_text: "{next.day}: a {next.color} day",
    above: {
      service: 'The forecasts. "none": none, only the official colours.',
      official: "The official colours, from RTE, who decides them.",
      mqtt: "The MQTT broker.",
      homeassistant: "The language of the names in Home Assistant: fr or en.",
      rules:
        'The rules: each is ON or OFF. "vigie explain" says why.\nPeak hours (hp) are from 06:00 to 22:00; if your contract has others: docs/tariff.md.',
      outputs:
        'The devices: the payload of the first "choose" whose rule is ON, else that of "else".\n"confirm": it is sent again until the device confirms it, and when the device changes its mind ("keep").',
    },
  },
};
