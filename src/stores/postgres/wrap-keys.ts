import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, scryptSync } from "node:crypto";
import { EarshotError } from "../../domain/errors.ts";
import type { KeyStore } from "../../ports/key-store.ts";
import type { Database } from "../database.ts";
import { openKeyStore } from "../key-store.ts";

const [NONCE_BYTES, TAG_BYTES, KEY_BYTES] = [12, 16, 32];
const CIPHER = "aes-256-gcm";
/** Slow to guess a secret by. */
const SALT = "earshot keys 1";

/** Unguessable. */
interface Chance {
  bytes(count: number): Uint8Array;
  id(): string;
}

/** From the operator's text: takes some 50 ms. */
export function toWrappingSecret(text: string): KeyObject {
  // Bytes would take four times as long for each key.
  return createSecretKey(scryptSync(text, SALT, KEY_BYTES));
}

interface WrapOptions extends Wrapping {
  /** Called once with the name of each key that was altered, and opens nothing any more. */
  onAltered?(name: string): void;
}

/**
 * Keys of which the database holds only what AES-256-GCM makes of them with the secret, each bound to its name. Throws `misconfigured` for a secret that is not the one of
 * this database: its id is followed by one more such text, which only the right secret opens.
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

/** Null for what was not wrapped under this name, or was altered since: it opens nothing, and all others do. */
function unwrap({ secret }: Wrapping, { name, key }: NamedKey): Uint8Array | null {
  try {
    const decipher = createDecipheriv(CIPHER, secret, key.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(name));
    decipher.setAuthTag(key.subarray(-TAG_BYTES));
    // Memory of its own, which the caller overwrites after use. GCM leaves nothing over for the end.
    const plain = decipher.update(key.subarray(NONCE_BYTES, -TAG_BYTES));
    // Throws where the tag does not fit.
    decipher.final();
    return new Uint8Array(plain.buffer);
  } catch {
    return null;
  }
}
