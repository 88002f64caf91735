import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Fact } from "../../domain/memory/fact.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";

/** The reason why a shared fact is dormant; null if it is in use. */
export type SharedDormancy =
  | "left_server"
  | "switched_off"
  | "source_edited"
  | "restored"
  | "source_deleted"
  | "source_uncertain"
  | null;

/** A fact shared in a server, as shown to people who may know it there. */
export interface SharedFact {
  readonly fact: Fact;
  /** Unless this is null, key and value must be hidden. */
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
  /** By an id or its prefix, or by the name of a fact in use. Throws `not_found` for facts they may not know of, as for missing ones. */
  find(admin: UserId, guildId: GuildId, typed: string): Promise<SharedFact>;
  /** Deletes it with its history, whose length is not disclosed, because they may not know all of it. Throws as `find`. */
  forget(admin: UserId, guildId: GuildId, factId: string): Promise<Omit<ForgetReceipt, "facts">>;
}
