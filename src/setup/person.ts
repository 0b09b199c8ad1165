import { type Readable, Writable } from "node:stream";
import { confirm, isCancel, log, password, S_BAR, select, text } from "@clack/prompts";
import { wrapAnsi } from "fast-wrap-ansi";
import { escapeControls } from "../runtime/escape-controls.ts";
import type { Words } from "./words.ts";

/** What a set-up may touch of the world. */
export interface SetupIo {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdout: Output;
  stderr: Output;
  signal: AbortSignal;
  /** Where a person can be asked; undefined where there is nobody. */
  terminal?: Terminal | undefined;
}

interface Output {
  write(text: string, how?: "painted"): unknown;
}

export interface Terminal {
  input: Readable;
  /** Its size. */
  output: { columns?: number; rows?: number };
}

/** The questions are over before the last one was answered. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string | undefined;
}

/** Each question rejects with Stopped when the person leaves. */
export interface Questions {
  choose<T>(question: string, choices: readonly Choice<T>[], first?: T): Promise<T>;
  /** `usual` is the answer of whoever types nothing; `check` says what is wrong with an answer. */
  type(
    question: string,
    how?: { usual?: string | undefined; check?: (answer: string) => string | undefined },
  ): Promise<string>;
  typeSecret(question: string): Promise<string>;
  agree(question: string, first?: boolean): Promise<boolean>;
}

/** Who sets vigie up: a person at a terminal, or a script whose answers are options. */
export interface Person {
  /** null: nobody can be asked. */
  ask: Questions | null;
  say(kind: "good" | "bad" | "note" | "wait", words: string): void;
  /** Aborts when the person leaves in any way: Ctrl-C, Ctrl-D, a signal, a terminal that is closed. */
  signal: AbortSignal;
  /** Leaves the terminal as it was. */
  leave(): void;
}

/** What is said goes to stdout line by line. */
export function scriptedPerson({ stdout, signal }: SetupIo): Person {
  const marks = { good: "ok      ", bad: "FAILED  ", note: "        ", wait: "        " };
  return {
    ask: null,
    say: (kind, words) => {
      if (kind !== "wait") stdout.write(`${marks[kind]}${words}\n`);
    },
    signal,
    leave: () => undefined,
  };
}

export function personAtTerminal(io: SetupIo, terminal: Terminal, words: () => Words): Person {
  const { input } = terminal;
  const left = new AbortController();
  const signal = AbortSignal.any([io.signal, left.signal]);
  // To a terminal that was closed nothing can be written: an error of stdout would end the process at once.
  let isClosed = false;
  const close = () => {
    isClosed = true;
    left.abort();
  };
  // With Ctrl-D the reader of keys ends, and nobody would hear the next one.
  const hearKey = (_: unknown, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl && key.name === "d") left.abort();
  };
  const ends = ["end", "close", "error"] as const;
  for (const name of ends) input.on(name, close);
  input.on("keypress", hearKey);
  process.on("SIGHUP", close);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      if (!isClosed) io.stdout.write(String(chunk), "painted");
      done();
    },
  });
  // Some terminals say that they have no columns.
  Object.defineProperties(output, {
    columns: { get: () => terminal.output.columns || 80 },
    rows: { get: () => terminal.output.rows || 24 },
    isTTY: { value: true },
  });
  /** Between words, beside the line that the library draws. It does so itself for `choose` and `agree` only. */
  const wrap = (words: string) =>
    wrapAnsi(escapeControls(words), (terminal.output.columns || 80) - BAR.length);
  const wrapQuestion = (words: string) => wrap(words).replaceAll("\n", `\n${BAR}`);
  /** With a signal of its own for each question: the library would end each question that was answered once more. */
  const answer = async <T>(question: (shared: Shared) => Promise<T>): Promise<Exclude<T, symbol>> => {
    const end = new AbortController();
    const abort = () => end.abort();
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    try {
      const given = await question({ input, output, signal: end.signal });
      if (isCancel(given)) throw new Stopped();
      return given as Exclude<T, symbol>;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
  const ask: Questions = {
    choose: async (question, choices, first) => {
      const options = choices.map(({ label, hint }, value) => ({
        value,
        label: escapeControls(label),
        ...(hint !== undefined && { hint: escapeControls(hint) }),
      }));
      const how = {
        message: escapeControls(question),
        options,
        initialValue: Math.max(
          0,
          choices.findIndex(({ value }) => value === first),
        ),
        maxItems: MOST_SHOWN,
        showInstructions: false,
      };
      const chosen = choices[await answer((shared) => select({ ...shared, ...how }))];
      if (!chosen) throw new Error("expected a choice");
      return chosen.value;
    },
    type: async (question, { usual = "", check } = {}) => {
      const read = (given?: string) => given?.trim() || usual;
      const validate = (given?: string) => {
        const problem = check?.(read(given));
        return problem && wrap(problem).replaceAll("\n", `\n${" ".repeat(BAR.length)}`);
      };
      const how = {
        message: wrapQuestion(question),
        placeholder: usual,
        defaultValue: usual,
        validate,
      };
      return read(await answer((shared) => text({ ...shared, ...how })));
    },
    typeSecret: async (question) => {
      const message = wrapQuestion(question);
      const given: string | undefined = await answer((shared) => password({ ...shared, message }));
      return given ?? "";
    },
    agree: async (question, first = true) => {
      const { yes, no } = words();
      const how = { message: escapeControls(question), active: yes, inactive: no, initialValue: first };
      return answer((shared) => confirm({ ...shared, ...how }));
    },
  };
  return {
    ask,
    say: (kind, said) => {
      const line = { good: log.success, bad: log.error, note: log.message, wait: log.step }[kind];
      line(wrap(said), { output });
    },
    signal,
    leave: () => {
      for (const name of ends) input.off(name, close);
      input.off("keypress", hearKey);
      process.off("SIGHUP", close);
    },
  };
}

interface Shared {
  input: Readable;
  output: Writable;
  signal: AbortSignal;
}

const MOST_SHOWN = 12;
const BAR = `${S_BAR}  `;
