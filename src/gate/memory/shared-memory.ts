import { type Audience, flows } from "../../domain/audience.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { audiencesOf, type Fact, normaliseName } from "../../domain/memory/fact.ts";
import { matchFacts } from "../../domain/memory/match-facts.ts";
import { toBasis, toHome } from "../../memory/to-fact.ts";
import {
  ADMIN_SCOPE,
  isListed,
  locateChannel,
  refuseGuild,
  refusePlace,
  rolesAllow,
} from "../../policy/apply-rules.ts";
import type { Audit } from "../../policy/audit.ts";
import { peopleMode } from "../../policy/decide-fact.ts";
import { isSubjectThere, toAudience } from "../../policy/fact-audience.ts";
import { managesGuild } from "../../policy/manages-guild.ts";
import { nameProject } from "../../policy/named-projects.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredFact } from "../../ports/fact-store.ts";
import { checkBasis } from "./check-basis.ts";
import type { LookDeps } from "./look-at-facts.ts";
import type { SharedDormancy, SharedFact, SharedFacts } from "./shared-facts.ts";
import { traceFollowers } from "./trace-followers.ts";

export interface SharedMemoryDeps extends LookDeps {
  readonly rules: Rules;
  readonly audit: Pick<Audit, "note" | "settled">;
  readonly clock: Clock;
}

/** Suggestions have to be there within three seconds, and what a fact rests on may have to be fetched. */
const MAX_LOOKED = 100;
/** The operator's rules decide; no client is involved. */
const ANY_GRANT = { guilds: "all", channels: "all", directMessages: true } as const;

/**
 * What is shared in a server, for its admins. They see what they may hear, and nothing else: Manage Server lets nobody read a channel on Discord, so a
 * fact whose home, or anything that it rests on, they cannot read does not exist for them. It is not even counted, since a number that grows tells that
 * something was said in there. Of people who are left out there is nothing either: a world in which somebody is left out looks like one without their
 * words. What an admin could hear, but nobody hears at the moment, is listed with the reason and without key and value, so that it can be ended.
 */
export class SharedMemory implements SharedFacts {
  readonly #deps: SharedMemoryDeps;

  constructor(deps: SharedMemoryDeps) {
    this.#deps = deps;
  }

  async list(...[admin, guildId, { offset, limit }]: Parameters<SharedFacts["list"]>) {
    const all = await this.#knownTo(admin, guildId);
    const facts = await this.#look(all.slice(offset, offset + limit));
    const refs = facts.map(({ fact }) => `${fact.id}@${fact.version}`);
    this.#note("memory_admin_listed", { actor_id: admin, guild_id: guildId, fact_refs: refs });
    return { count: all.length, facts };
  }

  async suggest(...[admin, guildId, { limit, isWanted }]: Parameters<SharedFacts["suggest"]>) {
    const found: SharedFact[] = [];
    const all = (await this.#knownTo(admin, guildId)).filter(({ name }) => isWanted(name));
    for (const fact of all.slice(0, MAX_LOOKED)) {
      const [one] = await this.#look([fact]);
      if (one?.dormant === null) found.push(one);
      if (found.length >= limit) break;
    }
    return found;
  }

  async find(...[admin, guildId, typed]: Parameters<SharedFacts["find"]>): Promise<SharedFact> {
    const wanted = normaliseName(typed);
    const all = wanted === "" ? [] : await this.#knownTo(admin, guildId);
    const isNear = ({ id, name }: Fact) => id.startsWith(typed) || normaliseName(name) === wanted;
    const near = (await this.#look(all.filter(isNear))).map((one) => ({
      ...{ one, id: one.fact.id },
      // Who tries names must not learn that of a fact which nobody hears.
      name: one.dormant === null ? one.fact.name : "",
    }));
    const [first, ...others] = matchFacts(typed, near);
    if (others.length > 0)
      throw new EarshotError("invalid", "Several facts could be meant; pick one from the list that is suggested.");
    if (!first) throw notFound();
    return first.one;
  }

  /** No audit, no ending: who ends what others said answers for it. */
  async forget(...[admin, guildId, factId]: Parameters<SharedFacts["forget"]>) {
    const { memory, audit } = this.#deps;
    const ids = { actor_id: admin, guild_id: guildId, fact_id: factId };
    await this.#find(admin, guildId, factId);
    this.#note("memory_admin_forget_begun", ids);
    await audit.settled();
    // Both may have changed while the audit was written.
    const fact = await this.#find(admin, guildId, factId);
    const { facts, isScrubbed } = await memory.forget([fact]);
    this.#note("memory_admin_forgotten", { ...ids, facts });
    return { isScrubbed };
  }

  async #find(admin: UserId, guildId: GuildId, factId: string): Promise<Fact> {
    const fact = (await this.#knownTo(admin, guildId)).find(({ id }) => id === factId);
    if (!fact) throw notFound();
    return fact;
  }

  /** All that an admin may know of, in use or not. Throws `forbidden` for who is none. */
  async #knownTo(admin: UserId, guildId: GuildId): Promise<readonly Fact[]> {
    const { memory, discord, clock } = this.#deps;
    await discord.directory.learnMember(admin, guildId);
    this.#mustAdminister(admin, guildId);
    const stored = await memory.find({ guildId, withSuperseded: true });
    const followers = traceFollowers(stored, clock.now());
    const audible = stored.filter((one) => followers.isCurrent(one) && this.#mayKnowSealed(admin, one));
    const known = new Set<string>();
    const facts: Fact[] = [];
    for (const fact of await memory.open(audible)) {
      if (!memory.isConsented(fact) || followers.isReplaced(fact, known)) continue;
      known.add(fact.id);
      // That another value follows it, which they may not hear, is not theirs to know.
      facts.push({ ...fact, supersededBy: null });
    }
    // Opening takes a moment, in which the rights may have been lost.
    this.#mustAdminister(admin, guildId);
    return facts.filter((fact) => this.#mayKnow(admin, fact));
  }

  #mustAdminister(admin: UserId, guildId: GuildId): void {
    const { discord, rules, clock } = this.#deps;
    const { directory } = discord;
    if (!directory.guild(guildId)?.available)
      throw new EarshotError("unavailable", "This server cannot be reached at the moment; try again in a minute.");
    const manages = managesGuild(admin, guildId, { directory, clock });
    const roles = directory.member(guildId, admin)?.roles;
    if (rolesAllow(rules, { guildId, roles, manages, scope: ADMIN_SCOPE })) return;
    throw new EarshotError(
      "forbidden",
      "Only somebody who manages this server, or has a role that is allowed to, can see and end what is shared here.",
    );
  }

  #mayKnowSealed(admin: UserId, { row, sources }: StoredFact): boolean {
    return this.#mayKnow(admin, { home: toHome(row), basis: sources.map(toBasis) });
  }

  #mayKnow(admin: UserId, fact: Pick<Fact, "home" | "basis">): boolean {
    const { directory, botId } = this.#deps.discord;
    const self: Audience = { kind: "people", people: new Set([admin]) };
    return audiencesOf(fact).every((ref) => flows(toAudience(ref, directory, botId), self));
  }

  async #look(facts: readonly Fact[]): Promise<readonly SharedFact[]> {
    const { memory, rules, discord } = this.#deps;
    const { directory } = discord;
    const looked: SharedFact[] = [];
    for (const fact of facts) {
      const by = fact.subjectId ?? fact.createdBy;
      const isNamed = by !== null && memory.isConsented({ subjectId: by, basis: [] });
      const project = fact.scope === "project" ? nameProject(fact.home, { rules, directory }) : null;
      looked.push({ fact, dormant: await this.#findDormancy(fact), by: isNamed ? by : null, project });
    }
    return looked;
  }

  async #findDormancy(fact: Fact): Promise<SharedDormancy> {
    const { directory } = this.#deps.discord;
    const { subjectId, guildId } = fact;
    if (subjectId !== null && guildId !== null) await directory.learnMember(subjectId, guildId).catch(() => {});
    if (!isSubjectThere(fact, directory)) return "left_server";
    if (this.#isSwitchedOff(fact)) return "switched_off";
    const basis = await checkBasis(fact, this.#deps);
    return basis === "standing" ? null : `source_${basis}`;
  }

  /** By the operator: for the server, for what people share, or for a channel that is its home or that it rests on. */
  #isSwitchedOff(fact: Fact): boolean {
    const { rules, discord } = this.#deps;
    const { subjectId, guildId } = fact;
    const terms = { grant: ANY_GRANT, rules };
    if (guildId !== null && refuseGuild(terms, guildId) !== null) return true;
    if (subjectId !== null && peopleMode(rules, guildId) !== "shared") return true;
    return audiencesOf(fact).some((ref) => {
      if (ref.kind !== "channel") return false;
      const place = locateChannel(discord.directory, ref.id);
      return refusePlace(terms, place) !== null || !place || isListed(rules.optOut.channels, place.lineage);
    });
  }

  #note(name: string, detail: object): void {
    const { audit, clock } = this.#deps;
    const row = { operation_id: "", name, detail_json: JSON.stringify(detail), happened_at: clock.now() };
    audit.note({ kind: "event", row });
  }
}

function notFound(): EarshotError {
  return new EarshotError("not_found", "There is no such fact among those that you may hear in this server.");
}
