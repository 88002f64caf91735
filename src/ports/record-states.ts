import type { AudienceRef } from "../domain/audience.ts";
import type { UserId } from "../domain/ids.ts";
import type { Kept, RecordKind, SourceState } from "../domain/source.ts";

/** How records of one kind stand now. */
export interface RecordStates {
  /** Whether what was read still stands. `uncertain` while nobody can say. Answers at once. */
  stateOf(source: Kept<RecordKind>): SourceState;
  /** The version of a record as it is now; null for one that is gone. Throws `unavailable` while nobody can say. */
  versionOf(ref: string): Promise<string | null>;
  /** Who may hear it, by the configuration of today; null for what is not configured any more. */
  audienceOf(ref: string): AudienceRef | null;
  /** The person it is about; null for nobody. */
  subjectOf(ref: string): UserId | null;
  /** Whether it is known to be gone. */
  isGone(ref: string): Promise<boolean>;
}

/** By kind. Of a kind that is missing, nothing is known: its records are uncertain. */
export type RecordKinds = Readonly<Partial<Record<RecordKind, RecordStates>>>;
