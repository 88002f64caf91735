import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { hashToken } from "../../policy/authenticate.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import type { Clock } from "../../ports/clock.ts";

const SESSION_LIFETIME_MS = 12 * 3_600_000;
/** For actions that require a person who was at the keyboard just now. */
const FRESH_MS = 5 * 60_000;
/** Maximum open sessions of the operator and of each person; beyond it, the oldest ends. */
const MAX_SESSIONS = 20;
const NOT_FRESH =
  "This needs a session that was opened less than five minutes ago: sign in again, or open another link that earshot console prints.";

export interface ConsoleSession {
  /** Identifies the session in lists, and gives no access. */
  readonly id: string;
  /** Null for an operator who opened a link. */
  readonly actor: UserId | null;
  /** Discord's displayed name; empty for an operator who opened a link. */
  readonly name: string;
  /** Chosen by the operator of a sandbox. All other people signed in with Discord. */
  readonly isChosen: boolean;
  /** By a link, or because the configuration lists the person. */
  readonly isOperator: boolean;
  readonly openedAt: number;
  /** Time at which the person signed in or opened the link, even if this session comes from another one. */
  readonly signedInAt: number;
  readonly expiresAt: number;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

/** The secrets that a browser sends with each request. The cookie alone is insufficient, because browsers send it to every port of a
 * host. */
export interface SessionSecrets {
  readonly cookie: string;
  readonly key: string;
}

interface OpenSession {
  readonly session: ConsoleSession;
  readonly cookieHash: string;
  readonly controller: AbortController;
  readonly timer: NodeJS.Timeout;
}

export interface ConsoleSessionsDeps {
  readonly clock: Clock;
  mintId(): string;
  readonly signIn?: {
    readonly signIns: Pick<SignIns, "mustBeMember">;
    operators(): readonly UserId[];
  } | null;
}

/** The sessions of browsers, in memory only: a restart ends them all. */
export class ConsoleSessions {
  readonly #deps: ConsoleSessionsDeps;
  /** By the hash of the key, the oldest first. */
  readonly #open = new Map<string, OpenSession>();

  constructor(deps: ConsoleSessionsDeps) {
    this.#deps = deps;
  }

  /** `cookie`: the browser's current cookie, kept if another tab uses it, which would lose its session otherwise. `from`: the session
   * that chose to be this person. */
  open(
    actor: UserId | null,
    cookie = "",
    { from, name = "" }: { readonly from?: Pick<ConsoleSession, "signedInAt">; readonly name?: string } = {},
  ): { session: ConsoleSession; secrets: SessionSecrets } {
    const { clock, mintId } = this.#deps;
    const hash = hashToken(cookie);
    const isShared = [...this.#open.values()].some(({ cookieHash }) => cookieHash === hash);
    const secrets = { cookie: isShared ? cookie : mintId(), key: mintId() };
    const controller = new AbortController();
    const now = clock.now();
    const isChosen = from !== undefined;
    const session = {
      id: hashToken(secrets.key).slice(0, 12),
      ...{ actor, name, isChosen, openedAt: now },
      isOperator: actor === null || (!isChosen && this.#isOperator(actor)),
      signedInAt: from?.signedInAt ?? now,
      expiresAt: now + SESSION_LIFETIME_MS,
      signal: controller.signal,
    };
    const timer = setTimeout(() => this.end(session.id), SESSION_LIFETIME_MS).unref();
    this.#open.set(hashToken(secrets.key), { session, cookieHash: hashToken(secrets.cookie), controller, timer });
    const alike = [...this.#open.values()].filter((each) => each.session.actor === actor);
    const [oldest] = alike;
    if (alike.length > MAX_SESSIONS && oldest) this.end(oldest.session.id);
    return { session, secrets };
  }

  /** Null for unknown or expired secrets. */
  find({ cookie, key }: SessionSecrets): ConsoleSession | null {
    const found = this.#open.get(hashToken(key));
    if (!found || found.cookieHash !== hashToken(cookie)) return null;
    if (this.#deps.clock.now() < found.session.expiresAt) return found.session;
    this.end(found.session.id);
    return null;
  }

  /** Throws `forbidden` for a person who may not sign in, `unavailable` if that is unknown. */
  async mustBeAllowed(person: UserId): Promise<void> {
    if (!this.#isOperator(person)) await this.#deps.signIn?.signIns.mustBeMember(person);
  }

  /** Ends the session of a person who may no longer sign in. Throws `unauthenticated` then, and `unavailable` if that is unknown. */
  async mustStand({ id, actor, isChosen, isOperator }: ConsoleSession): Promise<void> {
    if (actor === null || isChosen) return;
    const isLost = isOperator
      ? !this.#isOperator(actor)
      : await this.mustBeAllowed(actor).then(
          () => false,
          (error: unknown) => {
            if (error instanceof EarshotError && error.code === "forbidden") return true;
            throw error;
          },
        );
    if (!isLost) return;
    this.end(id);
    throw new EarshotError("unauthenticated", "Your session has ended: you may no longer sign in here.");
  }

  #isOperator(person: UserId): boolean {
    return this.#deps.signIn?.operators().includes(person) ?? false;
  }

  /** For streams, which are checked only at their start otherwise. */
  endFallen(): void {
    for (const session of this.list()) this.mustStand(session).catch(() => undefined);
  }

  /** The person signed in, or opened the link, within the last minutes. */
  isFresh(session: ConsoleSession): boolean {
    return this.#deps.clock.now() - session.signedInAt < FRESH_MS;
  }

  /** Throws `forbidden` for a session that is not fresh. */
  mustBeFresh(session: ConsoleSession): void {
    if (!this.isFresh(session)) throw new EarshotError("forbidden", NOT_FRESH);
  }

  list(): ConsoleSession[] {
    return [...this.#open.values()].map(({ session }) => session).reverse();
  }

  /** False for an unknown id. */
  end(id: string): boolean {
    for (const [hash, { session, controller, timer }] of this.#open) {
      if (session.id !== id) continue;
      this.#open.delete(hash);
      clearTimeout(timer);
      controller.abort();
      return true;
    }
    return false;
  }

  close(): void {
    for (const { id } of this.list()) this.end(id);
  }
}
