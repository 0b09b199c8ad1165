import { expect, test } from "vitest";
import { listKeys } from "../../src/config/option-list.ts";
import { suggestOption } from "../../src/config/suggest-option.ts";
import { loadText, problemsOf } from "./folder.ts";

const CONDITIONS = listKeys()
  .filter((path) => path.slice(0, -1).join(".") === "rules.0.when")
  .map((path) => path.at(-1))
  .join(", ");
// What is expected at several places of the table.
const OF_A_RULE = "id, name, when, when_unknown, lead, lag, hold, threshold";
const OF_AN_OUTPUT =
  "id, name, topic, url, method, headers, content_type, secret_file, tls, message, choose, else, unknown, qos, retain, confirm";
const OF_MQTT = "url, username, password, password_file, base_topic, grace, tls";
const OF_SERVICE =
  "base_url, allow_simulator, colors, confidence, rate_unit, history_parameters, poll, late_after, check_clock";
const OF_TARIFF = "time_zone, day_starts_at, off_peak, laws, rates_first, rates";
const OF_ALL = "instance, service, official, mqtt, homeassistant, tariff, rules, outputs, http, state, log";
const A_DAY = "one of now, next, today, tomorrow, d2, d3, d4, d5, d6, d7, next_1_days … next_8_days";
const AN_ID =
  "small letters and digits, joined by single underscores, at most 40 characters, such as vigie or house_2";
const A_TOPIC =
  "a topic such as house/vigie: no + or #, no slash at the beginning or end, no two slashes in a row, no $ at the beginning";
const A_BROKER =
  "embedded, or an address that begins with mqtt://, mqtts://, ws:// or wss://, such as mqtt://192.168.1.10:1883";
const A_SERVICE =
  "simulator, none (no forecasts), or an address that begins with https:// or http:// (no user or password, nothing after ? or #)";
const A_TIME = 'a time of day from "00:00" to "23:59", such as "06:30"';
const A_WEEKDAY = "one of mon, tue, wed, thu, fri, sat, sun, or a list of them";
const A_PRICE = "a price in EUR/kWh from 0 to 5";
const A_SHIFT = "a duration from 0s to 24h in s, m or h, such as 5m";
const POLLS = "one of 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h";

/** What people write who are used to other programs and languages, and all that `check` answers. */
test.each([
  // conditions
  [
    "rules: [{ id: a, when: { and: [{ period: hp }] } }]",
    [
      `1:26 rules[0].when.and: expected one of ${CONDITIONS}, got "and": vigie has no such condition (did you mean all?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { or: [{ period: hp }] } }]",
    [
      `1:26 rules[0].when.or: expected one of ${CONDITIONS}, got "or": vigie has no such condition (did you mean any?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { none: { period: hp } } }]",
    [
      `1:26 rules[0].when.none: expected one of ${CONDITIONS}, got "none": vigie has no such condition (did you mean not?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { rule: b, state: off } }, { id: b, when: { period: hp } }]",
    [
      `1:35 rules[0].when.state: expected one of ${CONDITIONS}, got "state": vigie has no such condition (did you mean { not: { rule: b } }?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { any: [{ rule: b, is: true }] } }, { id: b, when: { period: hp } }]",
    [
      `1:43 rules[0].when.any[0].is: expected one of ${CONDITIONS}, got "is": vigie has no such condition (did you mean { rule: b }?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { temperature: { below: 5 } } }]",
    [
      `1:26 rules[0].when.temperature: expected one of ${CONDITIONS}, got "temperature": vigie has no such condition`,
    ],
  ],
  [
    "rules: [{ id: a, when: { month: [december, März] } }]",
    [
      '1:34 rules[0].when.month[0]: expected one of jan, feb, mar, apr, may, jun, jul, aug, sep, oct, nov, dec, a number from 1 to 12, or a list of them, got "december" (did you mean dec?)',
      '1:44 rules[0].when.month[1]: expected one of jan, feb, mar, apr, may, jun, jul, aug, sep, oct, nov, dec, a number from 1 to 12, or a list of them, got "März" (did you mean mar?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { mqtt: { value: home, topic: t, above: 1 } } }]",
    [
      '1:34 rules[0].when.mqtt.value: expected a known option (topic, path, above, below, at_most, at_least, equals, max_age), got "value" (did you mean equals?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { mqtt: { is: home, topic: t, above: 1 } } }]",
    [
      '1:34 rules[0].when.mqtt.is: expected a known option (topic, path, above, below, at_most, at_least, equals, max_age), got "is" (did you mean equals?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { mqtt: { key: home, topic: t, above: 1 } } }]",
    [
      '1:34 rules[0].when.mqtt.key: expected a known option (topic, path, above, below, at_most, at_least, equals, max_age), got "key" (did you mean path?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { mqtt: { topic: t, below: 40 %, max_age: 1h } }, hold: 1m }]",
    ['1:51 rules[0].when.mqtt.below: expected a number, got "40 %" (did you mean 40?)'],
  ],
  [
    "rules: [{ id: a, when: rouge_peek }, { id: rouge_peak, when: { period: hp } }]",
    [
      '1:24 rules[0].when: expected a condition, such as { day: next, color: rouge }, got "rouge_peek" (did you mean { rule: rouge_peak }?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { rule: [b] } }]",
    ['1:32 rules[0].when.rule: expected the id of a rule, such as rouge_peak, got the list ["b"]'],
  ],
  [
    "rules: [{ id: a, when: { couleur: rouge } }]",
    [
      `1:26 rules[0].when.couleur: expected one of ${CONDITIONS}, got "couleur": vigie has no such condition (did you mean color?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { day: now, colour: rouge } }]",
    [
      `1:36 rules[0].when.colour: expected one of ${CONDITIONS}, got "colour": vigie has no such condition (did you mean color?)`,
    ],
  ],
  [
    "rules:\n  - id: a\n    when: {day:now, color: rouge}\n",
    ["3:12 rules[0].when.day…: expected a space after the colon (day: …), got none"],
  ],
  [
    "rules: [{ id:a, when: { period: hp } }]",
    ["1:11 rules[0].id…: expected a space after the colon (id: …), got none"],
  ],
  [
    "mqtt: {username:me, password:geheim}",
    [
      "1:8 mqtt.username…: expected a space after the colon (username: …), got none",
      "1:21 mqtt.password…: expected a space after the colon (password: …), got none",
    ],
  ],
  [
    "rules: [{ id: a, quand: { period: hp } }]",
    [`1:18 rules[0].quand: expected a known option (${OF_A_RULE}), got "quand" (did you mean when?)`],
  ],
  ["règles: []", [`1:1 règles: expected a known option (${OF_ALL}), got "règles" (did you mean rules?)`]],
  [
    "rules: [{ id: a, when: { jour: demain } }]",
    [
      `1:26 rules[0].when.jour: expected one of ${CONDITIONS}, got "jour": vigie has no such condition (did you mean day?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { seuil: 60 } }]",
    [
      `1:26 rules[0].when.seuil: expected one of ${CONDITIONS}, got "seuil": vigie has no such condition (did you mean rules[0].threshold?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { day: now, rouge: true } }]",
    [
      `1:36 rules[0].when.rouge: expected one of ${CONDITIONS}, got "rouge": vigie has no such condition (did you mean color?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { tomorrow: rouge } }]",
    [
      `1:26 rules[0].when.tomorrow: expected one of ${CONDITIONS}, got "tomorrow": vigie has no such condition (did you mean day?)`,
    ],
  ],
  [
    'rules: [{ id: a, when: { after: "22:00" } }]',
    [
      `1:26 rules[0].when.after: expected one of ${CONDITIONS}, got "after": vigie has no such condition (did you mean between?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { day: now, color: rouge, lead: 5m } }]",
    [
      `1:50 rules[0].when.lead: expected one of ${CONDITIONS}, got "lead": vigie has no such condition (did you mean rules[0].lead?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { left: { red: { at_most: 3 } } } }]",
    [
      '1:34 rules[0].when.left.red: expected a known option (rouge, blanc, bleu), got "red" (did you mean rouge?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { rate: { max: 0.3 } } }]",
    [
      '1:34 rules[0].when.rate.max: expected a known option (above, below, at_most, at_least), got "max" (did you mean at_most?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { day: d8, color: rouge } }]",
    [`1:31 rules[0].when.day: expected ${A_DAY}, got "d8"`],
  ],
  [
    "rules: [{ id: a, when: { day: next_9_days, color: rouge } }]",
    [`1:31 rules[0].when.day: expected ${A_DAY}, got "next_9_days"`],
  ],
  [
    "rules: [{ id: a, when: { day: demain, color: rouge } }]",
    [`1:31 rules[0].when.day: expected ${A_DAY}, got "demain" (did you mean tomorrow?)`],
  ],
  [
    "rules: [{ id: a, when: { day: [now, next], color: rouge } }]",
    [`1:31 rules[0].when.day: expected ${A_DAY}, got the list ["now", "next"]`],
  ],
  [
    "rules: [{ id: a, when: { day: now, color: red } }]",
    [
      '1:43 rules[0].when.color: expected one of bleu, blanc, rouge, or a list of them, got "red" (did you mean rouge?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { day: now, color: rouge, confidence: 0.8 } }]",
    [
      "1:62 rules[0].when.confidence: expected a whole percent from 0 to 100, or threshold for the rule's own, got 0.8 (did you mean 80?)",
    ],
  ],
  [
    'rules: [{ id: a, when: { day: now, color: rouge, confidence: "80 %" } }]',
    [
      '1:62 rules[0].when.confidence: expected a whole percent from 0 to 100, or threshold for the rule\'s own, got "80 %" (did you mean 80?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { day: now, official: yes } }]",
    ['1:46 rules[0].when.official: expected true or false, got "yes" (did you mean true?)'],
  ],
  [
    'rules: [{ id: a, when: { between: ["3:00", 6h] } }]',
    [
      `1:36 rules[0].when.between[0]: expected ${A_TIME}, got "3:00" (did you mean "03:00"?)`,
      `1:44 rules[0].when.between[1]: expected ${A_TIME}, got "6h" (did you mean "06:00"?)`,
    ],
  ],
  [
    'rules: [{ id: a, when: { between: "22h30-6h" } }]',
    [
      '1:35 rules[0].when.between: expected two different times of day, such as ["03:30", "06:00"], got "22h30-6h" (did you mean ["22:30", "06:00"]?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { weekday: [saturday, Dimanche, Mo] } }]",
    [
      `1:36 rules[0].when.weekday[0]: expected ${A_WEEKDAY}, got "saturday" (did you mean sat?)`,
      `1:46 rules[0].when.weekday[1]: expected ${A_WEEKDAY}, got "Dimanche" (did you mean sun?)`,
      `1:56 rules[0].when.weekday[2]: expected ${A_WEEKDAY}, got "Mo" (did you mean mon?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { period: peak } }]",
    ['1:34 rules[0].when.period: expected one of hp, hc, got "peak" (did you mean hp?)'],
  ],
  [
    "rules: [{ id: a, when: { period: heures-creuses } }]",
    ['1:34 rules[0].when.period: expected one of hp, hc, got "heures-creuses" (did you mean hc?)'],
  ],
  [
    "rules: [{ id: a, when: { rate: { above: 30 } } }]",
    [`1:41 rules[0].when.rate.above: expected ${A_PRICE}, got 30 (did you mean 0.3?)`],
  ],
  [
    "rules: [{ id: a, when: { rate: 0.3 } }]",
    [
      "1:32 rules[0].when.rate: expected bounds, such as { at_most: 3 } (above, below, at_most, at_least), got 0.3 (did you mean { above: 0.3 } or { below: 0.3 }?)",
    ],
  ],
  [
    "rules: [{ id: a, when: [{ day: now, color: rouge }, { period: hp }] }]",
    [
      "1:24 rules[0].when: expected a condition, such as { day: next, color: rouge }, got the list [{…}, {…}] (did you mean { all: [ … ] } or { any: [ … ] }?)",
    ],
  ],
  [
    "rules: [{ id: a, when: rouge }]",
    ['1:24 rules[0].when: expected a condition, such as { day: next, color: rouge }, got "rouge"'],
  ],
  [
    "rules: [{ id: a, when:  }]",
    ["1:25 rules[0].when: expected a condition, such as { day: next, color: rouge }, got nothing"],
  ],
  // rules and outputs
  [
    "rules:\n",
    ["1:7 rules: expected a list of rules, each beginning with - id: …, or [] for none, got nothing"],
  ],
  [
    "rules: { a: { when: { period: hp } } }",
    [
      "1:8 rules: expected a list of rules, each beginning with - id: …, or [] for none, got key: value pairs",
    ],
  ],
  // That no rule is there is a consequence.
  [
    "regles: [{ id: a, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: a, payload: x }] }, { topic: b, choose: [{ when: a, payload: x }] }]",
    [`1:1 regles: expected a known option (${OF_ALL}), got "regles" (did you mean rules?)`],
  ],
  [
    "rules: { a: { when: { period: hp } } }\noutputs: [{ topic: a, choose: [{ when: a, payload: x }] }]",
    [
      "1:8 rules: expected a list of rules, each beginning with - id: …, or [] for none, got key: value pairs",
    ],
  ],
  [
    "zigbee: true\noutputs: [{ topic: a, choose: [{ when: a, payload: x }] }]",
    [
      `1:1 zigbee: expected a known option (${OF_ALL}), got "zigbee"`,
      '2:40 outputs[0].choose[0].when: expected the id of a rule, but there are no rules, got "a"',
    ],
  ],
  ["rules: [{ when: { period: hp } }]", [`1:9 rules[0].id: expected an id of ${AN_ID}, got nothing`]],
  [
    "rules: [{ id: Rouge-Peak, when: { period: hp } }]",
    [`1:15 rules[0].id: expected ${AN_ID}, got "Rouge-Peak" (did you mean rouge_peak?)`],
  ],
  [
    "rules: [{ id: a, day: now, when: { period: hp } }]",
    [
      `1:18 rules[0].day: expected a known option (${OF_A_RULE}), got "day" (did you mean rules[0].when.day?)`,
    ],
  ],
  [
    "rules: [{ id: a, if: { period: hp }, when: { period: hp } }]",
    [`1:18 rules[0].if: expected a known option (${OF_A_RULE}), got "if" (did you mean when?)`],
  ],
  [
    'rules: [{ id: a, when: { period: hp }, lead: 5 min, lag: "00:30:00", hold: 10 }]',
    [
      `1:46 rules[0].lead: expected ${A_SHIFT}, got "5 min" (did you mean 5m?)`,
      `1:58 rules[0].lag: expected ${A_SHIFT}, got "00:30:00" (did you mean 30m?)`,
      `1:76 rules[0].hold: expected ${A_SHIFT}, got 10 (did you mean 10s or 10m or 10h?)`,
    ],
  ],
  // One letter from `rate`, but people write it for `lag`.
  [
    "rules: [{ id: a, when: { period: hp, late: 5m } }]",
    [
      `1:38 rules[0].when.late: expected one of ${CONDITIONS}, got "late": vigie has no such condition (did you mean rules[0].lag?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { rtae: { above: 0.3 } } }]",
    [
      `1:26 rules[0].when.rtae: expected one of ${CONDITIONS}, got "rtae": vigie has no such condition (did you mean rate?)`,
    ],
  ],
  [
    "rules: [{ id: a, when: { period: hp }, threshold: 0.6, seuil: 60 }]",
    [
      "1:51 rules[0].threshold: expected a whole percent from 0 to 100, got 0.6 (did you mean 60?)",
      `1:56 rules[0].seuil: expected a known option (${OF_A_RULE}), got "seuil" (did you mean threshold?)`,
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs:\n",
    [
      "2:9 outputs: expected a list of outputs, each beginning with - id: …, [] for none, or { dry_when_simulated: …, list: [ … ] }, got nothing",
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: { topic: a, choose: [{ when: peak, payload: x }] }",
    [
      "2:10 outputs: expected a list of outputs, each beginning with - id: …, [] for none, or { dry_when_simulated: …, list: [ … ] }, got key: value pairs",
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: peak, payload: 18 }] }]",
    [
      '2:55 outputs[0].choose[0].payload: expected a text, in quotes where it is a number: "18"; or an object with one key or more, sent as JSON, got 18 (did you mean "18"?)',
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ rule: peak, when: peak, payload: x }], retain: yes }]",
    [
      '2:34 outputs[0].choose[0].rule: expected a known option (when, payload, expect), got "rule" (did you mean when?)',
      '2:81 outputs[0].retain: expected true or false, got "yes" (did you mean true?)',
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, payload: x, choose: [{ when: peak, payload: x }] }]",
    [
      `2:23 outputs[0].payload: expected a known option (${OF_AN_OUTPUT}), got "payload" (did you mean outputs[0].choose[0].payload?)`,
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: peak, payload: x }], confirm: { topic: b, state: c } }]",
    [
      '2:82 outputs[0].confirm.state: expected a known option (topic, url, path, expect, every, for, keep, online), got "state" (did you mean topic?)',
    ],
  ],
  // In another group only a word of four letters or more is a slip.
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, foo: 1, evry: 1m, choose: [{ when: peak, payload: x }] }]",
    [
      `2:23 outputs[0].foo: expected a known option (${OF_AN_OUTPUT}), got "foo", "evry" (did you mean outputs[0].confirm.every?)`,
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: peek, payload: x }] }]",
    ['2:40 outputs[0].choose[0].when: expected the id of a rule, such as peak, got "peek"'],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: boiler, payload: x }] }]",
    ['2:40 outputs[0].choose[0].when: expected the id of a rule, such as peak, got "boiler"'],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: { period: hp }, payload: x }] }]",
    [
      "2:40 outputs[0].choose[0].when: expected the id of a rule, such as rouge_peak (write this condition as the when of that rule), got key: value pairs",
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: [peak, b], payload: x }, { payload: y }] }]",
    [
      '2:40 outputs[0].choose[0].when: expected the id of a rule, such as rouge_peak (for several, that of a rule with when: { any: [{ rule: … }, { rule: … }] }), got the list ["peak", "b"]',
      "2:65 outputs[0].choose[1].when: expected the id of a rule, such as rouge_peak (the payload of all other times stands beside choose, as else), got nothing",
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: peak, payload: x }], confirm: { topic: b, every: 30, for: 90000 } }]",
    [
      "2:89 outputs[0].confirm.every: expected a duration from 5s to 1h in s, m or h, such as 5m, got 30 (did you mean 30s or 30m?)",
      "2:98 outputs[0].confirm.for: expected a duration from 5s to 24h in s, m or h, such as 5m, got 90000",
    ],
  ],
  // What is wrong itself is no bound of what stands beside it.
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: peak, payload: x }], confirm: { topic: b, every: 2h, for: 60s } }]",
    ['2:89 outputs[0].confirm.every: expected a duration from 5s to 1h in s, m or h, such as 5m, got "2h"'],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: peak, payload: x }], confirm: { topic: b, every: 1m, for: 10s } }]",
    ['2:98 outputs[0].confirm.for: expected at least 1m, the value of confirm.every, got "10s"'],
  ],
  [
    'rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: a, choose: [{ when: peak, payload: { state: { c: "{next.colour}" } } }] }]',
    [
      '2:69 outputs[0].choose[0].payload.state.c: expected only placeholders that vigie knows, such as {next.color}, got "{next.colour}"',
    ],
  ],
  [
    "rules: [{ id: a, when: { rate: { between: [0.2, 0.3] } } }]",
    [
      '1:34 rules[0].when.rate.between: expected a known option (above, below, at_most, at_least), got "between" (did you mean at_least and at_most?)',
    ],
  ],
  [
    "rules: [{ id: a, when: { mqtt: { topic: home, not_equals: away } } }]",
    [
      '1:47 rules[0].when.mqtt.not_equals: expected a known option (topic, path, above, below, at_most, at_least, equals, max_age), got "not_equals" (did you mean not: { mqtt: { …, equals: … } }?)',
    ],
  ],
  [
    'rules: [{ id: a, when: { mqtt: { topic: car, path: ".battery | .soc", below: 40 } } }]',
    [
      '1:52 rules[0].when.mqtt.path: expected keys joined by dots, such as battery or data.0.level, got ".battery | .soc"',
    ],
  ],
  [
    "rules: [{ id: peak, when: { period: hp } }]\noutputs: [{ topic: /a, choose: [{ when: peak, payload: x }] }]",
    [`2:20 outputs[0].topic: expected ${A_TOPIC}, got "/a" (did you mean a?)`],
  ],
  // service, broker and the rest
  [
    "mqtt: { host: 192.0.2.10, port: 1883 }",
    [
      `1:9 mqtt.host: expected a known option (${OF_MQTT}), got "host" (did you mean url?), "port" (did you mean url?)`,
    ],
  ],
  [
    "mqtt: { user: me, pass: secret }",
    [
      `1:9 mqtt.user: expected a known option (${OF_MQTT}), got "user" (did you mean username?), "pass" (did you mean password?)`,
    ],
  ],
  [
    "mqtt: { ssl: true, tls: { ca: /ca.pem } }",
    [
      `1:9 mqtt.ssl: expected a known option (${OF_MQTT}), got "ssl" (did you mean tls?)`,
      '1:27 mqtt.tls.ca: expected a known option (ca_file, cert_file, key_file, server_name, verify), got "ca" (did you mean ca_file?)',
    ],
  ],
  [
    "mqtt: { url: 192.0.2.10 }",
    [`1:14 mqtt.url: expected ${A_BROKER}, got "192.0.2.10" (did you mean mqtt://192.0.2.10?)`],
  ],
  [
    "mqtt: { url: tcp://broker:1883 }",
    [`1:14 mqtt.url: expected ${A_BROKER}, got "tcp://broker:1883" (did you mean mqtt://broker:1883?)`],
  ],
  [
    'mqtt: { url: "tcp://me:secret@broker" }',
    [`1:14 mqtt.url: expected ${A_BROKER}, got "tcp://***@broker"`],
  ],
  ["mqtt: { url: embeded }", [`1:14 mqtt.url: expected ${A_BROKER}, got "embeded" (did you mean embedded?)`]],
  ["mqtt:\n  url:\n", [`2:7 mqtt.url: expected ${A_BROKER}, got nothing`]],
  [
    "mqtt: { base_topic: /house/ }",
    [`1:21 mqtt.base_topic: expected ${A_TOPIC}, got "/house/" (did you mean house?)`],
  ],
  [
    "mqtt: { grace: 10 min }",
    [
      '1:16 mqtt.grace: expected a duration from 0s to 168h in s, m or h, such as 5m, got "10 min" (did you mean 10m?)',
    ],
  ],
  [
    "mqtt: { tls: { verify: no } }",
    ['1:24 mqtt.tls.verify: expected true or false, got "no" (did you mean false?)'],
  ],
  [
    "service: { url: https://days.example }",
    [`1:12 service.url: expected a known option (${OF_SERVICE}), got "url" (did you mean base_url?)`],
  ],
  [
    "service: { base_url: days.example }",
    [`1:22 service.base_url: expected ${A_SERVICE}, got "days.example" (did you mean https://days.example?)`],
  ],
  [
    "service: { base_url: simulater }",
    [`1:22 service.base_url: expected ${A_SERVICE}, got "simulater" (did you mean simulator?)`],
  ],
  [
    "service: { poll: { interval: 1h } }",
    [
      '1:20 service.poll.interval: expected a known option (every, announcement), got "interval" (did you mean every?)',
    ],
  ],
  ["service: { poll: { every: 45m } }", [`1:27 service.poll.every: expected ${POLLS}, got "45m"`]],
  [
    "service: { poll: { every: 60 min } }",
    [`1:27 service.poll.every: expected ${POLLS}, got "60 min" (did you mean 1h?)`],
  ],
  [
    "service: { poll: { every: 2 hours } }",
    [`1:27 service.poll.every: expected ${POLLS}, got "2 hours" (did you mean 2h?)`],
  ],
  [
    "service: { rate_unit: €/kWh }",
    ['1:23 service.rate_unit: expected one of EUR/kWh, c€/kWh, got "€/kWh" (did you mean EUR/kWh?)'],
  ],
  [
    "homeassistant: { language: french }",
    ['1:28 homeassistant.language: expected one of fr, en, got "french" (did you mean fr?)'],
  ],
  [
    "homeassistant: { discovery: false, exclude: now_color }",
    [
      "1:29 homeassistant.discovery: expected one of device, components, off, got false (did you mean off?)",
      '1:45 homeassistant.exclude: expected a list of component keys, such as [now_color], got "now_color" (did you mean ["now_color"]?)',
    ],
  ],
  [
    "tariff: { tz: Europe/Paris, laws: false }",
    [
      `1:11 tariff.tz: expected a known option (${OF_TARIFF}), got "tz" (did you mean time_zone?)`,
      "1:35 tariff.laws: expected one of tempo, off, got false (did you mean off?)",
    ],
  ],
  [
    "tariff: { time_zone: Brussels }",
    ['1:22 tariff.time_zone: expected the name of a time zone, such as Europe/Brussels, got "Brussels"'],
  ],
  [
    "tariff: { off_peak: 22:00-06:00 }",
    [
      '1:21 tariff.off_peak: expected a list of windows, such as ["22:00-06:00"], or of rows, got "22:00-06:00" (did you mean ["22:00-06:00"]?)',
    ],
  ],
  [
    "tariff: { off_peak: [22h-6h], day_starts_at: 6 }",
    [
      '1:22 tariff.off_peak[0]: expected two different times of day, such as "22:00-06:00" or "00:00-24:00", got "22h-6h" (did you mean "22:00-06:00"?)',
      `1:46 tariff.day_starts_at: expected ${A_TIME}, got 6 (did you mean "06:00"?)`,
    ],
  ],
  [
    'tariff: { rates: [{ from: 1/8/2026, bleu: { hp: 16.54, hc: "0,13" }, blanc: { hp: 0.2, hc: 0.1 }, rouge: { hp: 0.7, hc: 0.1 } }] }',
    [
      '1:27 tariff.rates[0].from: expected a date, such as 2026-08-01, got "1/8/2026" (did you mean 2026-08-01?)',
      `1:49 tariff.rates[0].bleu.hp: expected ${A_PRICE}, such as 0.1654, got 16.54 (did you mean 0.1654?)`,
      `1:60 tariff.rates[0].bleu.hc: expected ${A_PRICE}, such as 0.1654, got "0,13" (did you mean 0.13?)`,
    ],
  ],
  [
    "log: { level: warning }",
    [
      '1:15 log.level: expected one of trace, debug, info, warn, error, fatal, silent, got "warning" (did you mean warn?)',
    ],
  ],
  [
    "log: debug",
    ['1:6 log: expected key: value pairs (level, format), got "debug" (did you mean { level: debug }?)'],
  ],
  // The main option of a group, written in its place.
  [
    "service: http://192.0.2.3:8787",
    [
      `1:10 service: expected key: value pairs (${OF_SERVICE}), got "http://192.0.2.3:8787" (did you mean { base_url: http://192.0.2.3:8787 }?)`,
    ],
  ],
  [
    "service: days.example",
    [
      `1:10 service: expected key: value pairs (${OF_SERVICE}), got "days.example" (did you mean { base_url: https://days.example }?)`,
    ],
  ],
  [
    "official: rte",
    ['1:11 official: expected key: value pairs (source), got "rte" (did you mean { source: rte }?)'],
  ],
  [
    "official: RTE",
    ['1:11 official: expected key: value pairs (source), got "RTE" (did you mean { source: rte }?)'],
  ],
  ["official: my day", ['1:11 official: expected key: value pairs (source), got "my day"']],
  [
    "http: 8427",
    [
      "1:7 http: expected key: value pairs (listen, allow, hosts, proxies, language), got 8427 (did you mean { listen: 8427 }?)",
    ],
  ],
  // The text may be a password, or an address with one.
  [
    "mqtt: mqtt://me:geheim@broker",
    [`1:7 mqtt: expected key: value pairs (${OF_MQTT}), got a text (did you mean { url: … }?)`],
  ],
  ["mqtt: geheim", [`1:7 mqtt: expected key: value pairs (${OF_MQTT}), got a text`]],
  [
    "mqtt: { grace: 200h }",
    ['1:16 mqtt.grace: expected a duration from 0s to 168h in s, m or h, such as 5m, got "200h"'],
  ],
  [
    "rules: [{ id: a, when: { days_remaining: { below: 400 } } }]",
    ["1:51 rules[0].when.days_remaining.below: expected a number of days from 0 to 366, got 400"],
  ],
  [
    "log:\n  level:debug\n",
    [
      '2:3 log: expected key: value pairs (level, format), got "level:debug". Write a space after the colon of each key',
    ],
  ],
  [
    "service: { simulator: true }",
    [
      `1:12 service.simulator: expected a known option (${OF_SERVICE}), got "simulator" (did you mean base_url?)`,
    ],
  ],
  [
    "service: { base_url: localhost:8787 }",
    [
      `1:22 service.base_url: expected ${A_SERVICE}, got "localhost:8787" (did you mean http://localhost:8787?)`,
    ],
  ],
  [
    "tariff: { rates: [{ from: 2026-08-01, bleu: { hp: 0.16, hc: 0.13 }, blanc: { hp: 0.2, hc: 0.1 }, rouge: { hp: 0,7295, hc: 0.1 } }] }",
    [
      '1:113 tariff.rates[0].rouge.7295: expected a known option (hp, hc), got "7295" (a number has a point, not a comma: 0.1654)',
    ],
  ],
  ["instance: Été 2", [`1:11 instance: expected ${AN_ID}, got "Été 2" (did you mean ete_2?)`]],
  [
    "broker: mqtt://b",
    [`1:1 broker: expected a known option (${OF_ALL}), got "broker" (did you mean mqtt?)`],
  ],
  ["user: me", [`1:1 user: expected a known option (${OF_ALL}), got "user" (did you mean mqtt.username?)`]],
  [
    "language: en",
    [
      `1:1 language: expected a known option (${OF_ALL}), got "language" (did you mean homeassistant.language?)`,
    ],
  ],
  ["zigbee: true", [`1:1 zigbee: expected a known option (${OF_ALL}), got "zigbee"`]],
])("%j", async (text, problems) => {
  const places = problems.map((problem) => `config/vigie.yaml:${problem}`);
  expect(await problemsOf(loadText(text))).toEqual(places);
});

// The keys in French, each with what stands above it.
test.each([
  ["", "règles rules, sorties outputs, sortie outputs, tarif tariff, relais outputs"],
  [
    "rules.0",
    "quand when, nom name, avance lead, retard lag, maintien hold, durée hold, seuil threshold, inconnu when_unknown",
  ],
  [
    "rules.0.when",
    "tout all, ou any, pas not, jour day, couleur color, confiance confidence, étape stage, au_moins at_least, chaque every, période period, entre between, jours weekday, mois month, règle rule, prix rate, tarif rate, restants left",
  ],
  [
    "rules.0.when.mqtt",
    "sujet topic, chemin path, plus_de above, moins_de below, au_moins at_least, au_plus at_most, égal equals, durée_max max_age",
  ],
  ["outputs.0", "sujet topic, choix choose, sinon else, inconnu unknown, confirmer confirm, nom name"],
  ["outputs.0.choose.0", "quand when, valeur payload, envoyer payload, attendu expect"],
  ["outputs.0.confirm", "sujet topic, chemin path, toutes_les every, pendant for"],
  ["service", "adresse base_url, couleurs colors, intervalle poll"],
  ["official", "adresse source"],
  ["mqtt", "adresse url, utilisateur username, mot_de_passe password, sujet base_topic"],
  ["tariff", "fuseau_horaire time_zone, heures_creuses off_peak, loi laws, prix rates"],
])("below %j a key in French means the English one", (above, words) => {
  const path = above.split(".").map((key) => (key === "0" ? 0 : key));
  const group = above === "" ? [] : path;
  const known = listKeys()
    .filter((key) => key.slice(0, -1).join(".") === above)
    .map((key) => String(key.at(-1)));
  const suggested = words
    .split(", ")
    .map((pair) => pair.split(" ")[0] ?? "")
    .map((word) => `${word}${suggestOption([...group, word], known)}`);
  expect(suggested).toEqual(words.split(", ").map((pair) => pair.replace(/ (\w+)$/, " (did you mean $1?)")));
});
