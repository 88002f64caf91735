/**
 * Keeps keys, each under a name, apart from what they seal. A key that was deleted is gone for good: what it sealed cannot be opened again.
 * No name is empty, ends with a space or contains a control character. Failures are `unavailable`.
 */
export interface KeyStore {
  /** How messages begin that speak of it: "The file keys.db". */
  readonly name: string;
  /** Which store of facts these keys belong to. Never changes. */
  readonly storeId: string;
  /** Written to the disk when it returns. All of them or none; a name that has a key already is refused with `misconfigured`. */
  add(keys: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** Those that exist. */
  find(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Deleted on the disk when it returns; all of them or none. Unknown names are ignored. */
  delete(names: readonly string[]): Promise<void>;
  /** Names that begin with this, in the order of their bytes, a page at a time. Looks at all of them for each page. */
  names(prefix: string, page: { readonly after?: string; readonly limit: number }): Promise<readonly string[]>;
  /** To compare all names with a list, while nothing is added. */
  openInventory(): Promise<KeyInventory>;
  /** Sees to it that no byte of a deleted key is left in the files; false if somebody reads them at the moment, so that it has to be repeated. */
  scrub(): Promise<boolean>;
  /** Safe to repeat. */
  close(): Promise<void>;
}

export interface KeyInventory {
  /** Of names that begin with a prefix, given by their ends: the ends of those that have no key. */
  findMissing(prefix: string, ends: readonly string[]): Promise<readonly string[]>;
  /** All names that `findMissing` was not asked about, in any order, a page at a time. They may be deleted meanwhile. */
  others(): AsyncGenerator<readonly string[]>;
}
