import type { GuildId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { DiscordEvent } from "../ports/discord.ts";

const MAX_KEPT_EVENTS = 10_000;

/** Passes events to all listeners. Events that happen before there is a listener are kept for the first one. */
export class Announcer {
  readonly #clock: Clock;
  readonly #allGuilds: () => GuildId[];
  readonly #listeners = new Set<(event: DiscordEvent) => void>();
  #kept: DiscordEvent[] | null = [];
  #overflowedAt: number | null = null;
  /** One for each shard. Later listeners get them too: they missed the same events. */
  readonly #restartGaps: DiscordEvent[] = [];

  constructor(clock: Clock, allGuilds: () => GuildId[]) {
    this.#clock = clock;
    this.#allGuilds = allGuilds;
  }

  announce(event: DiscordEvent): void {
    if (event.type === "gap" && event.reason === "restart") this.#restartGaps.push(event);
    if (this.#kept === null) for (const listener of this.#listeners) listener(event);
    else if (this.#kept.length < MAX_KEPT_EVENTS) this.#kept.push(event);
    else this.#overflowedAt ??= this.#clock.now();
  }

  listen(listener: (event: DiscordEvent) => void): () => void {
    this.#listeners.add(listener);
    const kept = this.#kept;
    this.#kept = null;
    for (const event of kept ?? this.#restartGaps) listener(event);
    if (kept && this.#overflowedAt !== null) listener(this.#overflow(this.#overflowedAt));
    return () => this.#listeners.delete(listener);
  }

  #overflow(since: number): DiscordEvent {
    const span = { from: new Date(since).toISOString(), to: new Date(this.#clock.now()).toISOString() };
    return { type: "gap", ...span, reason: "events_lost", guildIds: this.#allGuilds(), shard: 0 };
  }
}
