import type { AudienceRef } from "../domain/audience.ts";
import type { RecordStates } from "./record-states.ts";

/** A part of a document under one heading. */
export interface Passage {
  /** `<folder>/<hash of its position>`. Stays the same when the text changes. */
  readonly ref: string;
  /** A hash of the text. */
  readonly version: string;
  /** The operator's name for the folder. */
  readonly name: string;
  /** Path of the file within the folder, with slashes. */
  readonly path: string;
  /** The headings above the passage, the topmost first. */
  readonly headings: readonly string[];
  /** Both counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly text: string;
}

/** A folder that the operator configured. */
export interface DocumentFolder {
  readonly ref: string;
  readonly name: string;
  readonly audience: AudienceRef;
  /** False while it cannot be read: searches skip it then. */
  readonly isReadable: boolean;
}

/** Why a file or folder entry is skipped. */
export type SkipReason =
  | "link"
  | "hard_link"
  | "not_text"
  | "other_type"
  | "special_file"
  | "too_large"
  | "too_deep"
  | "too_many"
  | "unreadable";

export interface DocumentStats {
  readonly folders: number;
  readonly unreadable: number;
  readonly files: number;
  readonly passages: number;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
}

/** The text of the operator's folders, as it is now. Nothing of it is stored on disk. */
export interface Documents extends RecordStates {
  /** In the order of the configuration. */
  folders(): readonly DocumentFolder[];
  /** The passages of these folders that match best, the best first. Other folders do not influence the ranking. */
  search(words: string, folderRefs: readonly string[], limit: number): Promise<readonly Passage[]>;
  stats(): DocumentStats;
}
