import type { IncomingMessage, ServerResponse } from "node:http";
import { SECURITY_HEADERS } from "./http-answer.ts";

interface EventStreamsOptions {
  /** The id of the newest view; undefined before the first start. */
  newest: () => string | undefined;
  most: number;
  /**
   * Milliseconds after which the id is sent again. A page that hears nothing for longer says so: a connection can die without
   * a sign. Proxies close a stream that is silent, too.
   */
  heartbeat: number;
  /** Bytes that a browser may leave unread. */
  unreadLimit: number;
}

export interface EventStreams {
  /** false: there are too many. */
  open: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** There is a newer view. */
  announce: () => void;
  close: () => void;
}

/** Tells each open page that there is a newer view; the page then asks for what it shows. */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { newest, most, heartbeat, unreadLimit } = options;
  const streams = new Set<ServerResponse>();
  let beating: NodeJS.Timeout | undefined;
  let isAnnouncing = false;
  const send = (text: string) => {
    for (const stream of streams) {
      if (stream.writableLength > unreadLimit) stream.destroy();
      else stream.write(text);
    }
  };
  const forget = (stream: ServerResponse) => {
    streams.delete(stream);
    if (streams.size === 0) clearInterval(beating);
  };
  return {
    open: ({ method, headers }, response) => {
      if (streams.size >= most) return false;
      response.writeHead(200, HEADERS);
      if (method === "HEAD") {
        response.end();
        return true;
      }
      if (streams.size === 0) beating = setInterval(tell, heartbeat).unref();
      streams.add(response);
      response.once("close", () => forget(response));
      const id = newest();
      const missed = id === undefined || id === headers["last-event-id"] ? "" : event(id);
      response.write(`retry: ${RETRY}\n\n${missed}`);
      return true;
    },
    announce: () => {
      // Several changes in one round of the event loop, such as an answer and its verdicts, are one event.
      if (streams.size === 0 || isAnnouncing) return;
      isAnnouncing = true;
      setImmediate(() => {
        isAnnouncing = false;
        tell();
      });
    },
    close: () => {
      for (const stream of streams) stream.end();
    },
  };

  function tell(): void {
    const id = newest();
    if (id !== undefined) send(event(id));
  }
}

function event(id: string): string {
  return `id: ${id}\ndata: ${id}\n\n`;
}

/** Milliseconds after which a browser connects again. */
const RETRY = 3_000;

/** nginx would else keep events back until it has a bufferful. */
const HEADERS = {
  ...SECURITY_HEADERS,
  "Cache-Control": "no-store",
  "Content-Type": "text/event-stream",
  "X-Accel-Buffering": "no",
};
