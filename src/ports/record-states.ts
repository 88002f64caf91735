import type { AudienceRef } from "../domain/audience.ts";
import type { UserId } from "../domain/ids.ts";
import type { Kept, RecordKind, SourceState } from "../domain/source.ts";

/** The current state of records of one kind. */
export interface RecordStates {
  /** Whether a source that was read still stands. `uncertain` while that is unknown. Makes no request. */
  stateOf(source: Kept<RecordKind>): SourceState;
  /** The current version of a record; null if it is gone. Throws `unavailable` while that is unknown. */
  versionOf(ref: string): Promise<string | null>;
  /** The audience of a record in today's configuration; null if it is no longer configured. */
  audienceOf(ref: string): AudienceRef | null;
  /** The person that the record is about; null for none. */
  subjectOf(ref: string): UserId | null;
  /** True only if it is known to be gone. */
  isGone(ref: string): Promise<boolean>;
}

/** By kind. Records of a missing kind are uncertain. */
export type RecordKinds = Readonly<Partial<Record<RecordKind, RecordStates>>>;
