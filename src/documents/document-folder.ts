import { createHash } from "node:crypto";
import { type BigIntStats, type Dirent, lstatSync } from "node:fs";
import { lstat, opendir, realpath } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { AudienceRef } from "../domain/audience.ts";
import type { DocumentFolder, Passage, SkipReason } from "../ports/documents.ts";
import { cutPassages } from "./cut-passages.ts";
import { indexPassages, type PassageIndex } from "./passage-index.ts";
import { type Fingerprint, readTextFile, toFingerprint } from "./read-text-file.ts";

/** A folder as the operator names it. */
export interface FolderSetting {
  readonly folder: string;
  readonly name: string;
  readonly audience: AudienceRef;
}

interface HeldFile {
  readonly fingerprint: Fingerprint;
  readonly characters: number;
  readonly index: PassageIndex;
}

export interface Skipped {
  readonly path: string;
  readonly reason: SkipReason;
}

/** All bounds are a folder's own: what is in one must not decide what is found in another. */
const MAX_FILES = 2_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;
const REF_LENGTH = 24;

/** The state of one folder when it was last read. */
export class HeldFolder implements DocumentFolder {
  readonly ref: string;
  readonly name: string;
  readonly audience: AudienceRef;
  readonly #path: string;
  #marks: readonly string[];
  /** Its real path; null while it cannot be read. */
  #root: string | null = null;
  #files: ReadonlyMap<string, HeldFile> = new Map();
  #passages: ReadonlyMap<string, { readonly passage: Passage; readonly path: string }> = new Map();
  skipped: readonly Skipped[] = [];

  constructor({ folder, name, audience }: FolderSetting) {
    this.#path = resolve(folder);
    this.#marks = [this.#path];
    this.name = name;
    this.audience = audience;
    this.ref = hash(["folder", name]);
  }

  get isReadable(): boolean {
    return this.#root !== null;
  }

  get indexes(): readonly PassageIndex[] {
    return [...this.#files.values()].map(({ index }) => index);
  }

  get counts(): { readonly files: number; readonly passages: number } {
    return { files: this.#files.size, passages: this.#passages.size };
  }

  find(ref: string): Passage | null {
    return this.#passages.get(ref)?.passage ?? null;
  }

  /** Whether the file of a passage is still the one that was read. */
  isAsRead(ref: string): boolean {
    const path = this.#passages.get(ref)?.path;
    const held = path === undefined ? undefined : this.#files.get(path);
    if (this.#root === null || path === undefined || !held) return false;
    try {
      return toFingerprint(lstatSync(join(this.#root, path), { bigint: true })) === held.fingerprint;
    } catch {
      return false;
    }
  }

  /**
   * By which it is known within another folder. While it cannot be found, as it was last, and where it would stand: its files must not become the other
   * folder's meanwhile, nor those of one that is made before the other is looked at.
   */
  async marks(): Promise<readonly string[]> {
    try {
      this.#marks = [this.#path, ...(await findMarks(this.#path))];
    } catch {
      this.#marks = [...new Set([...this.#marks, await toFutureRoot(this.#path)])];
    }
    return this.#marks;
  }

  /** Looks at the folder, and reads what is new or has changed. `apart`: the marks of other folders, which have audiences of their own. */
  async look(apart: ReadonlySet<string>): Promise<void> {
    try {
      const [root, mark] = await findMarks(this.#path);
      // The same folder by another path: its audience would be ambiguous.
      if (apart.has(root) || apart.has(mark)) throw new Error("two folders are the same");
      const { files, skipped } = await listFiles(root, apart);
      await this.#read(root, files, [...skipped]);
    } catch {
      this.#root = null;
      this.#files = new Map();
      this.#passages = new Map();
      this.skipped = [];
    }
  }

  async #read(root: string, files: readonly (readonly string[])[], skipped: Skipped[]): Promise<void> {
    const held = new Map<string, HeldFile>();
    let characters = 0;
    for (const path of files) {
      const name = path.join("/");
      const file = await this.#readOne(root, path);
      if (typeof file === "string") skipped.push({ path: name, reason: file });
      else if (held.size >= MAX_FILES || characters + file.characters > MAX_CHARACTERS)
        skipped.push({ path: name, reason: "too_many" });
      else {
        held.set(name, file);
        characters += file.characters;
      }
    }
    this.#root = root;
    this.#files = held;
    this.skipped = skipped;
    this.#passages = new Map(
      [...held].flatMap(([path, { index }]) => index.passages.map((passage) => [passage.ref, { passage, path }])),
    );
  }

  async #readOne(root: string, path: readonly string[]): Promise<HeldFile | SkipReason> {
    const name = path.join("/");
    const known = this.#root === root ? this.#files.get(name) : undefined;
    const stats = known && (await lstat(join(root, ...path), { bigint: true }).catch(() => null));
    if (known && stats && toFingerprint(stats) === known.fingerprint) return known;
    const file = await readTextFile(root, path);
    if (typeof file === "string") return file;
    const { fingerprint, text } = file;
    return { fingerprint, characters: text.length, index: await indexPassages(this.#toPassages(name, text)) };
  }

  #toPassages(path: string, text: string): Passage[] {
    const isMarkdown = extname(path).toLowerCase() !== ".txt";
    const seen = new Map<string, number>();
    return cutPassages(text, isMarkdown).map((cut) => {
      const under = JSON.stringify(cut.headings);
      const nth = seen.get(under) ?? 0;
      seen.set(under, nth + 1);
      const ref = `${this.ref}/${hash([path, cut.headings, nth])}`;
      return { ref, version: hash([cut.text]), name: this.name, path, ...cut };
    });
  }
}

/** Its real path, and what the file system calls it. */
async function findMarks(path: string): Promise<[root: string, mark: string]> {
  const root = await realpath(path);
  return [root, toFolderMark(await lstat(root, { bigint: true }))];
}

/** The real path that it would have if it were there. */
async function toFutureRoot(path: string): Promise<string> {
  return realpath(path).catch(async () => join(await toFutureRoot(dirname(path)), basename(path)));
}

function hash(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, REF_LENGTH);
}

const MAX_DEPTH = 12;
/** Files and folders that are examined, of any type. */
const MAX_ENTRIES = 20_000;
const TYPES = new Set([".md", ".markdown", ".txt"]);

interface ListedFiles {
  /** Each as its names from the folder down, in a fixed order. */
  readonly files: readonly (readonly string[])[];
  readonly skipped: readonly { readonly path: string; readonly reason: SkipReason }[];
}

/**
 * The files of a folder that may be text. Links are not followed, names with a leading dot are passed over. `apart`: paths and marks of folders within it
 * that have an audience of their own. Throws when the folder itself cannot be read.
 */
async function listFiles(root: string, apart: ReadonlySet<string>): Promise<ListedFiles> {
  const files: (readonly string[])[] = [];
  const skipped: { path: string; reason: SkipReason }[] = [];
  let entries = 0;
  const skip = (path: readonly string[], reason: SkipReason) => skipped.push({ path: path.join("/"), reason });
  const visit = async (path: readonly string[]): Promise<void> => {
    const found: Dirent[] = [];
    for await (const entry of await opendir(join(root, ...path))) {
      entries += 1;
      if (entries > MAX_ENTRIES) {
        skip(path, "too_many");
        break;
      }
      if (!entry.name.startsWith(".")) found.push(entry);
    }
    for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = [...path, entry.name];
      if (entry.isDirectory() && (await isApart(join(root, ...inner), apart))) continue;
      if (entry.isSymbolicLink()) skip(inner, "link");
      else if (entry.isDirectory()) {
        if (inner.length > MAX_DEPTH) skip(inner, "too_deep");
        else if (entries <= MAX_ENTRIES) await visit(inner).catch(() => skip(inner, "unreadable"));
      } else if (!TYPES.has(extname(entry.name).toLowerCase())) skip(inner, "other_type");
      else if (entry.isFile()) files.push(inner);
      else skip(inner, "special_file");
    }
  };
  await visit([]);
  return { files, skipped };
}

/** The same folder has the same one, however its path is written: file systems may ignore case, or show a folder in two places. */
function toFolderMark({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** A folder that is gone by now has nothing to read. */
async function isApart(path: string, apart: ReadonlySet<string>): Promise<boolean> {
  if (apart.has(path)) return true;
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats === null || apart.has(toFolderMark(stats));
}
