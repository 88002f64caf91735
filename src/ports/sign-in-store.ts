import type { UserId } from "../domain/ids.ts";

/** That a person allowed a program to act for them. */
export interface SignIn {
  /** Names it, and gives no access. */
  readonly id: string;
  readonly personId: UserId;
  /** The program's id: that of its registration, or the address of its metadata document. */
  readonly clientId: string;
  /** As the program calls itself. */
  readonly program: string;
  /** The person's browser was sent there: a host, "loopback", or a scheme such as "cursor:". */
  readonly redirectHost: string;
  /** Names of what was allowed. */
  readonly allowed: readonly string[];
  readonly createdAt: number;
  /** When a token was last issued for it. */
  readonly usedAt: number;
  /** Null: until the person ends it. */
  readonly expiresAt: number | null;
}

/** A token by its hash: the token itself is nowhere. */
export interface SignInToken {
  readonly hash: string;
  readonly kind: "access" | "refresh";
  readonly signInId: string;
  /** JSON of the authorization server. */
  readonly payload: string;
  readonly expiresAt: number;
  /** When it was exchanged for another one; null while it can be. */
  readonly consumedAt: number | null;
}

export interface Registration {
  readonly clientId: string;
  /** JSON of the authorization server. */
  readonly metadata: string;
  readonly createdAt: number;
}

/** Keeps programs, which of them people signed in, and their tokens. Failures are `unavailable`. */
export interface SignInStore {
  /** Everything that has not expired, but for refresh tokens, in any order. Deletes what has expired, and sign-ins without a token: their code is gone. */
  load(now: number): Promise<{ readonly signIns: readonly SignIn[]; readonly tokens: readonly SignInToken[] }>;
  /** Written to the disk when it returns. */
  add(signIn: SignIn): Promise<void>;
  /**
   * Adds a token, and notes when the sign-in was used. False, and nothing is kept, where that sign-in has ended. Deletes tokens of the same sign-in that have
   * expired, or were consumed 30 days ago: they show no theft any more, and would be a hundred more a day.
   */
  addToken(token: SignInToken, usedAt: number): Promise<boolean>;
  /** Undefined when there is none. */
  token(hash: string): Promise<SignInToken | undefined>;
  /** False where it is not there, or was consumed before: of any number of attempts at once, one is told true. */
  consume(hash: string, at: number): Promise<boolean>;
  /** Ends sign-ins with all their tokens. Written to the disk when it returns; safe to repeat. */
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
