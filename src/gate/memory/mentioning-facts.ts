import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Fact } from "../../domain/memory/fact.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";
import type { SharedFact } from "./shared-facts.ts";

/** A shared fact in use that mentions the person who asks, and that they may know. */
export interface MentioningFact extends SharedFact {
  /** True for a mention or an id, which are unambiguous; false for a name, which people choose themselves. */
  readonly isExact: boolean;
}

/** People's view of shared facts that mention them. Every method throws `unavailable` if facts cannot be read or stored. */
export interface MentioningFacts {
  /** In this server, or in all of the person's servers; the newest first in each. Without facts that they saved themselves. */
  list(person: UserId, guildId: GuildId | null): Promise<readonly MentioningFact[]>;
  /** Deletes it with its history, for everyone. Throws `not_found` unless it mentions them by id, and they may know it. */
  remove(person: UserId, fact: Pick<Fact, "id" | "guildId">): Promise<Omit<ForgetReceipt, "facts">>;
  /** Requests the removal. The writer and the admins see who asks. Throws `not_found` unless it names them, and they may know it. Safe
   * to repeat. */
  askRemoval(person: UserId, fact: Pick<Fact, "id" | "guildId">): Promise<void>;
}
