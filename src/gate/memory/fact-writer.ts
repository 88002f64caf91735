import type { FactHome } from "../../domain/audience.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Channel } from "../../domain/guild.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { type Fact, type FactScope, type FactVisibility, messagesOf, toFactRef } from "../../domain/memory/fact.ts";
import { type FactInput, type JsonValue, parseFactInput } from "../../domain/memory/fact-input.ts";
import { findSecret } from "../../domain/memory/find-secret.ts";
import { mentionsOthers } from "../../domain/memory/mentions-others.ts";
import { findNearNames } from "../../domain/memory/near-names.ts";
import type { RememberRequest } from "../../domain/memory/remember-request.ts";
import type { MessageRef } from "../../domain/message.ts";
import { SerialByKey } from "../../domain/serial.ts";
import { strongestOf, toLimited } from "../../memory/fact-history.ts";
import { toAudienceRef, toHome } from "../../memory/seal.ts";
import { projectOf, SHARED_WRITE_SCOPE } from "../../policy/apply-rules.ts";
import type { Audit } from "../../policy/audit.ts";
import { peopleMode } from "../../policy/decide.ts";
import { mayDecideFor } from "../../policy/manages-guild.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredFact } from "../../ports/fact-store.ts";
import type { SourceWatch } from "../../sources/source-watch.ts";
import { openCurrent } from "./current-facts.ts";
import { type LookDeps, lookAtFacts, mayKnow } from "./look-at-facts.ts";
import type { CheckedFact, FactEffect, FactRequest, OwnFact } from "./own-facts.ts";

export interface FactWriterDeps extends LookDeps {
  readonly rules: Rules;
  readonly audit: Pick<Audit, "settled">;
  readonly sources: Pick<SourceWatch, "isDeleted">;
  readonly clock: Clock;
}

interface Home {
  readonly scopeId: string;
  readonly home: FactHome;
  readonly guildId: GuildId | null;
}

const DAY_MS = 86_400_000;
const ONLY_PRIVATE = "A fact that mentions somebody else can only be private.";
const NO_MENTIONS = "A fact about a project or a server mentions nobody by a mention or an id; use the name.";
const MAX_ERASURES = 10_000;
const VISIBILITIES: readonly unknown[] = ["private", "project", "org"];

/** Checks and stores facts that a person decided to save. The caller has verified the person. */
export class FactWriter {
  readonly #deps: FactWriterDeps;
  /** Pending writes, in order for each subject. */
  readonly #storing = new SerialByKey<string>();
  readonly #erasures = new BoundedMap<UserId, number>({ maxEntries: MAX_ERASURES });

  constructor(deps: FactWriterDeps) {
    this.#deps = deps;
  }

  /** All checks that need no store. Throws `invalid` for an invalid fact, `forbidden` if rules or permissions do not allow it. */
  async draft(actor: UserId, request: FactRequest): Promise<CheckedFact> {
    const { rules, clock, discord } = this.#deps;
    const erasures = this.erasuresOf(actor);
    const { about = "user" } = request;
    const input = parseFactInput(request);
    if (!VISIBILITIES.includes(request.visibility))
      throw new EarshotError("invalid", "A fact is private, or shared with a channel or a server.");
    if (request.expiresAt !== undefined && !Number.isSafeInteger(request.expiresAt))
      throw new EarshotError("invalid", "The time until which it is remembered must be a time in milliseconds.");
    const secret = findSecret(input);
    if (secret !== null) throw new EarshotError("invalid", `That looks like ${secret}. It is not remembered.`);
    const visibility = about === "user" ? request.visibility : about;
    if (visibility !== "private") await discord.directory.learn(actor, request.channelId);
    const { home, guildId, scopeId } = this.#homeOf(actor, { ...request, about, visibility });
    this.#mustMentionNobody(actor, input, { scope: about, home });
    const days = rules.memory.retentionDays[about];
    const expiresAt = Math.min(request.expiresAt ?? Number.POSITIVE_INFINITY, clock.now() + days * DAY_MS);
    if (expiresAt <= clock.now())
      throw new EarshotError("invalid", "The time until which it is remembered has passed.");
    return {
      scope: about,
      scopeId,
      subjectId: about === "user" ? actor : null,
      guildId,
      visibility,
      home,
      ...input,
      createdBy: actor,
      verification: about === "user" ? "user_confirmed" : "admin_confirmed",
      confidence: 1,
      expiresAt,
      erasures,
    };
  }

  /** The same fact for another confirmation by its person: with the same expiry, or that of a new fact if that is later. */
  redraft(actor: UserId, fact: Fact, isForLonger: boolean): CheckedFact {
    const { scope, scopeId, subjectId, guildId, visibility, home, name, value, verification, confidence } = fact;
    const { rules, clock } = this.#deps;
    this.#mustMentionNobody(actor, { name, value: value as JsonValue }, fact);
    const longest = clock.now() + rules.memory.retentionDays[scope] * DAY_MS;
    const until = fact.expiresAt ?? longest;
    const expiresAt = isForLonger ? Math.max(longest, until) : until;
    const erasures = this.erasuresOf(actor);
    const kept = { scope, scopeId, subjectId, guildId, visibility, home, name, value, verification, confidence };
    return { ...kept, createdBy: actor, expiresAt, erasures };
  }

  /** The effect of storing it now, as far as its writer may know it. */
  async effectOf(
    fact: Pick<RememberRequest, "scope" | "scopeId" | "guildId" | "name" | "home" | "createdBy">,
  ): Promise<FactEffect> {
    const { scope, home, createdBy } = fact;
    const known = await lookAtFacts(createdBy, await this.#findNamed(fact), this.#deps);
    const looked = scope === "user" ? known : known.filter(({ isReadable }) => isReadable);
    const hasSameHome = ({ fact }: OwnFact) => fact.home.kind === home.kind && fact.home.id === home.id;
    return {
      replaces: looked.filter(hasSameHome),
      staysShared: looked.filter((one) => !hasSameHome(one) && one.fact.visibility !== "private"),
    };
  }

  /** The current version of each fact of the same subject and name, as its writer knows it: their own ones also if they are not in use. */
  async #findNamed(fact: Parameters<FactWriter["effectOf"]>[0]): Promise<readonly StoredFact[]> {
    const { memory } = this.#deps;
    const project = this.#projectOf(fact);
    const audienceRef = toAudienceRef(fact.home);
    const isThere = ({ row }: StoredFact) => {
      const { scope_type: scope, scope_id: scopeId, guild_id: guildId } = row;
      if (scopeId === fact.scopeId || row.audience_ref === audienceRef) return true;
      return this.#projectOf({ scope, scopeId, guildId, home: toHome(row) }) === project;
    };
    const named = (await memory.findNamed(fact)).filter(isThere);
    if (fact.scope === "user") return strongestOf(named);
    const audible = named.filter((one) => mayKnow(fact.createdBy, toLimited(one), this.#deps));
    const current = new Set((await openCurrent(audible, memory)).map(({ id }) => id));
    return named.filter(({ row }) => current.has(row.id));
  }

  /** A fact of the same subject and audience with a similar name, among those its writer may know; null if there is none. */
  async findNear(
    fact: Pick<RememberRequest, "scope" | "scopeId" | "name" | "home" | "createdBy">,
  ): Promise<OwnFact | null> {
    const { scope: scopeType, scopeId, name, home, createdBy } = fact;
    const { memory } = this.#deps;
    const stored = strongestOf(await memory.find({ scopeType, scopeId }));
    const isSameHome = (one: Fact) => one.home.kind === home.kind && one.home.id === home.id;
    for (const { id } of findNearNames(name, (await memory.open(stored)).filter(isSameHome))) {
      const [near] = await lookAtFacts(createdBy, await memory.findById(id), this.#deps);
      // A writer may also replace a fact that is in use for them alone.
      const isForWriter = near?.dormant === "source_edited" || near?.dormant === "restored";
      const isHeard = near?.dormant === null || (isForWriter && near?.isReadable === true);
      if (near && isHeard) return near;
    }
    return null;
  }

  /**
   * Writes the audit first. Throws `cancelled` if everything about its writer was erased since the draft. `recheck` runs after the audit is
   * written, while no other fact about the same subject is stored; an error stops the write.
   */
  async store(
    { erasures, ...draft }: CheckedFact,
    rest: Pick<RememberRequest, "basis" | "ends" | "again">,
    { note, recheck }: { note(name: string, detail: object): void; recheck?(): Promise<unknown> },
  ): Promise<Fact> {
    const { audit, memory, sources, discord } = this.#deps;
    const isGone = (message: MessageRef) =>
      sources.isDeleted(message) || discord.directory.isDeleted(message.channelId);
    note("memory_remember_begun", { scope: draft.scope, visibility: draft.visibility });
    await audit.settled();
    const fact = await this.#storing.run(draft.scopeId, async () => {
      await recheck?.();
      if (this.erasuresOf(draft.createdBy) !== erasures)
        throw new EarshotError("cancelled", "Everything about you was erased meanwhile, so this is not remembered.");
      // Later deletions find it among the facts that are being stored.
      if (messagesOf(rest).some(isGone))
        throw new EarshotError(
          "forbidden",
          "A message that it rests on was deleted meanwhile, so nothing was remembered.",
        );
      return memory.remember({ ...draft, ...rest });
    });
    note("memory_remembered", { fact_ref: toFactRef(fact) });
    return fact;
  }

  /** Throws `forbidden` for a shared fact that mentions another member by a mention or id; the preview points out names in plain words. */
  #mustMentionNobody(actor: UserId, input: FactInput, { scope, home }: Pick<Fact, "scope" | "home">): void {
    if (home.kind !== "person" && mentionsOthers(input, actor))
      throw new EarshotError("forbidden", scope === "user" ? ONLY_PRIVATE : NO_MENTIONS);
  }

  #projectOf(fact: Parameters<typeof projectOf>[0]): string | null {
    const { rules, discord } = this.#deps;
    return projectOf(fact, { rules, directory: discord.directory });
  }

  /** Whether a member may decide about facts of a whole server or of a project in it. */
  mayDecideFor(actor: UserId, guildId: GuildId): boolean {
    const { discord, rules, clock } = this.#deps;
    return mayDecideFor(actor, { guildId, scope: SHARED_WRITE_SCOPE }, { rules, directory: discord.directory, clock });
  }

  /** Changes when everything about a person is erased: their earlier requests are not stored afterwards. */
  erasuresOf(actor: UserId): number {
    return this.#erasures.get(actor) ?? 0;
  }

  noteErasure(actor: UserId): void {
    this.#erasures.set(actor, this.erasuresOf(actor) + 1);
  }

  /** A DM has no audience to share with. */
  #homeOf(actor: UserId, request: FactRequest & { readonly about: FactScope }): Home {
    const { discord } = this.#deps;
    const { about, visibility, channelId } = request;
    const { directory } = discord;
    const channel = directory.channel(channelId);
    const guildId = request.guildId ?? channel?.guildId ?? null;
    if (!channel && request.guildId === undefined)
      throw new EarshotError("forbidden", "Nothing is remembered from a place that the bot does not know.");
    if (about === "user") this.#mustAllowPeople(guildId, visibility);
    if (visibility === "private") return { scopeId: actor, home: { kind: "person", id: actor }, guildId: null };
    if (guildId === null) throw new EarshotError("forbidden", "What you say here can only be remembered for yourself.");
    if (!directory.canRead(actor, channelId) || !directory.canRead(discord.botId, channelId))
      throw new EarshotError("forbidden", "You cannot share it with a channel that you or the bot cannot read.");
    if (directory.member(guildId, actor)?.pending || directory.isTimedOut(actor, channelId))
      throw new EarshotError(
        "forbidden",
        "You can share nothing in this server while you are timed out, or before you have passed its membership screening.",
      );
    if (channel?.kind === "private_thread")
      throw new EarshotError(
        "forbidden",
        "Nothing is shared from a private thread, whose channel more people can read.",
      );
    if (about !== "user" && !this.mayDecideFor(actor, guildId))
      throw new EarshotError(
        "forbidden",
        "Only somebody who manages this server, or has a role that is allowed to, can have this remembered for others.",
      );
    if (visibility === "org" && this.#isAgeRestricted(channel))
      throw new EarshotError(
        "forbidden",
        "What you say in an age-restricted channel can be shared only with that channel.",
      );
    if (visibility === "org")
      return { scopeId: about === "user" ? actor : guildId, home: { kind: "guild", id: guildId }, guildId };
    // A thread's home is its channel: threads come and go.
    const homeId = (channel?.thread && channel.parentId) || channelId;
    const projectId = directory.channel(homeId)?.parentId ?? homeId;
    return { scopeId: about === "user" ? actor : projectId, home: { kind: "channel", id: homeId }, guildId };
  }

  #mustAllowPeople(guildId: GuildId | null, visibility: FactVisibility): void {
    const mode = peopleMode(this.#deps.rules, guildId);
    if (mode === "off") throw new EarshotError("forbidden", "Nothing is remembered about people in this server.");
    if (visibility !== "private" && guildId !== null && mode !== "shared")
      throw new EarshotError("forbidden", "In this server, facts about people are for themselves alone.");
  }

  #isAgeRestricted(channel: Channel | undefined): boolean {
    const parent = channel?.thread && channel.parentId ? this.#deps.discord.directory.channel(channel.parentId) : null;
    return channel?.ageRestricted === true || parent?.ageRestricted === true;
  }
}
