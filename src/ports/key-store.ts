/**
 * Keeps named keys apart from the data that they seal. Deleting a key is permanent: data sealed with it cannot be opened again. No name is
 * empty, ends with a space or contains a control character. Failures are `unavailable`.
 */
export interface KeyStore {
  /** Subject of error messages, such as "The file keys.db". */
  readonly name: string;
  /** The fact store that these keys belong to. Never changes. */
  readonly storeId: string;
  /** Atomic and durable. A name that already has a key is refused with `misconfigured`. */
  add(keys: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** Existing keys only. */
  find(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Atomic and durable. Unknown names are ignored. */
  delete(names: readonly string[]): Promise<void>;
  /** A page of the names with this prefix, in byte order. Reads all of them for each page. */
  names(prefix: string, page: { readonly after?: string; readonly limit: number }): Promise<readonly string[]>;
  /** Compares all names with a list. No key may be added meanwhile. */
  openInventory(): Promise<KeyInventory>;
  /** Overwrites every byte of deleted keys in the files. False if another process is reading the files, so that it has to be repeated. */
  scrub(): Promise<boolean>;
  /** Safe to repeat. */
  close(): Promise<void>;
}

export interface KeyInventory {
  /** The suffixes for which no key named prefix + suffix exists. */
  findMissing(prefix: string, ends: readonly string[]): Promise<readonly string[]>;
  /** Pages of all names that `findMissing` was not asked about, in any order. The caller may delete them meanwhile. */
  others(): AsyncGenerator<readonly string[]>;
}
