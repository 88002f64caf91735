import type { UserId } from "../ids.ts";
import type { Fact, FactBasis } from "./fact.ts";

/** One source of a new fact. */
export interface NewBasis extends Pick<FactBasis, "type" | "ref" | "isOwn"> {
  readonly authorId: UserId | null;
  /** The text as it was read. It is hashed, not kept. */
  readonly words: string;
}

/** A fact to be saved, confirmed by a person who may do so. */
export interface RememberRequest
  extends Pick<Fact, "scope" | "scopeId" | "subjectId" | "guildId" | "visibility" | "home" | "name" | "value">,
    Pick<Fact, "verification" | "confidence" | "expiresAt"> {
  /** At least one. */
  readonly basis: readonly NewBasis[];
  readonly createdBy: UserId;
  /** Facts that end with it, because they must no longer be used. */
  readonly ends: readonly string[];
  /** The fact that its person confirms again with this one; if it has ended, nothing is saved. */
  readonly again?: string;
}

/** The ways to confirm a proposed fact: as proposed, or for oneself alone; either may also end the version that others could use. */
export const WAYS = ["as_shown", "as_shown_end_old", "only_for_me", "only_for_me_end_old"] as const;
/** Replaces a fact with a similar name. It reveals that fact, so it is offered only in Discord, to the person alone, and never through a
 * program. */
export const NEAR_WAY = "replace_near";
export type WayName = (typeof WAYS)[number] | typeof NEAR_WAY;
