import { EarshotError } from "../../domain/errors.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { type Fact, normaliseName, toFactRef } from "../../domain/memory/fact.ts";
import { matchFacts } from "../../domain/memory/match-facts.ts";
import { ADMIN_SCOPE } from "../../policy/apply-rules.ts";
import type { Audit } from "../../policy/audit.ts";
import { mayDecideFor } from "../../policy/manages-guild.ts";
import type { SharedFact, SharedFacts } from "./shared-facts.ts";
import { SharedReads, type SharedReadsDeps } from "./shared-reads.ts";

export interface SharedMemoryDeps extends SharedReadsDeps {
  readonly audit: Pick<Audit, "note" | "settled">;
}

/** Suggestions are due within three seconds, and sources of facts may have to be fetched. */
const MAX_LOOKED = 100;

/**
 * The shared facts of a server, for its admins. Manage Server does not let them read every channel in Discord, so they see only facts that
 * they may know. Dormant facts that they could know are listed with the reason but without key and value, so that they can be ended.
 */
export class SharedMemory implements SharedFacts {
  readonly #deps: SharedMemoryDeps;
  readonly #reads: SharedReads;

  constructor(deps: SharedMemoryDeps) {
    this.#deps = deps;
    this.#reads = new SharedReads(deps);
  }

  async list(...[admin, guildId, { offset, limit }]: Parameters<SharedFacts["list"]>) {
    const all = await this.#knownTo(admin, guildId);
    const facts = await this.#reads.look(all.slice(offset, offset + limit));
    const refs = facts.map(({ fact }) => toFactRef(fact));
    this.#note("memory_admin_listed", { actor_id: admin, guild_id: guildId, fact_refs: refs });
    return { count: all.length, facts };
  }

  async suggest(...[admin, guildId, { limit, isWanted }]: Parameters<SharedFacts["suggest"]>) {
    const found: SharedFact[] = [];
    const all = (await this.#knownTo(admin, guildId)).filter(({ name }) => isWanted(name));
    for (const fact of all.slice(0, MAX_LOOKED)) {
      const [one] = await this.#reads.look([fact]);
      if (one?.dormant === null) found.push(one);
      if (found.length >= limit) break;
    }
    return found;
  }

  async find(...[admin, guildId, typed]: Parameters<SharedFacts["find"]>): Promise<SharedFact> {
    const wanted = normaliseName(typed);
    const all = wanted === "" ? [] : await this.#knownTo(admin, guildId);
    const isNear = ({ id, name }: Fact) => id.startsWith(typed) || normaliseName(name) === wanted;
    const near = (await this.#reads.look(all.filter(isNear))).map((one) => ({
      ...{ one, id: one.fact.id },
      // Guessing names must not reveal that of a dormant fact.
      name: one.dormant === null ? one.fact.name : "",
    }));
    const [first, ...others] = matchFacts(typed, near);
    if (others.length > 0)
      throw new EarshotError("invalid", "Several facts could be meant; pick one from the list that is suggested.");
    if (!first) throw notFound();
    return first.one;
  }

  /** Without an audit entry nothing is ended, because admins are accountable for ending facts of others. */
  async forget(...[admin, guildId, factId]: Parameters<SharedFacts["forget"]>) {
    const { memory, audit } = this.#deps;
    const found = await this.#find(admin, guildId, factId);
    const ids = { actor_id: admin, guild_id: guildId, fact_ref: toFactRef(found) };
    this.#note("memory_admin_forget_begun", ids);
    await audit.settled();
    // Fact and rights may have changed while the audit was written.
    const fact = await this.#find(admin, guildId, factId);
    const { facts, ...ended } = await memory.forget([fact]);
    this.#note("memory_admin_forgotten", { ...ids, facts });
    return ended;
  }

  async #find(admin: UserId, guildId: GuildId, factId: string): Promise<Fact> {
    const fact = (await this.#knownTo(admin, guildId)).find(({ id }) => id === factId);
    if (!fact) throw notFound();
    return fact;
  }

  /** Throws `forbidden` for anyone but admins. */
  async #knownTo(admin: UserId, guildId: GuildId): Promise<readonly Fact[]> {
    await this.#deps.discord.directory.learnMember(admin, guildId);
    this.#mustAdminister(admin, guildId);
    const facts = await this.#reads.knownTo(admin, guildId);
    // Rights may be lost during the read.
    this.#mustAdminister(admin, guildId);
    return facts;
  }

  #mustAdminister(admin: UserId, guildId: GuildId): void {
    const { discord, rules, clock } = this.#deps;
    const { directory } = discord;
    if (!directory.guild(guildId)?.available)
      throw new EarshotError("unavailable", "This server cannot be reached at the moment; try again in a minute.");
    if (mayDecideFor(admin, { guildId, scope: ADMIN_SCOPE }, { rules, directory, clock })) return;
    throw new EarshotError(
      "forbidden",
      "Only somebody who manages this server, or has a role that is allowed to, can see and end what is shared here.",
    );
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
