import { z } from "zod";
import { idWord, topic } from "./value-schemas.ts";

export const homeAssistantOptions = z
  .strictObject({
    discovery: z.enum(["device", "components", "off"]).default("device").meta({
      description:
        "How Home Assistant learns of vigie's entities: device (in one message), components (one by one, for Domoticz and openHAB before 5.2) or off. Default device. Changing it keeps every entity with its history.",
    }),
    prefix: topic.default("homeassistant").meta({
      description:
        "Topic under which Home Assistant looks for discovery messages. Default homeassistant, its own default: change it only where it was changed there.",
    }),
    status_topic: topic.default("homeassistant/status").meta({
      description:
        "Topic where Home Assistant says that it has started; it is told everything again then. Default homeassistant/status, its own default.",
    }),
    language: z.enum(["fr", "en"]).default("fr").meta({
      description: "Language of the entities' names: fr or en. Default fr. Ids never depend on it.",
    }),
    exclude: z.array(idWord, { error: "a list of component keys, such as [now_color]" }).default([]).meta({
      description:
        "Entities to do without, by their keys (now_slot is sensor.vigie_now_slot). Default none. One that is deleted in Home Assistant comes back; one that is named here does not.",
    }),
  })
  .prefault({})
  .meta({ description: "Home Assistant, and whatever else reads its discovery messages." });
