import { StringDecoder } from "node:string_decoder";
import type { ReadStream } from "node:tty";
import { EarshotError } from "../domain/errors.ts";

export interface Prompts {
  /** Aborted when the person or the system wants the program to end, or the terminal is gone. */
  readonly signal: AbortSignal;
  tell(line: string): void;
  /**
   * One line as it was typed; null once `until` is aborted. Throws `cancelled` at Ctrl-C, the end of input and `signal`. However it ends, the
   * terminal is as it was before.
   */
  ask(
    question: string,
    options?: { readonly isHidden?: boolean; readonly until?: AbortSignal },
  ): Promise<string | null>;
}

const [INTERRUPT, END_OF_INPUT, ERASE_LINE, ENTER] = ["\u0003", "\u0004", "\u0015", "\r\n"];
const ERASE = "\b\u007f";
/** Arrows and other keys without a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as control characters.
const KEYS = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])/g;

/** For a person at a terminal. Questions go to `output`, so that standard output holds results alone. */
export function createPrompts(
  input: ReadStream,
  output: { write(text: string): unknown },
  signal: AbortSignal,
): Prompts {
  return {
    signal,
    tell: (line) => void output.write(`${line}\n`),
    ask(question, { isHidden = false, until } = {}) {
      // Before the question is seen: the terminal would show what is pasted at once.
      input.setRawMode(true);
      output.write(question);
      const { promise, resolve, reject } = Promise.withResolvers<string | null>();
      const decoder = new StringDecoder("utf8");
      let typed = "";
      const onKey = (key: string) => {
        if (key === INTERRUPT || key === END_OF_INPUT) cancel();
        else if (ENTER.includes(key)) resolve(typed);
        else if (ERASE.includes(key)) erase(1);
        else if (key === ERASE_LINE) erase(typed.length);
        else if (key >= " ") {
          typed += key;
          if (!isHidden) output.write(key);
        }
      };
      const erase = (count: number) => {
        if (!isHidden) output.write("\b \b".repeat(Math.min(count, typed.length)));
        typed = typed.slice(0, Math.max(0, typed.length - count));
      };
      const onData = (chunk: Buffer) => {
        for (const key of decoder.write(chunk).replace(KEYS, "")) onKey(key);
      };
      const cancel = () => reject(stopped());
      const skip = () => resolve(null);
      if (signal.aborted) cancel();
      if (until?.aborted) skip();
      input.on("data", onData).once("end", cancel).once("error", cancel).resume();
      signal.addEventListener("abort", cancel);
      until?.addEventListener("abort", skip);
      return promise.finally(() => {
        input.off("data", onData).off("end", cancel).pause();
        input.setRawMode(false);
        signal.removeEventListener("abort", cancel);
        until?.removeEventListener("abort", skip);
        output.write("\n");
      });
    },
  };
}

export function stopped(): EarshotError {
  return new EarshotError("cancelled", "Stopped; nothing was written.");
}
