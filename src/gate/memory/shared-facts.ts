import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Fact } from "../../domain/memory/fact.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";

/** Why nobody hears a shared fact at the moment; null when it is in use. */
export type SharedDormancy =
  | "left_server"
  | "switched_off"
  | "source_edited"
  | "restored"
  | "source_deleted"
  | "source_uncertain"
  | null;

/** A fact that is shared in a server, as somebody sees it who may hear it there. */
export interface SharedFact {
  readonly fact: Fact;
  /** Its key and value may be shown only where this is null. */
  readonly dormant: SharedDormancy;
  /** Who had it remembered; null after they were erased, and while they are left out. */
  readonly by: UserId | null;
  /** What the operator calls its project; null where it has no name, and for other facts. */
  readonly project: string | null;
  /** Who asked for its removal, because it names them. */
  readonly askedBy: readonly UserId[];
}

/**
 * What admins of a server see and end of what is shared there. All of it throws `forbidden` for anybody else, and `unavailable` when it cannot be read
 * or stored.
 */
export interface SharedFacts {
  /** The newest first. */
  list(
    admin: UserId,
    guildId: GuildId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly count: number; readonly facts: readonly SharedFact[] }>;
  /** Those in use whose name is wanted, the newest first. */
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
