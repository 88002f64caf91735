import { EarshotError } from "../../domain/errors.ts";
import type { FactRecord, MemoryAnswer, MemoryExport } from "../../domain/rpc/memory-methods.ts";
import type { ErasePerson, EraseReceipt } from "../../gate/memory/erase-person.ts";
import type { ListedFact, OwnFacts } from "../../gate/memory/own-facts.ts";
import type { OwnTalks } from "../../gate/memory/own-talks.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProposalDirectory } from "./describe-proposal.ts";
import { describeAudience, describeWhy } from "./describe-why.ts";
import { type RecordContext, toFactRecord, toMemoryExport } from "./fact-record.ts";
import { PersonRates } from "./person-rates.ts";
import { toPlainWords } from "./plain-words.ts";
import { type Privacy, requireOwnClient, toPrivacyRequest } from "./privacy.ts";
import { describeErased, describeGone } from "./privacy-text.ts";

export interface PersonMemoryDeps {
  /** Null if facts are not stored. */
  readonly ownMemory: OwnFacts | null;
  /** Null if talks are not kept. */
  readonly ownTalks?: Pick<OwnTalks, "talksOf"> | null;
  readonly erasePerson: ErasePerson;
  readonly privacy: Pick<Privacy, "previewErasure">;
  readonly directory: ProposalDirectory;
  readonly clock: Clock;
}

export const NOTHING_REMEMBERED = "Nothing is remembered here.";

/**
 * Lets people manage facts about themselves through a program that acts for them alone. It bypasses the gate, so that no scope, rule, toolset or budget takes
 * it away. Every method throws `forbidden` for other clients, and `rate_limited` for a flood; each client has its own rate.
 */
export class PersonMemory {
  readonly #deps: PersonMemoryDeps;
  readonly #rates: PersonRates;

  constructor(deps: PersonMemoryDeps) {
    this.#deps = deps;
    this.#rates = new PersonRates(deps.clock);
  }

  async list(operation: Operation): Promise<MemoryAnswer<"memory.list">> {
    const facts = await this.#read(operation, (own) => own.list(operation.actor));
    return { facts: facts.map((one) => this.#toRecord(one, operation)) };
  }

  /** Throws `not_found` for facts of other people, as for missing ones. */
  async show(operation: Operation, factId: string): Promise<FactRecord> {
    return this.#toRecord(await this.#find(operation, factId), operation);
  }

  async why(operation: Operation, factId: string): Promise<MemoryAnswer<"memory.why">> {
    const fact = await this.#find(operation, factId);
    const text = describeWhy(fact, toPlainWords(operation.actor, this.#deps.directory)).join("\n");
    return { fact: this.#toRecord(fact, operation), text };
  }

  async export(operation: Operation): Promise<MemoryExport> {
    const facts = await this.#read(operation, (own) => own.export(operation.actor));
    const talks = (await this.#deps.ownTalks?.talksOf(operation.actor)) ?? [];
    this.#begun().noteTalksRead(operation, [...new Set(talks.map(({ channelId }) => channelId))]);
    return toMemoryExport({ facts, talks }, this.#deps.clock.now(), this.#contextOf(operation));
  }

  async forget(operation: Operation, factId: string): Promise<MemoryAnswer<"memory.forget">> {
    const receipt = await this.#begin(operation).forget(operation.actor, factId);
    return {
      facts: receipt.facts,
      scrubbed: receipt.isScrubbed,
      text: `Forgotten. ${describeGone(receipt)}`,
    };
  }

  /** Without confirmation, only describes what would be erased. Works even if facts are not stored, because messages are cached, too. */
  async erase(operation: Operation, { confirm }: { readonly confirm: boolean }): Promise<MemoryAnswer<"memory.erase">> {
    const { erasePerson, privacy } = this.#deps;
    this.#take(operation);
    if (!confirm) return { erased: null, text: (await privacy.previewErasure(toPrivacyRequest(operation))).text };
    const receipt = await erasePerson(operation.actor);
    return { erased: toErased(receipt), text: describeErased(receipt) };
  }

  async #find(operation: Operation, factId: string): Promise<ListedFact> {
    const [fact] = await this.#read(operation, async (own) => [await own.show(operation.actor, factId)]);
    return fact as ListedFact;
  }

  /** The facts count as read by the operation before they are returned. */
  async #read(
    operation: Operation,
    find: (own: OwnFacts) => Promise<readonly ListedFact[]>,
  ): Promise<readonly ListedFact[]> {
    const own = this.#begin(operation);
    if (operation.destination.kind !== "actor")
      throw new EarshotError(
        "forbidden",
        "What is remembered about a person is for that person alone: open the operation with `private`, or narrow it with operation.narrow.",
      );
    const facts = await find(own);
    own.noteRead(operation, facts);
    return facts;
  }

  #begin(operation: Operation): OwnFacts {
    this.#take(operation);
    return this.#begun();
  }

  #begun(): OwnFacts {
    const { ownMemory } = this.#deps;
    if (!ownMemory) throw new EarshotError("unavailable", NOTHING_REMEMBERED);
    return ownMemory;
  }

  #take(operation: Operation): void {
    requireOwnClient(operation, "/memory");
    this.#rates.take(`${operation.client.name} ${operation.actor}`);
  }

  #toRecord(fact: ListedFact, operation: Operation): FactRecord {
    const heard =
      fact.dormant === null ? describeAudience(fact, toPlainWords(operation.actor, this.#deps.directory)) : null;
    return { ...toFactRecord(fact, this.#contextOf(operation)), heard_by_text: heard };
  }

  #contextOf({ actor }: Operation): RecordContext {
    return { person: actor, directory: this.#deps.directory };
  }
}

function toErased({ facts, isScrubbed, talks, confirmations, areMessagesErased }: EraseReceipt) {
  return { facts, scrubbed: isScrubbed, talks, confirmations, messages: areMessagesErased };
}
