import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Fact } from "../../domain/memory/fact.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";
import type { SharedFact } from "./shared-facts.ts";

/** A shared fact that mentions the person who asks, who may hear it. In use. */
export interface MentioningFact extends SharedFact {
  /** True for a mention or an id, which are unambiguous; false for a name, which people choose themselves. */
  readonly isExact: boolean;
}

/** People's view of shared facts that mention them. Every method throws `unavailable` when facts cannot be read or stored. */
export interface MentioningFacts {
  /** In this server, or in all that the person is in; the newest first in each. Not what they said themselves. */
  list(person: UserId, guildId: GuildId | null): Promise<readonly MentioningFact[]>;
  /** For good, with its history, for everybody. Throws `not_found` unless it mentions them by id, and they may hear it. */
  remove(person: UserId, fact: Pick<Fact, "id" | "guildId">): Promise<Omit<ForgetReceipt, "facts">>;
  /** The person who said it and the admins see who asks. Throws `not_found` unless it names them, and they may hear it. Safe to repeat. */
  askRemoval(person: UserId, fact: Pick<Fact, "id" | "guildId">): Promise<void>;
}
