import { EarshotError, throwIfCancelled } from "../../domain/errors.ts";
import {
  audiencesOf,
  type Fact,
  type FactScope,
  normaliseName,
  toFactId,
  toFactRef,
} from "../../domain/memory/fact.ts";
import { parseFactInput } from "../../domain/memory/fact-input.ts";
import { NEAR_WAY, type RememberRequest, type WayName } from "../../domain/memory/remember-request.ts";
import type { MessageRef } from "../../domain/message.ts";
import type { Memory } from "../../memory/memory.ts";
import type { ForgetAction, MemoryAction, RememberAction, RememberWay } from "../../policy/action.ts";
import { nameProject, SHARED_WRITE_SCOPE } from "../../policy/apply-rules.ts";
import type { Confirmations } from "../../policy/confirmations.ts";
import type { Scope } from "../../policy/grant.ts";
import type { Operation } from "../../policy/operation.ts";
import type { FactQuery } from "../../ports/fact-store.ts";
import type { ForgetRequest, RememberProposal } from "../../tools/view.ts";
import type { CallRecord } from "../call/call-record.ts";
import type { EffectAccess } from "../call/effect-access.ts";
import type { FactReads, FactReadsDeps } from "./fact-reads.ts";
import type { FactWriter } from "./fact-writer.ts";
import { lookAtFacts } from "./look-at-facts.ts";
import type { CheckedFact, FactEffect, FactRequest, OwnFact, ProposalPreview, ShownWay } from "./own-facts.ts";
import { findProposalBasis, mustStillStand } from "./proposal-basis.ts";

export interface FactProposalsDeps extends Omit<FactReadsDeps, "openPace" | "isLeftOut"> {
  readonly writer: FactWriter | null;
  readonly confirmations: Confirmations;
}

export interface ProposalCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: EffectAccess;
  readonly record: CallRecord;
  facts(): FactReads;
  readonly signal: AbortSignal | undefined;
  /** Re-reads sources whose changes may have been missed. */
  refresh(): Promise<void>;
}

const DAY_MS = 86_400_000;
const CHANGED = "Something has changed since this was asked for, so nothing was done; ask for it again.";

/**
 * A model's proposals to remember or forget facts. Every proposal is frozen and waits for the person, who alone sees the facts that it
 * would replace. The model's answer does not depend on facts that may not be disclosed to it.
 */
export class FactProposals {
  readonly #call: ProposalCall;
  readonly #deps: FactProposalsDeps;

  constructor(call: ProposalCall, deps: FactProposalsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** Throws `confirmation_needed` until the person has decided. */
  async remember(proposal: RememberProposal): Promise<void> {
    const { said: named, days, ...request } = proposal;
    const said = named ?? null;
    const { operation } = this.#call;
    const { confirmations } = this.#deps;
    const { actor, origin } = operation;
    // The schema bounds all further work.
    parseFactInput(proposal);
    const identity = JSON.stringify(["remember", proposal]);
    this.#mustHold(request.about);
    if (confirmations.outcomeOf(operation, identity)) return;
    const { writer } = this.#opened();
    const asked = {
      ...{ ...request, channelId: origin.channelId, guildId: origin.guildId },
      ...(days !== undefined && { expiresAt: this.#deps.clock.now() + days * DAY_MS }),
    };
    const draft = await writer.draft(actor, asked);
    await this.#mustStand();
    const ways = await this.#waysOf("as_shown", draft, said);
    if (draft.scope === "user" && draft.visibility !== "private") {
      const privately = await writer.draft(actor, { ...asked, visibility: "private" });
      ways.push(...(await this.#waysOf("only_for_me", privately, said)));
    }
    const near = ways[0]?.replaces.length === 0 ? await writer.findNear(draft) : null;
    if (near) ways.push(...(await this.#waysInPlaceOf(near.fact, asked, said)));
    this.#request(identity, { kind: "remember", ways, erasures: draft.erasures });
  }

  /** Only facts that may be used here can be named. Throws `not_found` for all others, `confirmation_needed` until the person has
   * decided. */
  async forget(request: ForgetRequest): Promise<void> {
    const identity = JSON.stringify(["forget", request]);
    if (this.#deps.confirmations.outcomeOf(this.#call.operation, identity)) return;
    const { id, version, subjectId, guildId, name, scope } = await this.#find(request);
    this.#mustHold(scope);
    this.#mustDecideAbout({ subjectId, guildId });
    this.#request(identity, { kind: "forget", fact: { id, version, subjectId, guildId, name } });
  }

  /** Executes a confirmed proposal if it is still allowed. */
  async confirmed(id: string, action: MemoryAction, chosen: WayName | undefined): Promise<void> {
    const { confirmations } = this.#deps;
    try {
      await this.#mustStand();
      if (action.kind === "forget") await this.#forget(action);
      else await this.#store(action, findWay(action, chosen));
      confirmations.settle(id, []);
    } catch (error) {
      confirmations.giveUp(id);
      throw error;
    }
  }

  async preview(action: MemoryAction): Promise<ProposalPreview> {
    const { writer, memory } = this.#opened();
    if (action.kind === "forget") {
      const stored = await memory.findById(action.fact.id);
      const [fact] = await lookAtFacts(this.#call.operation.actor, stored, { ...this.#deps, memory });
      if (!fact) throw new EarshotError("not_found", CHANGED);
      return { kind: "forget", fact };
    }
    const ways: ShownWay[] = [];
    for (const way of action.ways) ways.push(toShownWay(way, await writer.effectOf(way.request)));
    const { request } = findWay(action, undefined);
    const { rules, discord } = this.#deps;
    const named =
      request.scope === "project" ? nameProject(request.home, { rules, directory: discord.directory }) : null;
    return { kind: "remember", request, project: named, ways };
  }

  #request(identity: string, action: MemoryAction): void {
    const { operation, tool, signal } = this.#call;
    const { confirmations } = this.#deps;
    throwIfCancelled(signal);
    // The same call may run several times concurrently.
    if (!confirmations.outcomeOf(operation, identity)) confirmations.request(operation, { tool, identity, action });
  }

  async #waysOf(
    name: "as_shown" | "only_for_me" | typeof NEAR_WAY,
    { erasures: _, ...draft }: CheckedFact,
    said: MessageRef | null,
  ): Promise<RememberWay[]> {
    const found = await findProposalBasis(this.#call.operation, { draft, said }, this.#deps);
    const effect = toFrozen(await this.#opened().writer.effectOf(draft));
    // A correction does not end with the fact that it corrects, but that fact's audience and sources still limit it.
    const corrected = [...effect.replaces, ...effect.staysShared];
    const basis = found.filter(({ type, ref }) => type !== "memory_fact" || !corrected.includes(toFactId(ref)));
    const way: RememberWay = { name, request: { ...draft, basis, ends: [] }, ...effect };
    if (effect.staysShared.length === 0 || name === NEAR_WAY) return [way];
    return [way, { ...way, name: `${name}_end_old`, request: { ...way.request, ends: effect.staysShared } }];
  }

  /** Empty if it could not be saved under that name: an error would reveal a hidden fact to the model. */
  async #waysInPlaceOf({ name: key }: Fact, asked: FactRequest, said: MessageRef | null): Promise<RememberWay[]> {
    try {
      const renamed = await this.#opened().writer.draft(this.#call.operation.actor, { ...asked, key });
      return await this.#waysOf(NEAR_WAY, renamed, said);
    } catch (error) {
      if (error instanceof EarshotError) return [];
      throw error;
    }
  }

  async #store(action: RememberAction, way: RememberWay): Promise<void> {
    const { record } = this.#call;
    const { basis, ends } = way.request;
    const draft = await this.#recheck(way);
    await this.#opened().writer.store(
      { ...draft, erasures: action.erasures },
      { basis, ends },
      { note: (name, detail) => record.event(name, { ...detail }), recheck: () => this.#recheck(way) },
    );
  }

  /** Throws unless today's rules and permissions lead to exactly what the person was shown. */
  async #recheck({ request, replaces, staysShared }: RememberWay): Promise<CheckedFact> {
    const { operation, access } = this.#call;
    const { writer } = this.#opened();
    const { actor, origin } = operation;
    const { scope: about, name: key, value, visibility, expiresAt } = request;
    await mustStillStand(operation, request, this.#deps);
    const draft = await writer.draft(actor, {
      ...{ about, key, value, visibility, channelId: origin.channelId, guildId: origin.guildId },
      ...(expiresAt !== null && { expiresAt }),
    });
    const effect = toFrozen(await writer.effectOf(draft));
    if (toExact(draft, effect) !== toExact(request, { replaces, staysShared }))
      throw new EarshotError("forbidden", CHANGED);
    // Last, because nothing may be awaited between this check and the store.
    this.#mustDecideAbout(request);
    access.mustTellActor();
    return draft;
  }

  async #forget({ fact: { id, version, subjectId, guildId } }: ForgetAction): Promise<void> {
    const { memory } = this.#opened();
    this.#mustDecideAbout({ subjectId, guildId });
    const fact = await memory.openById(id);
    if (fact?.version !== version) throw new EarshotError("not_found", CHANGED);
    const receipt = await memory.forget([fact], this.#call.operation.actor);
    this.#call.record.event("memory_forgotten", { fact_ref: toFactRef(fact), facts: receipt.facts });
  }

  /** Searches only facts that may be used here. */
  async #find({ factId, key, about }: ForgetRequest): Promise<Fact> {
    const { actor, origin } = this.#call.operation;
    const queries: FactQuery[] = [];
    if (about === "user" || factId !== undefined) queries.push({ scopeType: "user", subjectId: actor });
    for (const scopeType of ["project", "org"] as const)
      if (origin.guildId !== null && (about === scopeType || factId !== undefined))
        queries.push({ scopeType, guildId: origin.guildId });
    const isMeant = ({ id, name }: Fact) =>
      factId === undefined ? normaliseName(name) === normaliseName(key ?? "") : id === factId;
    const { facts } = await this.#call.facts().read(queries, isMeant);
    const [first, ...more] = facts.map(({ fact }) => fact);
    if (!first) throw new EarshotError("not_found", "There is no such fact, or it may not be heard here.");
    if (more.length > 0)
      throw new EarshotError("invalid", "Several facts have this key; say which one is meant by its fact_id.");
    return first;
  }

  /** Throws unless all sources are unchanged, and the actor may still know them. */
  async #mustStand(): Promise<void> {
    const { operation, access, refresh } = this.#call;
    await access.learn(operation.origin.channelId);
    await refresh();
    access.mustTellActor();
  }

  #mustHold(about: FactScope): void {
    const { operation, access } = this.#call;
    const scope: Scope = about === "user" ? "memory:write_self" : SHARED_WRITE_SCOPE;
    if (access.holds(scope, operation.origin.guildId)) return;
    const isGranted = operation.client.grant.scopes.includes(scope);
    this.#call.record.refused(isGranted ? "role_lacks_scope" : "scope_not_granted");
    throw new EarshotError(
      "forbidden",
      isGranted
        ? "The person asking may not decide what is remembered here."
        : `This client may not do that: its grant lacks the scope ${scope}.`,
    );
  }

  #mustDecideAbout({ subjectId, guildId }: Pick<Fact, "subjectId" | "guildId">): void {
    const { actor } = this.#call.operation;
    const { writer } = this.#opened();
    if (subjectId === actor) return;
    if (subjectId === null && guildId !== null && writer.mayDecideFor(actor, guildId)) return;
    throw new EarshotError("forbidden", "The person asking may not decide about this fact.");
  }

  #opened(): { readonly writer: FactWriter; readonly memory: Memory } {
    const { writer, memory } = this.#deps;
    if (!writer || !memory) throw new EarshotError("unavailable", "Nothing is remembered here.");
    return { writer, memory };
  }
}

/** Throws `invalid` for a way that the action does not offer. Without a name, the way that is offered first. */
export function findWay({ ways }: RememberAction, chosen: WayName | undefined): RememberWay {
  const way = chosen === undefined ? ways[0] : ways.find(({ name }) => name === chosen);
  if (way) return way;
  const known = ways.map(({ name }) => name).filter((name) => name !== NEAR_WAY);
  throw new EarshotError("invalid", `Choose one of: ${known.join(", ")}.`);
}

function toFrozen({ replaces, staysShared }: FactEffect): Pick<RememberWay, "replaces" | "staysShared"> {
  const toIds = (facts: readonly OwnFact[]) => facts.map(({ fact }) => fact.id).sort();
  return { replaces: toIds(replaces), staysShared: toIds(staysShared) };
}

/** A way as its person sees it, with the facts that it concerns as they are now. */
function toShownWay(way: RememberWay, effect: FactEffect): ShownWay {
  const { name, request, replaces, staysShared } = way;
  const { ends } = request;
  const among = (ids: readonly string[]) => (one: OwnFact) => ids.includes(one.fact.id);
  return {
    name,
    key: request.name,
    audiences: audiencesOf(request),
    replaces: effect.replaces.filter(among(replaces)),
    staysShared: effect.staysShared.filter(among(staysShared.filter((id) => !ends.includes(id)))),
    ends: effect.staysShared.filter(among(ends)),
  };
}

/** All that the person was shown of what would be stored, to be compared. */
function toExact(request: Omit<RememberRequest, "basis" | "ends">, effect: object): string {
  const { scope, scopeId, guildId, visibility, home, name, value, expiresAt } = request;
  return JSON.stringify([scope, scopeId, guildId, visibility, home, name, value, expiresAt, effect]);
}
