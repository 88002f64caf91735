import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
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

/**
 * Keys of which the database holds only what AES-256-GCM makes of them with the secret, each bound to its name. Throws `misconfigured` for a secret that is not the one of
 * this database: its id is followed by one more such text, which only the right secret opens.
 */
export async function openWrappedKeys(
  database: Database,
  { secret, chance }: { readonly secret: string; readonly chance: Chance },
): Promise<KeyStore> {
  const wrapping = { secret: scryptSync(secret, SALT, KEY_BYTES), chance };
  const mintChecked = () => {
    const id = chance.id();
    return `${id}.${Buffer.from(wrap(wrapping, { name: id, key: new Uint8Array() })).toString("base64url")}`;
  };
  const store = await openKeyStore(database, mintChecked);
  const [id = "", check = ""] = store.storeId.split(".");
  try {
    unwrap(wrapping, { name: id, key: Buffer.from(check, "base64url") });
  } catch (cause) {
    await store.close();
    const problem = "EARSHOT_KEYS_SECRET is not the secret with which the keys in the database were wrapped.";
    throw new EarshotError("misconfigured", `${problem} Set that one.`, { cause });
  }
  return {
    storeId: id,
    add: (keys) => store.add(new Map([...keys].map(([name, key]) => [name, wrap(wrapping, { name, key })]))),
    async find(names) {
      const found = [...(await store.find(names))];
      return new Map(found.map(([name, key]) => [name, unwrap(wrapping, { name, key })]));
    },
    delete: (names) => store.delete(names),
    names: (prefix, page) => store.names(prefix, page),
    openInventory: () => store.openInventory(),
    scrub: () => store.scrub(),
    close: () => store.close(),
  };
}

interface Wrapping {
  readonly secret: Uint8Array;
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

/** Throws `unavailable` for what was not wrapped under this name. */
function unwrap({ secret }: Wrapping, { name, key }: NamedKey): Uint8Array {
  try {
    const decipher = createDecipheriv(CIPHER, secret, key.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(name));
    decipher.setAuthTag(key.subarray(-TAG_BYTES));
    return new Uint8Array(Buffer.concat([decipher.update(key.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]));
  } catch (cause) {
    throw new EarshotError("unavailable", "A key in the database was altered, and opens nothing any more.", { cause });
  }
}
