/** An answer to a request of vigie. */
export interface HttpAnswer {
  status: number;
  /** By name, in small letters. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** There is no answer, also if vigie has ended the request. */
export interface NoAnswer {
  why: string;
  /** Something of the request may have arrived. */
  wasSent: boolean;
}
