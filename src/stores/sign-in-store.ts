import type { SignIn, SignInStore, SignInToken } from "../ports/sign-in-store.ts";
import { COUNTED, type Database, SYNCED } from "./database.ts";
import { fromRows, toRows } from "./to-rows.ts";

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
        const signIns = await change.query<object>("SELECT * FROM sign_ins");
        const tokens = await change.query<object>("SELECT * FROM sign_in_tokens WHERE kind = 'access'");
        return { signIns: toSignIns(signIns), tokens: toTokens(tokens) };
      }),
    add: ({ id, personId, clientId, program, redirectHost, createdAt, usedAt, expiresAt, ...signIn }) =>
      database.transaction(async (change) => {
        const allowed = signIn.allowed.join(" ");
        const times = { createdAt, usedAt, expiresAt };
        await change.insert("sign_ins", toRows([{ id, personId, clientId, program, redirectHost, allowed, ...times }]));
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
      const sql = "SELECT * FROM sign_in_tokens WHERE hash = :hash";
      return toTokens(await database.query<object>(sql, { hash }))[0];
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

function toSignIns(rows: readonly object[]): SignIn[] {
  const signIns = fromRows<Omit<SignIn, "allowed"> & { readonly allowed: string }>(rows);
  return signIns.map(({ allowed, ...signIn }) => ({ ...signIn, allowed: allowed.split(" ") }));
}

function toTokens(rows: readonly object[]): SignInToken[] {
  const tokens = fromRows<Omit<SignInToken, "payload"> & { readonly payloadJson: string }>(rows);
  return tokens.map(({ payloadJson: payload, ...token }) => ({ ...token, payload }));
}
