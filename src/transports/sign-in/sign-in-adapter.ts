import { type Adapter, errors } from "oidc-provider";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { hashToken } from "../../policy/authenticate.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SignInStore } from "../../ports/sign-in-store.ts";

export interface AdapterDeps {
  readonly signIns: Pick<SignIns, "find" | "addToken" | "findToken" | "consume" | "end">;
  readonly store: Pick<SignInStore, "register" | "registration">;
  readonly clock: Clock;
  readonly resource: string;
}

interface Payload {
  readonly jti?: string;
  readonly grantId?: string;
  readonly consumed?: number;
  readonly [name: string]: unknown;
}

const MAX_REGISTRATIONS = 1_000;
const MAX_UNUSED_MS = 24 * 60 * 60_000;
const MAX_METADATA_BYTES = 5 * 1_024;
/** Limits begun sign-ins and unused codes. Every visitor can begin one, so they are not stored. */
const MAX_BEGUN = 10_000;

/** The authorization server's sign-ins and tokens are stored, the rest is kept in memory. */
export function createAdapters(deps: AdapterDeps): (model: string) => Adapter {
  return (model) => {
    switch (model) {
      case "Client":
        return createRegistrations(deps);
      case "Grant":
        return createGrants(deps);
      case "AccessToken":
      case "RefreshToken":
        return createTokens(model === "AccessToken" ? "access" : "refresh", deps);
      case "AuthorizationCode":
      case "Interaction":
        return createBegun(deps);
      default:
        // Includes sessions: without one, each authorization asks again for the person and their consent.
        return NOTHING;
    }
  };
}

const NOTHING: Adapter = {
  async upsert() {},
  find: async () => undefined,
  findByUid: async () => undefined,
  async consume() {},
  async destroy() {},
  async revokeByGrantId() {},
};

function createRegistrations({ store, clock }: AdapterDeps): Adapter {
  return {
    ...NOTHING,
    async upsert(clientId, payload) {
      const metadata = JSON.stringify(payload);
      if (Buffer.byteLength(metadata) > MAX_METADATA_BYTES)
        throw new errors.InvalidClientMetadata(`metadata may have ${MAX_METADATA_BYTES} bytes at most`);
      const now = clock.now();
      const bounds = { max: MAX_REGISTRATIONS, unusedBefore: now - MAX_UNUSED_MS };
      const isKept = await store.register({ clientId, metadata, createdAt: now }, bounds);
      if (!isKept) throw new errors.TemporarilyUnavailable("too many programs are registered; try again tomorrow");
    },
    async find(clientId) {
      const metadata = await store.registration(clientId);
      return metadata === undefined ? undefined : (JSON.parse(metadata) as Payload);
    },
  };
}

/** A grant of the authorization server is a sign-in. */
function createGrants({ signIns, resource }: AdapterDeps): Adapter {
  return {
    ...NOTHING,
    async find(id) {
      const signIn = signIns.find(id);
      if (!signIn) return undefined;
      const { clientId, personId: accountId, allowed } = signIn;
      return { jti: id, kind: "Grant", clientId, accountId, resources: { [resource]: allowed.join(" ") } };
    },
    destroy: (id) => signIns.end(id, "revoked"),
  };
}

/** Only the hash of a token is stored. */
function createTokens(kind: "access" | "refresh", { signIns, clock }: AdapterDeps): Adapter {
  return {
    ...NOTHING,
    async upsert(id, payload, expiresIn = 0) {
      const { jti, ...rest } = payload as Payload;
      const token = { hash: hashToken(id), kind, signInId: rest.grantId ?? "", payload: JSON.stringify(rest) };
      const expiresAt = clock.now() + expiresIn * 1_000;
      const isKept = await signIns.addToken({ ...token, expiresAt, consumedAt: null });
      if (!isKept) throw new errors.InvalidGrant("the sign-in has ended");
    },
    async find(id) {
      const token = await signIns.findToken(hashToken(id));
      if (token?.kind !== kind) return undefined;
      const consumed = token.consumedAt === null ? {} : { consumed: Math.floor(token.consumedAt / 1_000) };
      return { ...(JSON.parse(token.payload) as Payload), jti: id, ...consumed };
    },
    async consume(id) {
      const hash = hashToken(id);
      if (await signIns.consume(hash)) return;
      // Two programs used it at the same moment.
      const token = await signIns.findToken(hash);
      if (token) await signIns.end(token.signInId, "token_reused");
      throw new errors.InvalidGrant("refresh token already used");
    },
  };
}

/** In memory, for minutes. */
function createBegun({ signIns, clock }: AdapterDeps): Adapter {
  const begun = new BoundedMap<string, { payload: Payload; readonly expiresAt: number }>({ maxEntries: MAX_BEGUN });
  const find = (id: string) => {
    const found = begun.get(hashToken(id));
    return found && found.expiresAt > clock.now() ? found : undefined;
  };
  return {
    ...NOTHING,
    async upsert(id, payload, expiresIn = 0) {
      const { jti, ...rest } = payload as Payload;
      begun.set(hashToken(id), { payload: rest, expiresAt: clock.now() + expiresIn * 1_000 });
    },
    async find(id) {
      const found = find(id);
      return found && { ...found.payload, jti: id };
    },
    async consume(id) {
      const found = find(id);
      if (found && found.payload.consumed === undefined)
        found.payload = { ...found.payload, consumed: Math.floor(clock.now() / 1_000) };
      else {
        if (found?.payload.grantId !== undefined) await signIns.end(found.payload.grantId, "token_reused");
        throw new errors.InvalidGrant("authorization code already consumed");
      }
    },
    async destroy(id) {
      begun.delete(hashToken(id));
    },
  };
}
