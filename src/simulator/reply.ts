/** An HTTP answer before it is sent, so that faults can still change it. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

export function jsonReply(status: number, body: unknown): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

export function bodyBytes({ body }: Reply): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}
