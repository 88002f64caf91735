import type { UserId } from "../ids.ts";
import type { Fact, FactBasis } from "./fact.ts";

/** One of the things that a new fact rests on. */
export interface NewBasis extends Pick<FactBasis, "type" | "ref" | "isOwn"> {
  readonly authorId: UserId | null;
  /** As they were read. They are hashed, not kept. */
  readonly words: string;
}

/** A fact to be saved, decided and confirmed by a person who may do so. */
export interface RememberRequest
  extends Pick<Fact, "scope" | "scopeId" | "subjectId" | "guildId" | "visibility" | "home" | "name" | "value">,
    Pick<Fact, "verification" | "confidence" | "expiresAt"> {
  /** At least one. */
  readonly basis: readonly NewBasis[];
  readonly createdBy: UserId;
  /** Facts that end with it: they may no longer be heard. */
  readonly ends: readonly string[];
  /** The fact that its person confirms again with this one: once that has ended, nothing is remembered. */
  readonly again?: string;
}

/** The ways to confirm a proposed fact: as proposed, or for oneself alone; either may also end the version that others heard. */
export const WAYS = ["as_shown", "as_shown_end_old", "only_for_me", "only_for_me_end_old"] as const;
/** Under the name of a similar fact, in its place. It tells of that fact, so it is offered in Discord, to the person alone, and never through a program. */
export const NEAR_WAY = "replace_near";
export type WayName = (typeof WAYS)[number] | typeof NEAR_WAY;
