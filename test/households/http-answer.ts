/** A request of vigie, to a source or to a device, got no answer. */
export class NoAnswer extends Error {
  /** Something of the request may have arrived. */
  readonly wasSent: boolean;

  constructor(why: string, how: { wasSent: boolean }) {
    super(why);
    this.wasSent = how.wasSent;
  }
}

/** An answer to a request of vigie. */
export interface HttpAnswer {
  status: number;
  /** By name, in small letters. */
  headers: Readonly<Record<string, string>>;
  body: string;
}
