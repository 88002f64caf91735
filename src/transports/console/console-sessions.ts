import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { hashToken } from "../../policy/authenticate.ts";
import type { Clock } from "../../ports/clock.ts";

const SESSION_LIFETIME_MS = 12 * 3_600_000;
/** For actions that require a person who was at the terminal just now. */
const FRESH_MS = 5 * 60_000;
/** More than this are not open at the same time, of the operator and of people each: the oldest ends. */
const MAX_SESSIONS = 20;
const NOT_FRESH =
  "This needs a session that was opened less than five minutes ago: run earshot console, and open the link it prints.";

export interface ConsoleSession {
  /** Names the session in lists. Opens nothing. */
  readonly id: string;
  /** Null for the operator. */
  readonly actor: UserId | null;
  readonly openedAt: number;
  /** When the link was opened from which this session comes, by way of another session or not. */
  readonly linkedAt: number;
  readonly expiresAt: number;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

/** The secrets that a browser sends with each request. The cookie alone is not enough: browsers send it to every port of a host. */
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

/** The sessions of browsers. Held in memory alone: a restart ends all of them. */
export class ConsoleSessions {
  readonly #deps: { readonly clock: Clock; mintId(): string };
  /** By the hash of their key, the oldest first. */
  readonly #open = new Map<string, OpenSession>();

  constructor(deps: { readonly clock: Clock; mintId(): string }) {
    this.#deps = deps;
  }

  /** `cookie`: what the browser has already. It is kept where another tab uses it, which would otherwise lose its session. `from`: the session that chose to be this person. */
  open(
    actor: UserId | null,
    cookie = "",
    from?: Pick<ConsoleSession, "linkedAt">,
  ): { session: ConsoleSession; secrets: SessionSecrets } {
    const { clock, mintId } = this.#deps;
    const hash = hashToken(cookie);
    const isShared = [...this.#open.values()].some(({ cookieHash }) => cookieHash === hash);
    const secrets = { cookie: isShared ? cookie : mintId(), key: mintId() };
    const controller = new AbortController();
    const now = clock.now();
    const session = {
      id: hashToken(secrets.key).slice(0, 12),
      actor,
      openedAt: now,
      linkedAt: from?.linkedAt ?? now,
      expiresAt: now + SESSION_LIFETIME_MS,
      signal: controller.signal,
    };
    const timer = setTimeout(() => this.end(session.id), SESSION_LIFETIME_MS).unref();
    this.#open.set(hashToken(secrets.key), { session, cookieHash: hashToken(secrets.cookie), controller, timer });
    const alike = [...this.#open.values()].filter((each) => (each.session.actor === null) === (actor === null));
    const [oldest] = alike;
    if (alike.length > MAX_SESSIONS && oldest) this.end(oldest.session.id);
    return { session, secrets };
  }

  /** Null for secrets that open nothing, or no longer. */
  find({ cookie, key }: SessionSecrets): ConsoleSession | null {
    const found = this.#open.get(hashToken(key));
    if (!found || found.cookieHash !== hashToken(cookie)) return null;
    if (this.#deps.clock.now() < found.session.expiresAt) return found.session;
    this.end(found.session.id);
    return null;
  }

  /** Its link was opened so lately that the person was at the terminal just now. */
  isFresh(session: ConsoleSession): boolean {
    return this.#deps.clock.now() - session.linkedAt < FRESH_MS;
  }

  /** Throws `forbidden` for a session that is not fresh. */
  mustBeFresh(session: ConsoleSession): void {
    if (!this.isFresh(session)) throw new EarshotError("forbidden", NOT_FRESH);
  }

  /** The newest first. */
  list(): ConsoleSession[] {
    return [...this.#open.values()].map(({ session }) => session).reverse();
  }

  /** False where there is none of that id. */
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
