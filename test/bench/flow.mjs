/** A flow as a capable user of Node-RED builds it: inject, http request, function, mqtt out. */
export function describeFlow({ service, host, port, base }) {
  return [
    { id: "tab", type: "tab", label: "Colours" },
    {
      id: "each_hour",
      type: "inject",
      z: "tab",
      name: "each hour, and at the start",
      props: [],
      repeat: "3600",
      crontab: "",
      once: true,
      onceDelay: 0.1,
      wires: [["ask"]],
    },
    {
      id: "ask",
      type: "http request",
      z: "tab",
      name: "ask the service",
      method: "GET",
      ret: "obj",
      url: `${service}/v1/public`,
      senderr: false,
      wires: [["remember"]],
    },
    {
      id: "remember",
      type: "function",
      z: "tab",
      name: "remember, and tell",
      outputs: 1,
      func: `const base = ${JSON.stringify(base)};\n${REMEMBER}`,
      wires: [["tell"]],
    },
    {
      id: "tell",
      type: "mqtt out",
      z: "tab",
      name: "",
      topic: "",
      qos: "",
      retain: "",
      broker: "broker",
      wires: [],
    },
    {
      id: "broker",
      type: "mqtt-broker",
      name: "",
      broker: host,
      port: String(port),
      clientid: base,
      autoConnect: true,
      usetls: false,
      protocolVersion: "5",
      keepalive: "60",
      cleansession: true,
      birthTopic: `${base}/availability`,
      birthQos: "1",
      birthRetain: "true",
      birthPayload: "online",
      closeTopic: `${base}/availability`,
      closeQos: "1",
      closeRetain: "true",
      closePayload: "offline",
      willTopic: `${base}/availability`,
      willQos: "1",
      willRetain: "true",
      willPayload: "offline",
    },
  ];
}

/** The topics that it publishes. */
export const FLOW_TOPICS = [
  ...["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"].flatMap((day) => [
    `${day}/color`,
    `${day}/confidence`,
  ]),
  "rouge",
];

/** By date, so that an answer that stays away leaves the days that the last one named. */
const REMEMBER = `
const days = flow.get("days") || {};
if (msg.statusCode === 200) {
  const { today, tomorrow, forecast } = msg.payload;
  for (const day of [today, tomorrow, ...forecast]) days[day.date] = day;
  flow.set("days", days);
}
const on = (ahead) => {
  const date = new Date();
  date.setDate(date.getDate() + ahead);
  return days[date.toLocaleDateString("sv-SE", { timeZone: "Europe/Paris" })];
};
const tell = (topic, value) => ({ topic: base + "/" + topic, payload: String(value), qos: 1, retain: true });
const percent = (ratio) => (ratio === undefined ? "None" : Math.round(ratio * 100));
const told = ["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"].flatMap((name, ahead) => {
  const day = on(ahead);
  return [tell(name + "/color", day ? day.color : "None"), tell(name + "/confidence", percent(day && day.confidence))];
});
const rouge = [0, 1].some((ahead) => on(ahead) && on(ahead).color === "rouge");
return [[...told, tell("rouge", rouge ? "ON" : "OFF")]];
`;
