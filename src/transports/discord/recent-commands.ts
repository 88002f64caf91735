import { BoundedMap } from "../../domain/bounded-map.ts";
import type { MessageId, UserId } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Invocation } from "../../ports/discord.ts";

export interface FindRequest {
  readonly kind: "find";
  readonly query: string;
  readonly in?: string;
  readonly from?: string;
  /** In words, or as a timestamp. */
  readonly since?: string;
}

export interface CatchupRequest {
  readonly kind: "catchup";
  readonly timeframe: string;
  readonly in?: string;
  readonly focus?: string;
}

/** An answered command, with the data for the buttons under the answer: only the ids of the messages, none of their text. */
export interface RecentCommand {
  readonly invocation: Invocation;
  readonly request: FindRequest | CatchupRequest;
  /** Cursor of the next page; null on the last page. */
  readonly cursor: string | null;
  /** The messages that the page showed. */
  readonly shown: readonly MessageId[];
}

const TTL_MS = 60 * 60_000;
/** Per person, so that other people's commands never disable one's own buttons. */
const MAX_PER_PERSON = 50;
/** Limits memory only. */
const MAX_ENTRIES = 100_000;

/** The commands whose buttons still work. */
export class RecentCommands {
  readonly #mintId: () => string;
  readonly #entries: BoundedMap<string, { readonly id: string; readonly command: RecentCommand }>;

  constructor(clock: Clock, mintId: () => string) {
    this.#mintId = mintId;
    this.#entries = new BoundedMap({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS, clock });
  }

  /** Returns the id for the buttons. */
  add(command: RecentCommand): string {
    const { userId } = command.invocation;
    const own = [...this.#entries.values()].filter((entry) => entry.command.invocation.userId === userId);
    if (own[0] && own.length >= MAX_PER_PERSON) this.#entries.delete(own[0].id);
    const id = this.#mintId();
    this.#entries.set(id, { id, command });
    return id;
  }

  drop(userId: UserId): void {
    this.#entries.deleteWhere(({ command }) => command.invocation.userId === userId);
  }

  /** Null if this person has no such command, or it has expired. */
  find(id: string, userId: string): RecentCommand | null {
    const command = this.#entries.get(id)?.command;
    return command?.invocation.userId === userId ? command : null;
  }
}
