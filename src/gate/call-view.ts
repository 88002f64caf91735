import type { View } from "../tools/view.ts";
import type { CallParts } from "./open-parts.ts";

/** Everything that a call can reach within its operation. Every access is decided, and everything it returns is recorded. */
export class CallView implements View {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  get request(): View["request"] {
    return this.#parts.request();
  }

  get page(): View["page"] {
    return this.#parts.page();
  }

  get pace(): View["pace"] {
    return this.#parts.pace();
  }

  get times(): View["times"] {
    return this.#parts.times();
  }

  get channels(): View["channels"] {
    return this.#parts.channels();
  }

  get messages(): View["messages"] {
    return this.#parts.messages();
  }

  get people(): View["people"] {
    return this.#parts.people();
  }

  get facts(): View["facts"] {
    return this.#parts.facts();
  }

  get proposals(): View["proposals"] {
    return this.#parts.proposals();
  }

  get documents(): View["documents"] {
    return this.#parts.documents();
  }

  get talks(): View["talks"] {
    return this.#parts.talks();
  }

  get effects(): View["effects"] {
    return this.#parts.effects();
  }
}
