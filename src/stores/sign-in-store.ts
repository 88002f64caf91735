import type { UserId } from "../domain/ids.ts";
import type { SignIn, SignInStore, SignInToken } from "../ports/sign-in-store.ts";
import { COUNTED, type Database, SYNCED } from "./database.ts";

interface SignInRow {
  readonly id: string;
  readonly person_id: UserId;
  readonly client_id: string;
  readonly program: string;
  readonly redirect_host: string;
  readonly allowed: string;
  readonly created_at: number;
  readonly used_at: number;
  readonly expires_at: number | null;
}

interface TokenRow {
  readonly hash: string;
  readonly kind: SignInToken["kind"];
  readonly sign_in_id: string;
  readonly payload_json: string;
  readonly expires_at: number;
  readonly consumed_at: number | null;
}

const MAX_CONSUMED_MS = 30 * 24 * 60 * 60_000;

/** @see SignInStore */
export function createSignInStore(database: Database): SignInStore {
  return {
    load: (now) =>
      database.transaction(async (change) => {
        await change.run("DELETE FROM sign_ins WHERE expires_at <= :now", { now });
        await change.run("DELETE FROM sign_in_tokens WHERE expires_at <= :now", { now });
        await change.run("DELETE FROM sign_in_tokens WHERE sign_in_id NOT IN (SELECT id FROM sign_ins)");
        await change.run("DELETE FROM sign_ins WHERE id NOT IN (SELECT sign_in_id FROM sign_in_tokens)");
        const signIns = await change.query<SignInRow>("SELECT * FROM sign_ins");
        const tokens = await change.query<TokenRow>("SELECT * FROM sign_in_tokens WHERE kind = 'access'");
        return { signIns: signIns.map(toSignIn), tokens: tokens.map(toToken) };
      }),
    add: (signIn) =>
      database.transaction(async (change) => {
        const { id, program, personId: person_id, clientId: client_id, redirectHost: redirect_host } = signIn;
        const { createdAt: created_at, usedAt: used_at, expiresAt: expires_at } = signIn;
        const times = { created_at, used_at, expires_at };
        const allowed = signIn.allowed.join(" ");
        await change.insert("sign_ins", [{ id, person_id, client_id, program, redirect_host, allowed, ...times }]);
      }, SYNCED),
    addToken: ({ hash, kind, signInId: sign_in_id, payload: payload_json, expiresAt, consumedAt }, usedAt) =>
      database.transaction(async (change) => {
        const id = sign_in_id;
        const used = "UPDATE sign_ins SET used_at = :usedAt WHERE id = :id RETURNING id";
        if ((await change.query(used, { id, usedAt })).length === 0) return false;
        const row = { hash, kind, sign_in_id, payload_json, expires_at: expiresAt, consumed_at: consumedAt };
        await change.insert("sign_in_tokens", [row]);
        const over = "expires_at <= :usedAt OR consumed_at <= :consumedBefore";
        const times = { usedAt, consumedBefore: usedAt - MAX_CONSUMED_MS };
        await change.run(`DELETE FROM sign_in_tokens WHERE sign_in_id = :id AND (${over})`, { id, ...times });
        return true;
      }),
    async token(hash) {
      const [row] = await database.query<TokenRow>("SELECT * FROM sign_in_tokens WHERE hash = :hash", { hash });
      return row && toToken(row);
    },
    // Synced: after a power failure, a used token would look like a new one.
    consume: (hash, at) =>
      database.transaction(async (change) => {
        const consumed = await change.query(
          "UPDATE sign_in_tokens SET consumed_at = :at WHERE hash = :hash AND consumed_at IS NULL RETURNING hash",
          { hash, at },
        );
        return consumed.length > 0;
      }, SYNCED),
    // They go first: a token that is being added to one of them is waited for, and goes with it.
    end: (ids) =>
      database.transaction(async (change) => {
        await change.run("DELETE FROM sign_ins WHERE id = ANY(:ids)", { ids });
        await change.run("DELETE FROM sign_in_tokens WHERE sign_in_id = ANY(:ids)", { ids });
      }, SYNCED),
    endAll: () =>
      database.transaction(async (change) => {
        for (const table of ["sign_ins", "sign_in_tokens", "sign_in_programs"])
          await change.run(`DELETE FROM ${table}`);
      }, SYNCED),
    register: ({ clientId: client_id, metadata: metadata_json, createdAt: created_at }, { max, unusedBefore }) =>
      database.transaction(async (change) => {
        const unused = "NOT EXISTS (SELECT 1 FROM sign_ins WHERE sign_ins.client_id = sign_in_programs.client_id)";
        await change.run(`DELETE FROM sign_in_programs WHERE created_at < :unusedBefore AND ${unused}`, {
          unusedBefore,
        });
        const counting = `SELECT COUNT(*) AS count FROM sign_in_programs WHERE ${unused}`;
        const [counted] = await change.query<{ count: number }>(counting);
        if ((counted?.count ?? 0) >= max) return false;
        await change.insert("sign_in_programs", [{ client_id, metadata_json, created_at }]);
        return true;
      }, COUNTED),
    async registration(clientId) {
      const found = "SELECT metadata_json FROM sign_in_programs WHERE client_id = :clientId";
      const [row] = await database.query<{ readonly metadata_json: string }>(found, { clientId });
      return row?.metadata_json;
    },
    scrub: () => database.scrub(),
  };
}

function toSignIn(row: SignInRow): SignIn {
  return {
    ...{ id: row.id, personId: row.person_id, clientId: row.client_id, program: row.program },
    ...{ redirectHost: row.redirect_host, allowed: row.allowed.split(" "), createdAt: row.created_at },
    ...{ usedAt: row.used_at, expiresAt: row.expires_at },
  };
}

function toToken(row: TokenRow): SignInToken {
  return {
    ...{ hash: row.hash, kind: row.kind, signInId: row.sign_in_id, payload: row.payload_json },
    ...{ expiresAt: row.expires_at, consumedAt: row.consumed_at },
  };
}
