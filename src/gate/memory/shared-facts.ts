import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Fact } from "../../domain/memory/fact.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";

/** The reason why a shared fact is not heard at the moment; null when it is in use. */
export type SharedDormancy =
  | "left_server"
  | "switched_off"
  | "source_edited"
  | "restored"
  | "source_deleted"
  | "source_uncertain"
  | null;

/** A fact shared in a server, in the form for people who may hear it there. */
export interface SharedFact {
  readonly fact: Fact;
  /** Its key and value may be shown only where this is null. */
  readonly dormant: SharedDormancy;
  /** The person who saved it; null after they were erased, and while they opted out. */
  readonly by: UserId | null;
  /** The operator's name for its project; null without one, and for other facts. */
  readonly project: string | null;
  /** People who asked for its removal, because it names them. */
  readonly askedBy: readonly UserId[];
}

/**
 * The admins' view of shared facts in their server. Every method throws `forbidden` for other people, and `unavailable` when facts cannot be read or stored.
 */
export interface SharedFacts {
  /** The newest first. */
  list(
    admin: UserId,
    guildId: GuildId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly count: number; readonly facts: readonly SharedFact[] }>;
  /** Facts in use whose name matches, the newest first. */
  suggest(
    admin: UserId,
    guildId: GuildId,
    wanted: { readonly limit: number; isWanted(name: string): boolean },
  ): Promise<readonly SharedFact[]>;
  /** By an id or its beginning, or by the name of one in use. Throws `not_found` for what they may not know of, as for what does not exist. */
  find(admin: UserId, guildId: GuildId, typed: string): Promise<SharedFact>;
  /** For good, with its history, of which they may not know all: how long that was is not told. Throws as `find`. */
  forget(admin: UserId, guildId: GuildId, factId: string): Promise<Omit<ForgetReceipt, "facts">>;
}
