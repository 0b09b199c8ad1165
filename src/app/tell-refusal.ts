import type { LoadedConfig } from "../config/load-config.ts";
import type { PageView } from "../http/page-view.ts";

/** Adds to what the page shows why the configuration that was read last is not in force; the same object until something changes. */
export function createRefusalTeller(): (
  view: PageView | undefined,
  loaded: LoadedConfig,
) => PageView | undefined {
  let told: { view: PageView; loaded: LoadedConfig; made: PageView } | undefined;
  return (view, loaded) => {
    const { refused, brokerIsUnknown } = loaded;
    if (!view || (refused.length === 0 && !brokerIsUnknown)) return view;
    if (told?.view !== view || told.loaded !== loaded)
      told = { view, loaded, made: { ...view, refused, brokerIsUnknown } };
    return told.made;
  };
}
