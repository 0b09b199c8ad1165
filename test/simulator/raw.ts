import { request } from "node:http";

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** Whether the answer arrived whole; otherwise the code of the error that cut it. */
  end: "whole" | string;
}

interface Asking {
  headers?: Record<string, string>;
  /** The local address to ask from. */
  from?: string;
  /** Leaves in the middle of the answer, once it has this many bytes. */
  leaveAt?: number;
}

/** One request on a connection of its own, with what came back as it came back; rejects where nothing did. */
export function raw(url: string, asking: Asking = {}): Promise<RawAnswer> {
  const { headers = {}, from, leaveAt = Number.POSITIVE_INFINITY } = asking;
  const options = {
    headers,
    agent: false,
    ...(from && { localAddress: from }),
  };
  return new Promise((resolve, reject) => {
    let [begun, end] = [false, "whole"];
    const asked = request(url, options, (answer) => {
      begun = true;
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (Buffer.concat(chunks).length < leaveAt) return;
        end = "left";
        answer.destroy();
      });
      answer.on("error", (error: NodeJS.ErrnoException) => {
        end = error.code ?? error.message;
      });
      answer.on("close", () => {
        const body = Buffer.concat(chunks);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, end });
      });
    });
    // A reset in the middle of an answer is an error of the request, not of the answer.
    asked.on("error", (error: NodeJS.ErrnoException) => {
      end = error.code ?? error.message;
      if (!begun) reject(error);
    });
    asked.end();
  });
}

export function json(answer: RawAnswer): unknown {
  return JSON.parse(answer.body.toString("utf8"));
}
