import { EarshotError } from "../domain/errors.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { SignIn, SignInStore, SignInToken } from "../ports/sign-in-store.ts";
import { isListed } from "./apply-rules.ts";
import type { Audit } from "./audit.ts";
import { hashToken } from "./authenticate.ts";
import { type Grant, NO_GRANT, OWN_GRANT, type ToolFacts } from "./grant.ts";
import type { Client } from "./operation.ts";
import type { Rules } from "./rules.ts";
import { ALLOWED_SCOPES, findWiderScope, readAllowances } from "./sign-in-settings.ts";

export interface SignInsDeps {
  readonly store: SignInStore;
  /** Read at each decision, because a reload changes them. */
  readonly rules: Pick<Rules, "signIn" | "guilds">;
  readonly directory: Pick<Directory, "guilds" | "member" | "learnMember" | "isComplete">;
  readonly audit: Pick<Audit, "note">;
  readonly clock: Clock;
  mintId(): string;
  /** The audience (address) of the tokens. */
  readonly resource: string;
  /** Called with the names of clients that lost all permissions. */
  onEnd(clients: readonly string[]): void;
  /** Called when a sign-in was ended because one of its tokens was used twice. */
  onReuse(signIn: SignIn): void;
}

type Membership = "member" | "absent" | "unknown";
type Ending = "by_person" | "erased" | "token_reused" | "revoked" | "not_a_member" | "expired";

const MAX_PER_PERSON = 10;
const DAY_MS = 86_400_000;

/** People's sign-ins of programs. A signed-in program is a separate client, whose grant names that one person. */
export class SignIns {
  readonly #deps: SignInsDeps;
  readonly #live = new Map<string, LiveSignIn>();
  /** By the hashes of access tokens. */
  readonly #access = new Map<
    string,
    { readonly signIn: LiveSignIn; readonly scope: string; readonly expiresAt: number }
  >();

  /** Sign-ins that the store may have and that are not live: those being added, and those whose end is not stored yet. */
  readonly #unstored = new Map<string, LiveSignIn>();

  private constructor(deps: SignInsDeps) {
    this.#deps = deps;
  }

  static async open(deps: SignInsDeps): Promise<SignIns> {
    const signIns = new SignIns(deps);
    const { signIns: kept, tokens } = await deps.store.load(deps.clock.now());
    for (const one of kept) signIns.#live.set(one.id, toLive(one));
    for (const token of tokens) signIns.#hold(token);
    return signIns;
  }

  /** The scope for which a program that people signed in has to ask again before it may use a tool; null where that would be in vain. */
  scopeFor(tool: ToolFacts, { grant }: Client): string | null {
    return grant.signedIn ? findWiderScope(tool, grant, this.#deps.rules.signIn.allow) : null;
  }

  /** Null for a token that belongs to none, or to one that has ended. */
  authenticate(token: string): Client | null {
    const hash = hashToken(token);
    const found = this.#access.get(hash);
    if (!found) return null;
    if (found.expiresAt <= this.#deps.clock.now() || this.find(found.signIn.id) === undefined) {
      this.#forget(found.signIn, hash);
      return null;
    }
    return this.#clientOf(found.signIn, found.scope);
  }

  /** Undefined for one that has ended or expired. Expired ones end for good: a clock that is put back does not revive them. */
  find(id: string): SignIn | undefined {
    const signIn = this.#live.get(id);
    if (!signIn || this.#expiryOf(signIn) > this.#deps.clock.now()) return signIn;
    // If the store fails, the next ending of this sign-in or its person repeats the write, and every start does.
    this.#endAll([signIn], "expired").catch(() => undefined);
    return undefined;
  }

  #expiryOf({ createdAt, expiresAt }: SignIn): number {
    const { longestDays = Number.POSITIVE_INFINITY } = this.#deps.rules.signIn;
    return Math.min(expiresAt ?? Number.POSITIVE_INFINITY, createdAt + longestDays * DAY_MS);
  }

  /** Whether a program with this id is signed in by at least one person. */
  hasProgram(clientId: string): boolean {
    return this.#live.values().some((signIn) => signIn.clientId === clientId);
  }

  /** One person's sign-ins; the one used last comes first. */
  list(person: UserId): readonly SignIn[] {
    const own = [...this.#live.values()].filter(({ id, personId }) => personId === person && this.find(id));
    return own
      .map((one) => ({ ...one, expiresAt: Number.isFinite(this.#expiryOf(one)) ? this.#expiryOf(one) : null }))
      .sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Free if the membership is known. Throws `forbidden` for a person who may not sign in, `unavailable` if that is unknown. */
  async mustBeMember(person: UserId): Promise<void> {
    const membership = await this.#learnMembership(person);
    if (membership === "unknown") throw unknownMembership();
    if (membership === "absent")
      throw new EarshotError("forbidden", "This server's operator lets other people sign in, and not this account.");
  }

  /** Throws as `mustBeMember`, and `forbidden` beyond the maximum of programs. */
  async mustBeAllowed(person: UserId): Promise<void> {
    await this.mustBeMember(person);
    if (this.list(person).length >= MAX_PER_PERSON) {
      const problem = `You have signed in ${MAX_PER_PERSON} programs, which is the maximum.`;
      throw new EarshotError("forbidden", `${problem} End one with /agent connections in Discord.`);
    }
  }

  async add(request: Omit<SignIn, "id" | "createdAt" | "usedAt">): Promise<SignIn> {
    await this.mustBeAllowed(request.personId);
    const now = this.#deps.clock.now();
    const signIn = { ...request, id: this.#deps.mintId(), createdAt: now, usedAt: now };
    const live = toLive(signIn);
    this.#unstored.set(signIn.id, live);
    await this.#deps.store.add(signIn);
    if (!this.#unstored.delete(signIn.id)) {
      await this.#endAll([live], "erased");
      throw new EarshotError("cancelled", "All your sign-ins were ended meanwhile; start again in your program.");
    }
    this.#live.set(signIn.id, live);
    this.#note("signed_in", signIn, { allowed: signIn.allowed });
    return signIn;
  }

  /** Stores a token of the authorization server. False if its sign-in has ended meanwhile. */
  async addToken(token: SignInToken): Promise<boolean> {
    if (!this.find(token.signInId)) return false;
    const isKept = await this.#deps.store.addToken(token, this.#deps.clock.now());
    if (!isKept || !this.find(token.signInId)) return false;
    if (token.kind === "access") this.#hold(token);
    return true;
  }

  /** Undefined if the token has expired, or its sign-in has ended. */
  async findToken(hash: string): Promise<SignInToken | undefined> {
    const token = await this.#deps.store.token(hash);
    const isLive = token && token.expiresAt > this.#deps.clock.now() && this.find(token.signInId);
    return isLive ? token : undefined;
  }

  /** False for a token that was consumed before: one of its two users has stolen it. */
  consume(hash: string): Promise<boolean> {
    return this.#deps.store.consume(hash, this.#deps.clock.now());
  }

  /** Ends a sign-in, unless it is another person's; safe to repeat. Rejects with `unavailable` if a restart would restore it. */
  async end(id: string, why: Ending, person?: UserId): Promise<void> {
    const signIn = this.#live.get(id) ?? this.#unstored.get(id);
    if (signIn && (person === undefined || signIn.personId === person)) await this.#endAll([signIn], why);
  }

  /** Ends all of a person. As `end`. */
  endOf(person: UserId, why: Ending): Promise<void> {
    const own = [...this.#live.values(), ...this.#unstored.values()].filter(({ personId }) => personId === person);
    return this.#endAll(own, why);
  }

  /** Revokes the access first, whatever happens to the store. */
  async #endAll(signIns: readonly LiveSignIn[], why: Ending): Promise<void> {
    for (const signIn of signIns) {
      if (this.#live.has(signIn.id)) {
        this.#note("sign_in_ended", signIn, { why });
        if (why === "token_reused") this.#deps.onReuse(signIn);
      }
      this.#drop(signIn);
      this.#unstored.set(signIn.id, signIn);
    }
    const ids = signIns.map(({ id }) => id);
    await this.#deps.store.end(ids);
    for (const id of ids) this.#unstored.delete(id);
  }

  /** Leaves nothing of the person on the disk; `isScrubbed` is false if it has to be repeated. */
  async erase(person: UserId): Promise<{ readonly isScrubbed: boolean }> {
    await this.endOf(person, "erased");
    // Also of those that ended before.
    return { isScrubbed: await this.#deps.store.scrub() };
  }

  /** Call after changes to the operator's rules. */
  applyRules(): void {
    for (const signIn of this.#live.values())
      for (const [scope, client] of signIn.clients) client.grant = this.#toGrant(signIn, scope);
  }

  #hold({ hash, signInId, payload, expiresAt }: SignInToken): void {
    const signIn = this.#live.get(signInId);
    const { scope = "", aud } = JSON.parse(payload) as { readonly scope?: string; readonly aud?: string };
    if (!signIn || aud !== this.#deps.resource) return;
    const now = this.#deps.clock.now();
    for (const other of signIn.tokens)
      if ((this.#access.get(other)?.expiresAt ?? 0) <= now) this.#forget(signIn, other);
    signIn.tokens.add(hash);
    this.#access.set(hash, { signIn, scope, expiresAt });
  }

  #forget(signIn: LiveSignIn, hash: string): void {
    signIn.tokens.delete(hash);
    this.#access.delete(hash);
  }

  #drop(signIn: LiveSignIn): void {
    this.#live.delete(signIn.id);
    for (const hash of signIn.tokens) this.#forget(signIn, hash);
    for (const client of signIn.clients.values()) client.grant = NO_GRANT;
    this.#deps.onEnd([signIn.clientName]);
  }

  #clientOf(signIn: LiveSignIn, scope: string): Client {
    const known = signIn.clients.get(scope);
    if (known) return known;
    const grant = this.#toGrant(signIn, scope);
    const client = { name: signIn.clientName, grant, admit: () => this.#admit(signIn) };
    signIn.clients.set(scope, client);
    return client;
  }

  /** The grant holds only what token, person and operator all allow. */
  #toGrant({ personId, allowed, redirectHost }: SignIn, scope: string): Grant {
    const { allow, servers, programs } = this.#deps.rules.signIn;
    const asked = isListed(programs, [redirectHost]) ? readAllowances(scope) : [];
    const granted = asked.filter((one) => allowed.includes(one) && allow.includes(one));
    return {
      ...OWN_GRANT,
      scopes: granted.flatMap((one) => ALLOWED_SCOPES[one]),
      guilds: servers,
      directMessages: granted.includes("direct_messages"),
      actors: [personId],
      signedIn: true,
    };
  }

  /** Free if the membership is known. */
  #admit(signIn: LiveSignIn): void | Promise<void> {
    signIn.usedAt = this.#deps.clock.now();
    if (this.#live.has(signIn.id) && this.#membership(signIn.personId) === "member") return;
    return this.#admitSlowly(signIn);
  }

  async #admitSlowly(signIn: LiveSignIn): Promise<void> {
    const membership = this.find(signIn.id) ? await this.#learnMembership(signIn.personId) : "absent";
    if (membership === "member") return;
    if (membership === "unknown") throw unknownMembership();
    await this.end(signIn.id, "not_a_member");
    throw new EarshotError("unauthenticated", "This program is no longer signed in; sign in again.");
  }

  async #learnMembership(person: UserId): Promise<Membership> {
    const { directory } = this.#deps;
    const unlearned = new Set<string>();
    if (this.#membership(person) === "member") return "member";
    for (const { id } of this.#guilds())
      await directory.learnMember(person, id).catch((error: unknown) => {
        if (!(error instanceof EarshotError)) throw error;
        unlearned.add(id);
      });
    return this.#membership(person, (id) => !unlearned.has(id));
  }

  #membership(person: UserId, isLearned: (guildId: string) => boolean = () => false): Membership {
    const { directory } = this.#deps;
    const guilds = this.#guilds();
    if (guilds.some(({ id }) => this.#letsIn(id, person))) return "member";
    const isUnknown = guilds.some(
      ({ id, available, membersComplete }) =>
        !available || (!directory.member(id, person) && !membersComplete && !isLearned(id)),
    );
    return isUnknown || !directory.isComplete ? "unknown" : "absent";
  }

  #letsIn(guildId: GuildId, person: UserId): boolean {
    const { directory, rules } = this.#deps;
    const { roles } = rules.signIn;
    const member = directory.member(guildId, person);
    return member !== undefined && (roles.length === 0 || roles.some((role) => member.roles.has(role)));
  }

  #guilds() {
    const { signIn, guilds } = this.#deps.rules;
    const isOpen = (id: string) =>
      isListed<string>(signIn.servers, [id]) &&
      isListed<string>(guilds.allow, [id]) &&
      !isListed<string>(guilds.deny, [id]);
    return this.#deps.directory.guilds().filter(({ id }) => isOpen(id));
  }

  #note(name: string, signIn: SignIn, more: object): void {
    const { id, personId: actor_id, clientId: client_id, redirectHost: redirect_host } = signIn;
    const detail = { client: toClientName(id), actor_id, client_id, redirect_host, ...more };
    const row = { operation_id: "", name, detail_json: JSON.stringify(detail), happened_at: this.#deps.clock.now() };
    this.#deps.audit.note({ kind: "event", row });
  }
}

/** The grant is a plain field, not a getter, because every decision reads it. */
interface SignedInClient extends Client {
  grant: Grant;
}

interface LiveSignIn extends SignIn {
  usedAt: number;
  readonly clientName: string;
  /** By the token's scope: a program may request one that allows less. */
  readonly clients: Map<string, SignedInClient>;
  readonly tokens: Set<string>;
}

function toLive(signIn: SignIn): LiveSignIn {
  return { ...signIn, clientName: toClientName(signIn.id), clients: new Map(), tokens: new Set() };
}

/** Never a name chosen by the program, because sessions, labels, limits and the audit are keyed by it. */
function toClientName(id: string): string {
  return `signin:${id}`;
}

function unknownMembership(): EarshotError {
  const problem = "Discord cannot be asked just now whether this person is still a member; try again in a moment.";
  return new EarshotError("unavailable", problem, { retryAfter: 5 });
}
