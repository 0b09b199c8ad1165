/** Asks for the configuration to be read again: SIGHUP, or a part of vigie that calls `send`. */
export interface ReloadSignal {
  send: () => void;
  /** Calls back at each signal, and at once if one came while nobody listened. Returns how to stop. */
  listen: (reload: () => void) => () => void;
}

/** From now on SIGHUP does not end this process. */
export function hearReloadSignal(): ReloadSignal {
  const signal = createReloadSignal();
  process.on("SIGHUP", signal.send);
  return signal;
}

/** One that comes during a start is remembered until the start is over. */
export function createReloadSignal(): ReloadSignal {
  let isRemembered = false;
  const remember = () => {
    isRemembered = true;
  };
  let hear = remember;
  return {
    send: () => hear(),
    listen: (reload) => {
      hear = reload;
      if (isRemembered) {
        isRemembered = false;
        reload();
      }
      return () => {
        hear = remember;
      };
    },
  };
}
