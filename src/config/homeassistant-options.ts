import { z } from "zod";
import { idWord, topic } from "./words.ts";

export const homeAssistantOptions = z
  .strictObject({
    discovery: z.enum(["device", "components", "off"]).default("device").meta({
      description:
        "How Home Assistant learns of the entities: device (one message), components (one each, for Domoticz and older openHAB) or off. Default device.",
    }),
    prefix: topic.default("homeassistant").meta({
      description: "Home Assistant's discovery topic. Default homeassistant, its own default.",
    }),
    status_topic: topic.default("homeassistant/status").meta({
      description:
        "Where Home Assistant says that it has started. Default homeassistant/status, its own default.",
    }),
    language: z.enum(["fr", "en"]).default("fr").meta({
      description: "Language of the names; ids never depend on it. Default fr.",
    }),
    exclude: z.array(idWord, { error: "a list of component keys, such as [now_color]" }).default([]).meta({
      description: "Keys of the components that are not wanted. Default none.",
    }),
  })
  .prefault({})
  .meta({ description: "Home Assistant." });
