import type { AudienceRef } from "../domain/audience.ts";
import type { RecordStates } from "./record-states.ts";

/** A part of a document under one heading. */
export interface Passage {
  /** Which one: `<folder>/<hash of where it stands>`. Stays the same when its words change. */
  readonly ref: string;
  /** A hash of its words. */
  readonly version: string;
  /** What the operator calls the folder. */
  readonly name: string;
  /** Of the file within the folder, with slashes. */
  readonly path: string;
  /** The heading that it stands under, with those above it, the topmost first. */
  readonly headings: readonly string[];
  /** Both counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly text: string;
}

/** A folder that the operator has named. */
export interface DocumentFolder {
  readonly ref: string;
  readonly name: string;
  readonly audience: AudienceRef;
  /** False while it cannot be read: then nothing of it is found. */
  readonly isReadable: boolean;
}

/** Why a file, or what is in a folder, is left out. */
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

/** Text in folders of the operator's, as it is now. Nothing of it is stored on disk. */
export interface Documents extends RecordStates {
  /** In the order of the configuration. */
  folders(): readonly DocumentFolder[];
  /** The passages of these folders that fit best, the best first. Nothing about other folders has a part in it. */
  search(words: string, folderRefs: readonly string[], limit: number): Promise<readonly Passage[]>;
  stats(): DocumentStats;
}
