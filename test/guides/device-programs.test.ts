import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MQTT_DEVICES, startMqttRelay } from "../support/devices/mqtt-devices.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";

describe.skipIf(withoutMosquitto)(`the relays of the tests, at a real broker ${withoutMosquitto}`, () => {
  let broker: Mosquitto;
  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.remove());

  test.each(Object.entries(MQTT_DEVICES))(
    "%s: says whether it is there, reports the button, and comes back ON with a report or without one",
    async (_title, documented) => {
      const { isThere, reports } = documented;
      const observer = await observe(broker.url);
      const relay = await startMqttRelay(documented, broker.url);
      const stands = () => observer.retained.get(isThere.topic);
      const states = reports(false, null, true).map(({ topic }) => topic);
      const reported = () => observer.received.filter(({ topic }) => states.includes(topic)).length;
      await observer.until(() => stands() === isThere.yes, "it is there");
      expect(reported()).toBe(0);

      relay.press();
      expect(relay.isOn()).toBe(false);
      await observer.until(() => reported() === states.length, "it has reported the button");

      await relay.cutPower();
      await observer.until(() => stands() === isThere.no, "it is gone");
      await relay.returnPower({ reports: false });
      await observer.until(() => stands() === isThere.yes, "it is there again");
      expect(relay.isOn()).toBe(true);
      expect(reported()).toBe(states.length);

      await relay.cutPower();
      await observer.until(() => stands() === isThere.no, "it is gone again");
      await relay.returnPower({ reports: true });
      await observer.until(() => reported() === 2 * states.length, "it has reported its state");

      await observer.publish(documented.takes, "nonsense", false);
      await observer.until(() => relay.refused.length === 1, "it has refused nonsense");
      expect(relay.isOn()).toBe(true);
      expect(relay.told).toEqual(["nonsense"]);
      await relay.disconnect();
      await observer.disconnect();
    },
  );
});
