/** Milliseconds that a test waits for what has to happen. A wait that ends well costs nothing: long enough for a busy machine. */
export const PATIENCE = 60_000;
