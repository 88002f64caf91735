import type { UserId } from "../domain/ids.ts";
import type { FairQueue } from "../policy/fair-queue.ts";
import type { Operation } from "../policy/operation.ts";
import type { Tool } from "../tools/define-tool.ts";
import { Access, type AccessDeps } from "./access.ts";
import { CallRecord } from "./call-record.ts";
import type { EffectCall, EffectsDeps } from "./effects/effect-call.ts";
import { Effects } from "./effects/effects.ts";
import type { SentOnce } from "./effects/effects-under-way.ts";
import { Finder, type FinderDeps } from "./finder.ts";
import { type RefreshDeps, refreshSources } from "./fresh-reads.ts";
import type { ToolCall } from "./gate.ts";
import { FactProposals, type FactProposalsDeps } from "./memory/fact-proposals.ts";
import { FactReads, type FactReadsDeps } from "./memory/fact-reads.ts";
import type { ViewDeps, ViewParts } from "./open-view.ts";
import type { OperationIds } from "./operation-ids.ts";
import type { People } from "./people.ts";
import { TalkReads, type TalkReadsDeps } from "./talk-reads.ts";

/** Made once, for all calls. */
export interface SharedParts {
  readonly sentOnce: SentOnce;
  idsOf(operation: Operation): OperationIds;
  isLeftOut(authorId: UserId): boolean;
  readonly people: People;
  readonly queue: FairQueue;
}

export type CallDeps = ViewDeps &
  AccessDeps &
  EffectsDeps &
  RefreshDeps &
  FinderDeps &
  FactReadsDeps &
  FactProposalsDeps &
  TalkReadsDeps &
  SharedParts;

export interface CallParts extends ViewParts {
  readonly effectCall: EffectCall;
}

/** What one call is made of. */
export function openParts(tool: Tool, call: ToolCall, deps: CallDeps): CallParts {
  const { operation, signal } = call;
  let known: OperationIds | null = null;
  const ids = () => {
    known ??= deps.idsOf(operation);
    return known;
  };
  const record = new CallRecord({ operation, tool: tool.name }, { ...deps, ids });
  const access = new Access({ operation, tool, record }, deps);
  const refresh = () => refreshSources(operation.label, deps, signal);
  const effectCall: EffectCall = { operation, tool: tool.name, access, record, signal, refresh };
  const facts = () => new FactReads({ operation, tool, access, record, signal }, deps);
  const finder = () => new Finder(call, { access, record }, deps);
  return {
    access,
    record,
    ids,
    effectCall,
    // Most calls need none of these.
    effects: () => new Effects(effectCall, deps),
    finder,
    facts,
    talks: () => new TalkReads({ call, access, record, finder: finder() }, deps),
    proposals: () => new FactProposals({ operation, tool: tool.name, access, record, facts, refresh }, deps),
  };
}
