import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { hashToken } from "../../policy/authenticate.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import type { Clock } from "../../ports/clock.ts";

const SESSION_LIFETIME_MS = 12 * 3_600_000;
/** For actions that require a person who was at the terminal just now. */
const FRESH_MS = 5 * 60_000;
/** More than this are not open at the same time, of the operator and of each person: the oldest ends. */
const MAX_SESSIONS = 20;
const NOT_FRESH =
  "This needs a session that was opened less than five minutes ago: sign in again, or open another link that earshot console prints.";

export interface ConsoleSession {
  /** Names the session in lists. Opens nothing. */
  readonly id: string;
  /** Null for the operator who opened a link. */
  readonly actor: UserId | null;
  /** As Discord shows the person; empty for the operator who opened a link. */
  readonly name: string;
  /** The operator of a sandbox chose to be this person. Everyone else has signed in with Discord. */
  readonly isChosen: boolean;
  /** By a link, or because the configuration names the person. */
  readonly isOperator: boolean;
  readonly openedAt: number;
  /** When the person signed in, or opened the link from which this session comes, by way of another session or not. */
  readonly signedInAt: number;
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

export interface ConsoleSessionsDeps {
  readonly clock: Clock;
  mintId(): string;
  /** Decides which people may sign in with Discord. */
  readonly signIn?: {
    readonly signIns: Pick<SignIns, "mustBeMember">;
    operators(): readonly UserId[];
  } | null;
}

/** The sessions of browsers. Held in memory alone: a restart ends all of them. */
export class ConsoleSessions {
  readonly #deps: ConsoleSessionsDeps;
  /** By the hash of their key, the oldest first. */
  readonly #open = new Map<string, OpenSession>();

  constructor(deps: ConsoleSessionsDeps) {
    this.#deps = deps;
  }

  /** `cookie`: what the browser has already. It is kept where another tab uses it, which would otherwise lose its session. `from`: the session that chose to be this person. */
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

  /** Null for secrets that open nothing, or no longer. */
  find({ cookie, key }: SessionSecrets): ConsoleSession | null {
    const found = this.#open.get(hashToken(key));
    if (!found || found.cookieHash !== hashToken(cookie)) return null;
    if (this.#deps.clock.now() < found.session.expiresAt) return found.session;
    this.end(found.session.id);
    return null;
  }

  /** Throws `forbidden` for a person who may not sign in, `unavailable` where that is not known. */
  async mustBeAllowed(person: UserId): Promise<void> {
    if (!this.#isOperator(person)) await this.#deps.signIn?.signIns.mustBeMember(person);
  }

  /** Ends the session of a person who lost what let them in. Throws `unauthenticated` then, and `unavailable` where that is not known. */
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

  /** For streams, which ask only once. */
  endFallen(): void {
    for (const session of this.list()) this.mustStand(session).catch(() => undefined);
  }

  /** The person signed in, or opened the link, so lately that they are still there. */
  isFresh(session: ConsoleSession): boolean {
    return this.#deps.clock.now() - session.signedInAt < FRESH_MS;
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
