import type { View } from "../tools/view.ts";
import type { Lend } from "./call/call-time.ts";
import type { CallParts } from "./open-parts.ts";

/** The parts of a call as its tool gets them: lent until the call is over. Every access is decided, and everything returned is recorded. */
export class CallView implements View {
  readonly #parts: CallParts;
  readonly #lend: Lend;

  constructor(parts: CallParts, lend: Lend) {
    this.#parts = parts;
    this.#lend = lend;
  }

  get request(): View["request"] {
    return this.#lend(this.#parts.request());
  }

  get page(): View["page"] {
    return this.#lend(this.#parts.page());
  }

  get pace(): View["pace"] {
    return this.#lend(this.#parts.pace());
  }

  get times(): View["times"] {
    return this.#lend(this.#parts.times());
  }

  get channels(): View["channels"] {
    return this.#lend(this.#parts.channels());
  }

  get messages(): View["messages"] {
    return this.#lend(this.#parts.messages());
  }

  get people(): View["people"] {
    return this.#lend(this.#parts.people());
  }

  get facts(): View["facts"] {
    return this.#lend(this.#parts.facts());
  }

  get proposals(): View["proposals"] {
    return this.#lend(this.#parts.proposals());
  }

  get documents(): View["documents"] {
    return this.#lend(this.#parts.documents());
  }

  get talks(): View["talks"] {
    return this.#lend(this.#parts.talks());
  }

  get effects(): View["effects"] {
    return this.#lend(this.#parts.effects());
  }
}
