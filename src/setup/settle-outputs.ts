import { type DeviceUse, USES } from "../config/device-templates.ts";
import { type Added, NOTHING_ADDED, type Place } from "./added-outputs.ts";
import type { Questions } from "./person.ts";
import { addDevice, takeDevice } from "./settle-devices.ts";
import { addMessage, takeMessage } from "./settle-messages.ts";

/** The devices and messages that are options; else those that the person adds, one after the other. */
export async function settleOutputs(place: Place): Promise<Added> {
  const { options, person } = place.setup;
  const { devices, messages } = options;
  if (person.ask && devices.length + messages.length === 0) return askOutputs(person.ask, place);
  let added = NOTHING_ADDED;
  for (const given of devices) added = await takeDevice(given, added, place);
  for (const given of messages) added = await takeMessage(given, added, place);
  return added;
}

async function askOutputs(ask: Questions, place: Place): Promise<Added> {
  const { words } = place.setup;
  let added = NOTHING_ADDED;
  for (;;) {
    const count = added.outputs.length;
    const use = await ask.choose<DeviceUse | "message" | null>(
      words.which_use(count),
      [
        ...USES.map((value) => ({ value, label: words.uses[value], hint: words.use_hints[value] })),
        { value: "message", label: words.uses.message, hint: words.use_hints.message },
        { value: null, label: words.no_device },
      ],
      count === 0 ? USES[0] : null,
    );
    if (use === null) return added;
    added = use === "message" ? await addMessage(ask, added, place) : await addDevice(ask, use, added, place);
  }
}
