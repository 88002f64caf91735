import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, scryptSync } from "node:crypto";
import { EarshotError } from "../../domain/errors.ts";
import type { KeyStore } from "../../ports/key-store.ts";
import type { Database } from "../database.ts";
import { type NamedKey, openKeyStore } from "../key-store.ts";

const [NONCE_BYTES, TAG_BYTES, KEY_BYTES] = [12, 16, 32];
const CIPHER = "aes-256-gcm";
/** For scrypt, which makes guessing the secret slow. */
const SALT = "earshot keys 1";

/** Derives the secret from the operator's text, which takes about 50 ms. */
export function toWrappingSecret(text: string): KeyObject {
  // Bytes would take four times as long for each key.
  return createSecretKey(scryptSync(text, SALT, KEY_BYTES));
}

interface WrapOptions extends Secret {
  /** Called once with the name of each key that was altered and cannot be unwrapped. */
  onAltered?(name: string): void;
}

/**
 * Keys stored only in encrypted form (AES-256-GCM with the secret), each bound to its name. Throws `misconfigured` for the wrong secret:
 * the database's id is followed by one more encrypted text, which only the right secret decrypts.
 */
export function openWrappedKeys(database: Database, { onAltered, ...own }: WrapOptions): Promise<KeyStore> {
  const altered = new Set<string>();
  const mintChecked = () => {
    const id = own.chance.id();
    return `${id}.${Buffer.from(wrap(own, { name: id, key: new Uint8Array() })).toString("base64url")}`;
  };
  return openKeyStore(database, mintChecked, {
    toStoreId(stored) {
      const [name = "", check = ""] = stored.split(".");
      if (unwrap(own, { name, key: Buffer.from(check, "base64url") })) return name;
      const problem = "EARSHOT_KEYS_SECRET is not the secret with which the keys in the database were wrapped.";
      throw new EarshotError("misconfigured", `${problem} Set that one.`);
    },
    wrap: (plain) => wrap(own, plain),
    unwrap(stored) {
      const key = unwrap(own, stored);
      if (!key && !altered.has(stored.name)) onAltered?.(stored.name);
      if (!key) altered.add(stored.name);
      return key;
    },
  });
}

interface Secret {
  readonly secret: KeyObject;
  readonly chance: { bytes(count: number): Uint8Array; id(): string };
}

function wrap({ secret, chance }: Secret, { name, key }: NamedKey): Uint8Array {
  const nonce = chance.bytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce).setAAD(Buffer.from(name));
  return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

/** Null for a key that was wrapped under another name or altered: only this one is lost. */
function unwrap({ secret }: Secret, { name, key }: NamedKey): Uint8Array | null {
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
