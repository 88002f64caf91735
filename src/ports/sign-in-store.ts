import type { UserId } from "../domain/ids.ts";

/** A person's permission for a program to act for them. */
export interface SignIn {
  /** Identifies the sign-in, and gives no access. */
  readonly id: string;
  readonly personId: UserId;
  /** The id of the program's registration, or the address of its metadata document. */
  readonly clientId: string;
  /** The program's name for itself. */
  readonly program: string;
  /** The target of the browser's redirect: a host, "loopback", or a scheme such as "cursor:". */
  readonly redirectHost: string;
  /** Names of the permissions. */
  readonly allowed: readonly string[];
  readonly createdAt: number;
  /** Time of the last token issued for it. */
  readonly usedAt: number;
  /** Null: until the person ends it. */
  readonly expiresAt: number | null;
}

/** Only the hash of a token is stored. */
export interface SignInToken {
  readonly hash: string;
  readonly kind: "access" | "refresh";
  readonly signInId: string;
  /** JSON of the authorization server. */
  readonly payload: string;
  readonly expiresAt: number;
  /** When it was exchanged for another one; null until then. */
  readonly consumedAt: number | null;
}

interface Registration {
  readonly clientId: string;
  /** JSON of the authorization server. */
  readonly metadata: string;
  readonly createdAt: number;
}

/** Keeps programs, people's sign-ins, and their tokens. Failures are `unavailable`. */
export interface SignInStore {
  /** Everything that has not expired, but for refresh tokens, in any order. Deletes what has expired, and sign-ins without a token: their code is gone. */
  load(now: number): Promise<{ readonly signIns: readonly SignIn[]; readonly tokens: readonly SignInToken[] }>;
  /** Durable when it resolves. */
  add(signIn: SignIn): Promise<void>;
  /**
   * Adds a token, and notes when the sign-in was used. False, and nothing is kept, where that sign-in has ended. Deletes tokens of the same sign-in that have
   * expired, or were consumed 30 days ago: they show no theft any more, and would be a hundred more a day.
   */
  addToken(token: SignInToken, usedAt: number): Promise<boolean>;
  token(hash: string): Promise<SignInToken | undefined>;
  /** False if it does not exist or was consumed before: of concurrent calls, only one returns true. */
  consume(hash: string, at: number): Promise<boolean>;
  /** Ends sign-ins with all their tokens. Durable when it resolves; safe to repeat. */
  end(ids: readonly string[]): Promise<void>;
  /** Ends every sign-in, and forgets every registration. Written to the disk when it returns. */
  endAll(): Promise<void>;
  /** Deletes unused registrations from before `unusedBefore`, then adds one; false where there are `max` unused ones already. */
  register(
    registration: Registration,
    bounds: { readonly max: number; readonly unusedBefore: number },
  ): Promise<boolean>;
  /** The metadata; undefined when there is none. */
  registration(clientId: string): Promise<string | undefined>;
  /** Sees to it that nothing which was deleted is left on the disk. False where that has to be repeated. */
  scrub(): Promise<boolean>;
}
