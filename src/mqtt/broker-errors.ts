/** An error of the broker or of the network to it; its message says what to check. */
export class BrokerError extends Error {}

/**
 * A connection could not be made. `code` is the broker's (a number, in CONNACK) or the system's; undefined: the broker closed
 * the connection before it answered.
 */
export class ConnectFailed extends BrokerError {
  override readonly name = "ConnectFailed";
  readonly code: string | number | undefined;

  constructor(message: string, code: string | number | undefined, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The connection ended before something was done over it. */
export class ConnectionLost extends BrokerError {
  override readonly name = "ConnectionLost";
}

/** The broker refused a message; sending it again at once would change nothing. */
export class PublishRefused extends BrokerError {
  override readonly name = "PublishRefused";
}

/** The broker refused a subscription. */
export class SubscribeRefused extends BrokerError {
  override readonly name = "SubscribeRefused";
}
