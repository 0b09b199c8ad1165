/** No connection came about. `code` is the broker's (CONNACK) or the system's; none: closed without a word. */
export class ConnectFailed extends Error {
  override readonly name = "ConnectFailed";
  readonly code: string | number | undefined;

  constructor(message: string, code: string | number | undefined, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The connection went away with something still to be done on it. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The broker took the message and said no; sending it again would change nothing. */
export class PublishRefused extends Error {
  override readonly name = "PublishRefused";
}

/** The broker lets nothing be heard there. */
export class SubscribeRefused extends Error {
  override readonly name = "SubscribeRefused";
}

/** What the broker or the way to it is to blame for; its message says what to look at. */
export function isBrokerError(error: unknown): error is Error {
  return [ConnectFailed, ConnectionLost, PublishRefused, SubscribeRefused].some(
    (kind) => error instanceof kind,
  );
}
