import type { CommandRun, FilledForm, Press, Typing } from "../ports/discord.ts";
import {
  type PressAnswers,
  type TypingAnswers,
  toCommandRun,
  toFilledForm,
  toPress,
  toTyping,
} from "./interactions.ts";
import type { Raw } from "./read.ts";

/** Listeners for button presses, commands, typed options and filled-in forms. */
export class InteractionListeners {
  readonly #answers: PressAnswers & TypingAnswers;
  readonly #presses = new Set<(press: Press) => void>();
  readonly #commands = new Set<(run: CommandRun) => void>();
  readonly #typings = new Set<(typing: Typing) => void>();
  readonly #forms = new Set<(filled: FilledForm) => void>();

  constructor(answers: PressAnswers & TypingAnswers) {
    this.#answers = answers;
  }

  forPresses(listener: (press: Press) => void): () => void {
    return join(this.#presses, listener);
  }

  forCommands(listener: (run: CommandRun) => void): () => void {
    return join(this.#commands, listener);
  }

  forTyping(listener: (typing: Typing) => void): () => void {
    return join(this.#typings, listener);
  }

  forForms(listener: (filled: FilledForm) => void): () => void {
    return join(this.#forms, listener);
  }

  hear(type: string, raw: Raw): void {
    if (type !== "INTERACTION_CREATE") return;
    tell(this.#presses, toPress(type, raw, this.#answers));
    tell(this.#commands, toCommandRun(type, raw, this.#answers));
    tell(this.#typings, toTyping(type, raw, this.#answers));
    tell(this.#forms, toFilledForm(type, raw, this.#answers));
  }
}

function join<Heard>(listeners: Set<(heard: Heard) => void>, listener: (heard: Heard) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function tell<Heard>(listeners: ReadonlySet<(heard: Heard) => void>, heard: Heard | null): void {
  if (heard) for (const listener of listeners) listener(heard);
}
