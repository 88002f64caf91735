import { EarshotError } from "../../domain/errors.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { type Fact, toFactRef } from "../../domain/memory/fact.ts";
import type { FactInput } from "../../domain/memory/fact-input.ts";
import { mentionsPerson, textsOf } from "../../domain/memory/mentions-others.ts";
import { findNamedPeople } from "../../domain/memory/named-people.ts";
import { rolesAllow } from "../../policy/apply-rules.ts";
import type { Audit } from "../../policy/audit.ts";
import type { FactWriter } from "./fact-writer.ts";
import type { MentioningFact, MentioningFacts } from "./mentioning-facts.ts";
import { SharedReads, type SharedReadsDeps } from "./shared-reads.ts";

export interface MentionMemoryDeps extends SharedReadsDeps {
  readonly audit: Pick<Audit, "note" | "settled">;
  readonly writer: Pick<FactWriter, "erasuresOf">;
}

/**
 * Lets people manage shared facts that mention them. They can remove facts with a mention or their id. For facts with only their name they
 * can request the removal: otherwise a person with the name "deadline" could remove every fact about deadlines. The owner and the admins
 * see the request, and decide. Only facts that the person may know are concerned, so others are not disclosed.
 */
export class MentionMemory implements MentioningFacts {
  readonly #deps: MentionMemoryDeps;
  readonly #reads: SharedReads;

  constructor(deps: MentionMemoryDeps) {
    this.#deps = deps;
    this.#reads = new SharedReads(deps);
  }

  async list(person: UserId, guildId: GuildId | null): Promise<readonly MentioningFact[]> {
    const { directory } = this.#deps.discord;
    const guildIds = guildId === null ? directory.guilds().map(({ id }) => id) : [guildId];
    const found: MentioningFact[] = [];
    for (const id of guildIds) found.push(...(await this.#listIn(person, id)));
    return found;
  }

  async remove(person: UserId, fact: Pick<Fact, "id" | "guildId">) {
    const { audit, memory } = this.#deps;
    this.#note("memory_mention_removal_begun", person, await this.#find(person, fact, { isExact: true }));
    await audit.settled();
    const found = await this.#find(person, fact, { isExact: true });
    const { facts, ...ended } = await memory.forget([found]);
    this.#note("memory_mention_removed", person, found, { facts });
    return ended;
  }

  async askRemoval(person: UserId, fact: Pick<Fact, "id" | "guildId">): Promise<void> {
    const { audit, memory, writer } = this.#deps;
    const erasures = writer.erasuresOf(person);
    const found = await this.#find(person, fact, { isExact: false });
    this.#note("memory_removal_asked", person, found);
    await audit.settled();
    if (writer.erasuresOf(person) !== erasures)
      throw new EarshotError("cancelled", "Everything about you was erased meanwhile, so this is not kept.");
    await memory.askRemoval(found, person);
  }

  async #find(person: UserId, { id, guildId }: Pick<Fact, "id" | "guildId">, { isExact }: { isExact: boolean }) {
    const all = guildId === null ? [] : await this.#listIn(person, guildId);
    const found = all.find((one) => one.fact.id === id && one.isExact === isExact);
    if (!found) throw new EarshotError("not_found", "There is no such fact any more, or it does not mention you.");
    return found.fact;
  }

  async #listIn(person: UserId, guildId: GuildId): Promise<readonly MentioningFact[]> {
    const { rules, discord } = this.#deps;
    const known = await this.#reads.knownTo(person, guildId);
    const roles = discord.directory.member(guildId, person)?.roles;
    // Facts that a rule withholds from this person are not disclosed here, either.
    if (!rolesAllow(rules, { guildId, roles, scope: "memory:read_project" })) return [];
    const others = known.filter(({ subjectId }) => subjectId !== person);
    const exact = new Set(others.filter((fact) => mentionsPerson(toInput(fact), person)));
    const isNamed = this.#namesPerson(person, guildId);
    const mentioning = others.filter((fact) => exact.has(fact) || isNamed(textsOf(toInput(fact))));
    const looked = await this.#reads.look(mentioning);
    return looked.filter(({ dormant }) => dormant === null).map((one) => ({ ...one, isExact: exact.has(one.fact) }));
  }

  /** A name is unique only if all members are known. */
  #namesPerson(person: UserId, guildId: GuildId): (texts: readonly string[]) => boolean {
    const { directory } = this.#deps.discord;
    if (!directory.guild(guildId)?.membersComplete) return () => false;
    const people = [...directory.people(guildId)].filter(({ bot }) => !bot);
    const own = people.filter(({ id }) => id === person);
    // Few texts contain the name at all, so only those are compared with all names.
    return (texts) => findNamedPeople(texts, own).size > 0 && findNamedPeople(texts, people).has(person);
  }

  #note(name: string, person: UserId, fact: Fact, more: object = {}): void {
    const { audit, clock } = this.#deps;
    const detail = { actor_id: person, guild_id: fact.guildId, fact_ref: toFactRef(fact), ...more };
    const row = { operation_id: "", name, detail_json: JSON.stringify(detail), happened_at: clock.now() };
    audit.note({ kind: "event", row });
  }
}

function toInput({ name, value }: Fact): FactInput {
  return { name, value: value as FactInput["value"] };
}
