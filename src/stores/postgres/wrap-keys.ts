import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, scryptSync } from "node:crypto";
import { EarshotError } from "../../domain/errors.ts";
import type { KeyStore } from "../../ports/key-store.ts";
import type { Database } from "../database.ts";
import { openKeyStore } from "../key-store.ts";

const [NONCE_BYTES, TAG_BYTES, KEY_BYTES] = [12, 16, 32];
const CIPHER = "aes-256-gcm";
/** For scrypt, which makes guessing the secret slow. */
const SALT = "earshot keys 1";

interface Chance {
  bytes(count: number): Uint8Array;
  id(): string;
}

/** Derives the secret from the operator's text, which takes about 50 ms. */
export function toWrappingSecret(text: string): KeyObject {
  // Bytes would take four times as long for each key.
  return createSecretKey(scryptSync(text, SALT, KEY_BYTES));
}

interface WrapOptions extends Wrapping {
  /** Called once with the name of each key that was altered and cannot be unwrapped. */
  onAltered?(name: string): void;
}

/**
 * Keys stored only in encrypted form (AES-256-GCM with the secret), each bound to its name. Throws `misconfigured` for the wrong secret:
 * the database's id is followed by one more encrypted text, which only the right secret decrypts.
 */
export async function openWrappedKeys(
  database: Database,
  { secret, chance, onAltered = () => {} }: WrapOptions,
): Promise<KeyStore> {
  const wrapping = { secret, chance };
  const mintChecked = () => {
    const id = chance.id();
    return `${id}.${Buffer.from(wrap(wrapping, { name: id, key: new Uint8Array() })).toString("base64url")}`;
  };
  const store = await openKeyStore(database, mintChecked);
  const [id = "", check = ""] = store.storeId.split(".");
  if (!unwrap(wrapping, { name: id, key: Buffer.from(check, "base64url") })) {
    await store.close();
    const problem = "EARSHOT_KEYS_SECRET is not the secret with which the keys in the database were wrapped.";
    throw new EarshotError("misconfigured", `${problem} Set that one.`);
  }
  const altered = new Set<string>();
  return {
    name: store.name,
    storeId: id,
    add: (keys) => store.add(new Map([...keys].map(([name, key]) => [name, wrap(wrapping, { name, key })]))),
    async find(names) {
      const opened = new Map<string, Uint8Array>();
      for (const [name, wrapped] of await store.find(names)) {
        const key = unwrap(wrapping, { name, key: wrapped });
        if (key) opened.set(name, key);
        else if (!altered.has(name)) onAltered(name);
        if (!key) altered.add(name);
      }
      return opened;
    },
    delete: (names) => store.delete(names),
    names: (prefix, page) => store.names(prefix, page),
    openInventory: () => store.openInventory(),
    scrub: () => store.scrub(),
    close: () => store.close(),
  };
}

interface Wrapping {
  readonly secret: KeyObject;
  readonly chance: Chance;
}

interface NamedKey {
  readonly name: string;
  readonly key: Uint8Array;
}

function wrap({ secret, chance }: Wrapping, { name, key }: NamedKey): Uint8Array {
  const nonce = chance.bytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce).setAAD(Buffer.from(name));
  return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

/** Null for a key that was wrapped under another name or altered: only this one is lost. */
function unwrap({ secret }: Wrapping, { name, key }: NamedKey): Uint8Array | null {
  try {
    const decipher = createDecipheriv(CIPHER, secret, key.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(name));
    decipher.setAuthTag(key.subarray(-TAG_BYTES));
    // A separate buffer, which the caller overwrites after use. GCM returns no more bytes at the end.
    const plain = decipher.update(key.subarray(NONCE_BYTES, -TAG_BYTES));
    // Throws if the tag does not match.
    decipher.final();
    return new Uint8Array(plain.buffer);
  } catch {
    return null;
  }
}
