import { ConnectFailed } from "./broker-errors.ts";
import { isSilent, refusesVersion } from "./connect-failures.ts";
import type { Version } from "./connection.ts";

interface Closing {
  close: () => Promise<void>;
}

/**
 * MQTT 5 first, 3.1.1 where the broker refuses 5. Some brokers refuse by hanging up, and so does a proxy while its broker
 * is away: 3.1.1 is believed only when 5, asked once more beside it, is cut off again.
 */
export async function negotiate<Opened extends Closing>(
  open: (version: Version) => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open(5);
  } catch (failure) {
    if (!(failure instanceof ConnectFailed)) throw failure;
    if (refusesVersion(failure)) return open(4);
    if (!isSilent(failure)) throw failure;
    return hungUp(open, failure);
  }
}

async function hungUp<Opened extends Closing>(
  open: (version: Version) => Promise<Opened>,
  failure: ConnectFailed,
): Promise<Opened> {
  const old = await open(4).catch(() => {
    throw failure;
  });
  const modern = await open(5).catch(() => null);
  if (!modern) return old;
  await old.close();
  return modern;
}
