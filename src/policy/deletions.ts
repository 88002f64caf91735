import type { GuildId, MessageId } from "../domain/ids.ts";
import type { Label } from "../domain/label.ts";
import type { Clock } from "../ports/clock.ts";
import type { DiscordEvent } from "../ports/discord.ts";

/** How long a deletion is remembered: longer than any operation lives. */
const REMEMBERED_MS = 60 * 60_000;
const MOST_REMEMBERED = 200_000;

/** Remembers which messages were deleted lately, and when deletions may have been missed. */
export class Deletions {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #deleted = new Map<MessageId, number>();
  /** By guild, and "" for direct messages: the last time at which deletions may have been missed. */
  readonly #missed = new Map<GuildId | "", number>();
  /** Deletions before this have been forgotten. */
  #forgottenUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(event: DiscordEvent): void {
    const now = this.#clock.now();
    if (event.type === "message_delete") {
      for (const id of event.messageIds) {
        this.#deleted.delete(id);
        this.#deleted.set(id, now);
      }
      this.#forget(now);
    } else if (event.type === "gap") {
      for (const guildId of event.guildIds) this.#missed.set(guildId, now);
      if (event.shard === 0) this.#missed.set("", now);
    } else if (event.type === "guild" || event.type === "guild_removed") {
      // It came into sight, again perhaps: what happened before was not heard.
      this.#missed.set(event.guildId, now);
    }
  }

  /** Whether anything of what was read has been deleted since. */
  concern(label: Label): boolean {
    return [...label.messages].some((id) => this.#deleted.has(id));
  }

  /** Whether something of what was read may have been deleted without our hearing of it. */
  mayHaveMissed(label: Label, guildOf: (channelId: string) => GuildId | null | undefined): boolean {
    const { since } = label;
    if (since === null || label.messages.size === 0) return false;
    if (since <= this.#forgottenUntil) return true;
    return [...label.channels].some((id) => since <= (this.#missed.get(guildOf(id) ?? "") ?? Number.NEGATIVE_INFINITY));
  }

  #forget(now: number): void {
    for (const [id, at] of this.#deleted) {
      if (now - at < REMEMBERED_MS && this.#deleted.size <= MOST_REMEMBERED) return;
      this.#deleted.delete(id);
      this.#forgottenUntil = at;
    }
  }
}
