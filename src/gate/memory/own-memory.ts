import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import { type Fact, toFactRef } from "../../domain/memory/fact.ts";
import type { NewBasis, RememberRequest } from "../../domain/memory/remember-request.ts";
import { type Message, type MessageRef, typedText } from "../../domain/message.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";
import { strongestOf } from "../../memory/fact-history.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Audit } from "../../policy/audit.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredFact } from "../../ports/fact-store.ts";
import { countUses } from "./count-uses.ts";
import type { FactWriter } from "./fact-writer.ts";
import { type LookDeps, lookAtFacts } from "./look-at-facts.ts";
import type { CheckedFact, ListedFact, OwnFact, OwnFacts, OwnPreview, OwnRequest, ReviewedFact } from "./own-facts.ts";
import { type OwnProfile, type OwnProfileDeps, readOwnProfile } from "./own-profile.ts";
import { findOwnWords, mustBeUsed, toBasis } from "./proposal-basis.ts";
import { endsSoon, reviewFacts, toCurrentBasis } from "./review-facts.ts";

export interface OwnMemoryDeps extends LookDeps, OwnProfileDeps {
  readonly rules: Pick<Rules, "optOut">;
  readonly writer: FactWriter;
  readonly audit: Pick<Audit, "note">;
  readonly clock: Clock;
}

/**
 * Lets people manage their own facts by their own act: a Discord interaction of their account, or a client that is theirs alone. No grant, rule or budget takes
 * it away. It never concerns other people's facts.
 */
export class OwnMemory implements OwnFacts {
  readonly #deps: OwnMemoryDeps;

  constructor(deps: OwnMemoryDeps) {
    this.#deps = deps;
  }

  async list(actor: UserId): Promise<readonly ListedFact[]> {
    return this.#look(actor, strongestOf(await this.#deps.memory.find({ subjectId: actor })));
  }

  profile(actor: UserId, signal?: AbortSignal): Promise<OwnProfile> {
    return readOwnProfile(actor, this.#deps, signal);
  }

  async show(actor: UserId, factId: string): Promise<ListedFact> {
    const [own] = await this.#look(actor, await this.#deps.memory.findById(factId));
    if (own?.fact.subjectId !== actor) throw new EarshotError("not_found", "You have no such fact.");
    return own;
  }

  async export(actor: UserId): Promise<readonly ListedFact[]> {
    return this.#look(actor, await this.#deps.memory.find({ subjectId: actor }));
  }

  async listNames(actor: UserId): Promise<readonly Pick<Fact, "id" | "name" | "home">[]> {
    return this.#deps.memory.open(strongestOf(await this.#deps.memory.find({ subjectId: actor })));
  }

  async preview(actor: UserId, request: OwnRequest): Promise<OwnPreview> {
    const { writer, memory } = this.#deps;
    const draft = await writer.draft(actor, request);
    const basis = await this.#basisOf(actor, draft, request);
    const effect = await writer.effectOf(draft);
    await memory.requireRoom(draft, effect.replaces.length);
    const near = effect.replaces.length > 0 ? null : await writer.findNear(draft);
    return { ...draft, ...effect, basis, near };
  }

  async remember(actor: UserId, request: OwnRequest): Promise<Fact> {
    const { writer } = this.#deps;
    const { ends = [] } = request;
    const draft = await writer.draft(actor, request);
    const staying = ends.length === 0 ? [] : (await writer.effectOf(draft)).staysShared;
    if (!ends.every((id) => staying.some(({ fact }) => fact.id === id)))
      throw new EarshotError("not_found", "A fact that was to end with this one is not there any more.");
    const basis = await this.#basisOf(actor, draft, request);
    const note = (name: string, detail: object) => this.#note(name, actor, detail);
    // The message may be edited or deleted until the last moment.
    const recheck = async () => {
      if (JSON.stringify(await this.#basisOf(actor, draft, request)) !== JSON.stringify(basis))
        throw new EarshotError("forbidden", "The message has been edited meanwhile, so nothing was remembered.");
    };
    return writer.store(draft, { basis, ends }, { note, recheck });
  }

  readOwnMessage(actor: UserId, said: MessageRef, signal?: AbortSignal): Promise<string> {
    return readOwnMessage(actor, said, { ...this.#deps, signal });
  }

  async #basisOf(actor: UserId, draft: CheckedFact, { said, typedIn }: OwnRequest): Promise<readonly NewBasis[]> {
    if (said) return [await findSaidBasis(actor, { draft, said }, this.#deps)];
    return [{ type: "typed", ref: typedIn, isOwn: true, authorId: null, words: "" }];
  }

  review(actor: UserId): Promise<readonly ReviewedFact[]> {
    return reviewFacts(actor, this.#deps);
  }

  async keep(actor: UserId, factId: string): Promise<Fact> {
    const { memory } = this.#deps;
    const [own] = await lookAtFacts(actor, await memory.findById(factId), this.#deps);
    if (own?.fact.subjectId !== actor || !(await memory.strongest([own.fact])).has(factId))
      throw new EarshotError("not_found", "You have no such fact.");
    const isEnding = endsSoon(own.fact, this.#deps.clock.now());
    if (own.dormant === "source_edited" || own.dormant === "restored" || (own.dormant === null && isEnding))
      return this.#confirmAgain(actor, own.fact, isEnding);
    await memory.noteKept(own.fact);
    this.#note("memory_kept", actor, { fact_ref: toFactRef(own.fact) });
    return own.fact;
  }

  /** Saves a new fact that supersedes this one, because facts are immutable. */
  async #confirmAgain(actor: UserId, fact: Fact, isForLonger: boolean): Promise<Fact> {
    const { writer } = this.#deps;
    const basis = await toCurrentBasis(actor, fact, this.#deps);
    const draft = writer.redraft(actor, fact, isForLonger);
    const note = (name: string, detail: object) => this.#note(name, actor, detail);
    const recheck = async () => {
      const [now, before] = [await toCurrentBasis(actor, fact, this.#deps), basis].map((one) => JSON.stringify(one));
      if (now !== before || !(await this.#deps.memory.strongest([fact])).has(fact.id))
        throw new EarshotError("forbidden", "Something has changed meanwhile, so nothing was kept; look at it again.");
    };
    return writer.store(draft, { basis, ends: [], again: fact.id }, { note, recheck });
  }

  async forget(actor: UserId, factId: string): Promise<ForgetReceipt> {
    const fact = await this.#deps.memory.openById(factId);
    if (fact?.subjectId !== actor) throw new EarshotError("not_found", "You have no such fact.");
    const receipt = await this.#deps.memory.forget([fact], actor);
    this.#note("memory_forgotten", actor, { fact_ref: toFactRef(fact), facts: receipt.facts });
    return receipt;
  }

  /** Erases all their facts. Works while the audit cannot be written; its entry follows. */
  async erase(actor: UserId): Promise<ForgetReceipt> {
    this.#deps.writer.noteErasure(actor);
    const receipt = await this.#deps.memory.erase(actor);
    this.#note("memory_erased", actor, { facts: receipt.facts });
    return receipt;
  }

  noteRead({ id, actor, label }: Operation, facts: readonly OwnFact[]): void {
    const readings = facts.map(({ reading }) => reading);
    const sources = readings.map((reading) => ({ kind: "fact" as const, ...reading }));
    label.add(sources, this.#deps.clock.now());
    // The label of a confined client is restored from the audit after a restart, so it needs every fact.
    const refs = readings.map(({ factId, version }) => `${factId}@${version}`);
    this.#note("memory_read", actor, { fact_refs: refs }, id);
  }

  noteTalksRead({ id, actor, label }: Operation, channelIds: readonly ChannelId[]): void {
    const sources = channelIds.map((channelId) => ({ kind: "searched" as const, channelId }));
    label.add(sources, this.#deps.clock.now());
    this.#note("searched", actor, { channel_ids: channelIds }, id);
  }

  async #look(actor: UserId, stored: readonly StoredFact[]): Promise<readonly ListedFact[]> {
    const { memory, clock, discord } = this.#deps;
    const { directory } = discord;
    const facts = await lookAtFacts(actor, stored, this.#deps);
    // Usage counts are only for the subject of a fact.
    const told = facts.map(({ fact }) => fact).filter(({ subjectId }) => subjectId === actor);
    const counted = countUses(actor, told, { uses: await memory.uses(told), now: clock.now(), directory });
    const all = facts.map(({ fact }) => fact);
    const [requests, strongest] = [await memory.removalRequests(all), await memory.strongest(all)];
    return facts.map((one) => {
      const { id } = one.fact;
      const isReplaced = !strongest.has(id);
      return { ...one, isReplaced, use: counted.get(id) ?? null, askedBy: requests.get(id) ?? [] };
    });
  }

  #note(name: string, actor: UserId, detail: object, operationId = ""): void {
    const row = {
      operation_id: operationId,
      name,
      detail_json: JSON.stringify({ actor_id: actor, ...detail }),
      happened_at: this.#deps.clock.now(),
    };
    this.#deps.audit.note({ kind: "event", row });
  }
}

interface OwnMessageDeps extends Pick<LookDeps, "discord" | "timelines"> {
  readonly memory: Pick<Memory, "isConsented">;
  readonly rules: Pick<Rules, "optOut">;
}

const NOT_OWN = "Only a message that you wrote yourself, and that the bot can read, can be remembered like this.";
const NO_TEXT = "There is nothing typed in this message that could be remembered.";
const LEFT_OUT = "You are left out, so your messages are not used; `/privacy include-me` changes that.";

/** The typed text of the person's own message. Throws `forbidden` for every other message, as for a missing one. */
async function readOwnMessage(
  actor: UserId,
  said: MessageRef,
  { signal, ...deps }: OwnMessageDeps & { readonly signal?: AbortSignal | undefined },
): Promise<string> {
  const text = typedText(await findOwnMessage(actor, said, { ...deps, signal }));
  if (text.trim() === "") throw new EarshotError("invalid", NO_TEXT);
  return text;
}

/**
 * The basis of a fact taken from a message of its person. A value that occurs there word for word counts as their own words, because they
 * typed its key into the form. Any other value rests on the message, so only the message's readers may know it.
 */
async function findSaidBasis(
  actor: UserId,
  { draft, said }: { readonly draft: Pick<RememberRequest, "value" | "home">; readonly said: MessageRef },
  deps: OwnMessageDeps,
): Promise<NewBasis> {
  const message = await findOwnMessage(actor, said, deps);
  const named = { ...draft, name: String(draft.value) };
  return (await findOwnWords({ actor }, { draft: named, ref: said }, deps)) ?? toBasis(message);
}

async function findOwnMessage(
  actor: UserId,
  { channelId, messageId }: MessageRef,
  { discord, timelines, memory, rules, signal }: OwnMessageDeps & { readonly signal?: AbortSignal | undefined },
): Promise<Message> {
  const { directory } = discord;
  if (!memory.isConsented({ subjectId: actor, basis: [] })) throw new EarshotError("forbidden", LEFT_OUT);
  await directory.learn(actor, channelId).catch(() => {});
  if (!directory.canRead(actor, channelId)) throw new EarshotError("forbidden", NOT_OWN);
  mustBeUsed(channelId, { discord, rules });
  const message = await timelines.message(channelId, messageId, signal);
  if (message?.author.id !== actor || message.author.bot) throw new EarshotError("forbidden", NOT_OWN);
  return message;
}
