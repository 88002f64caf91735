import { setTimeout as sleep } from "node:timers/promises";
import { EarshotError } from "../domain/errors.ts";
import type { DocumentFolder, DocumentStats, Documents, Passage, SkipReason } from "../ports/documents.ts";
import { type FolderSetting, HeldFolder, type Skipped } from "./document-folder.ts";
import { rankPassages } from "./rank-passages.ts";

export interface DocumentsOptions {
  /** How long after a look the next one follows. */
  readonly lookAgainMs?: number;
}

/** A folder with what was left out of it, for the operator. */
interface FolderReport extends Pick<DocumentFolder, "name" | "isReadable"> {
  readonly files: number;
  readonly passages: number;
  readonly skipped: readonly Skipped[];
}

export interface OpenDocuments extends Documents {
  report(): readonly FolderReport[];
  /** Ends after the look that is under way. Safe to repeat. */
  close(): Promise<void>;
}

/**
 * Looking for changes every other second works the same on every platform and file system, network ones included; file watchers do not. Besides, the file of
 * each passage is looked at again before something based on it is said.
 */
const LOOK_AGAIN_MS = 2_000;
/** A folder that does not answer, such as one on a network, must not keep others from being searched. */
const MAX_WAIT_MS = 1_000;

/** Has read all folders once when it resolves. A folder that cannot be read does not fail: it is said where it would be searched. */
export async function openDocuments(
  settings: readonly FolderSetting[],
  { lookAgainMs = LOOK_AGAIN_MS }: DocumentsOptions = {},
): Promise<OpenDocuments> {
  const folders = settings.map((setting) => new HeldFolder(setting));
  const byRef = new Map(folders.map((folder) => [folder.ref, folder]));
  let looking: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function look(): Promise<void> {
    looking ??= lookAtAll().finally(() => {
      looking = null;
      clearTimeout(timer);
      if (!isClosed && folders.length > 0) timer = setTimeout(() => void look(), lookAgainMs).unref();
    });
    return looking;
  }

  async function lookAtAll(): Promise<void> {
    const marks = new Map<HeldFolder, readonly string[]>();
    for (const folder of folders) marks.set(folder, await folder.marks());
    for (const folder of folders) {
      const apart = new Set(folders.flatMap((other) => (other === folder ? [] : (marks.get(other) ?? []))));
      await folder.look(apart);
    }
  }

  /** So that what was found to have changed is read first. */
  const settled = () => looking && Promise.race([looking, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
  /** A passage's reference begins with that of its folder. */
  const folderOf = (ref: string) => byRef.get(ref.split("/")[0] ?? "");

  await look();
  return {
    folders: () => folders,
    async search(words, folderRefs, limit): Promise<readonly Passage[]> {
      await settled();
      const indexes = folderRefs.flatMap((ref) => byRef.get(ref)?.indexes ?? []);
      return rankPassages(words, indexes, limit);
    },
    stateOf({ ref, version }) {
      const folder = folderOf(ref);
      if (!folder) return "deleted";
      // A passage that was only searched disclosed nothing but how well it matches.
      if (version === null) return "standing";
      if (!folder.isReadable) return "uncertain";
      const passage = folder.find(ref);
      if (!passage) return "deleted";
      if (passage.version !== version) return "changed";
      if (folder.isAsRead(ref)) return "standing";
      void look();
      return "uncertain";
    },
    async versionOf(ref) {
      await settled();
      const folder = folderOf(ref);
      if (folder && !folder.isReadable)
        throw new EarshotError("unavailable", "Documents that this rests on cannot be read at the moment.");
      return folder?.find(ref)?.version ?? null;
    },
    audienceOf: (ref) => folderOf(ref)?.audience ?? null,
    subjectOf: () => null,
    async isGone(ref) {
      await settled();
      const folder = folderOf(ref);
      return !folder || (folder.isReadable && !folder.find(ref));
    },
    stats: () => toStats(folders),
    report: () =>
      folders.map((folder) => ({
        name: folder.name,
        isReadable: folder.isReadable,
        ...folder.counts,
        skipped: folder.skipped,
      })),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await settled();
    },
  };
}

function toStats(folders: readonly HeldFolder[]): DocumentStats {
  const skipped: Partial<Record<SkipReason, number>> = {};
  let [unreadable, files, passages] = [0, 0, 0];
  for (const folder of folders) {
    files += folder.counts.files;
    passages += folder.counts.passages;
    if (!folder.isReadable) unreadable += 1;
    for (const { reason } of folder.skipped) skipped[reason] = (skipped[reason] ?? 0) + 1;
  }
  return { folders: folders.length, unreadable, files, passages, skipped };
}
