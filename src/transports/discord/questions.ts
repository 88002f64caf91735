import type { MessageId } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Asker } from "../../ports/discord.ts";

export interface FindQuestion {
  readonly kind: "find";
  readonly query: string;
  readonly in?: string;
  readonly from?: string;
  /** In words, or a moment. */
  readonly since?: string;
}

export interface CatchupQuestion {
  readonly kind: "catchup";
  readonly timeframe: string;
  readonly in?: string;
  readonly focus?: string;
}

/** What somebody asked, as far as the buttons under the answer need it. Nothing that was found is kept, only which messages it was. */
export interface Asked {
  readonly asker: Asker;
  readonly question: FindQuestion | CatchupQuestion;
  /** Where the next page begins; null when there is none. */
  readonly cursor: string | null;
  /** The messages that the page showed. */
  readonly shown: readonly MessageId[];
}

const KEPT_MS = 60 * 60_000;
/** Of one person: nobody loses buttons by what others ask. */
const MAX_KEPT_PER_PERSON = 50;

/** The questions whose answers still have buttons that work. */
export class Questions {
  readonly #clock: Clock;
  readonly #mintId: () => string;
  readonly #kept = new Map<string, { readonly asked: Asked; readonly until: number }>();

  constructor(clock: Clock, mintId: () => string) {
    this.#clock = clock;
    this.#mintId = mintId;
  }

  keep(asked: Asked): string {
    for (const [id, { until }] of this.#kept) {
      if (until > this.#clock.now()) break;
      this.#kept.delete(id);
    }
    const own = [...this.#kept].filter(([, kept]) => kept.asked.asker.userId === asked.asker.userId);
    const [oldest] = own;
    if (oldest && own.length >= MAX_KEPT_PER_PERSON) this.#kept.delete(oldest[0]);
    const id = this.#mintId();
    this.#kept.set(id, { asked, until: this.#clock.now() + KEPT_MS });
    return id;
  }

  /** Null for what was never asked, by this person, or too long ago. */
  find(id: string, userId: string): Asked | null {
    const kept = this.#kept.get(id);
    return kept && kept.until > this.#clock.now() && kept.asked.asker.userId === userId ? kept.asked : null;
  }
}
