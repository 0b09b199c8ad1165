/** What is sent back. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string | number>;
  body: Buffer;
}

/** Of every answer. Styles, scripts, images and connections of the page are its own, nothing is inline. */
export const SECURITY_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};
