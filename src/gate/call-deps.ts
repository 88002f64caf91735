import type { UserId } from "../domain/ids.ts";
import type { FairQueue } from "../policy/fair-queue.ts";
import type { Operation } from "../policy/operation.ts";
import type { Consent } from "../ports/consent.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { AccessDeps } from "./access.ts";
import type { ViewDeps, ViewParts } from "./call-view.ts";
import type { DocumentReadsDeps } from "./document-reads.ts";
import type { EffectAccess } from "./effect-access.ts";
import type { DisclosureRate } from "./effects/disclosures.ts";
import type { EffectCall, EffectsDeps } from "./effects/effect-call.ts";
import type { SentOnce } from "./effects/effects-under-way.ts";
import type { FinderDeps } from "./finder.ts";
import type { RefreshDeps } from "./fresh-reads.ts";
import type { FactProposalsDeps } from "./memory/fact-proposals.ts";
import type { FactReadsDeps } from "./memory/fact-reads.ts";
import type { CountedUses } from "./memory/few-others.ts";
import type { ProfileReadsDeps } from "./memory/profile-reads.ts";
import type { OperationIds } from "./operation-ids.ts";
import type { People } from "./people.ts";
import type { TalkReadsDeps } from "./talks/talk-reads.ts";

/** What one call is made of. */
export interface CallParts extends ViewParts {
  effectCall(): EffectCall;
  effectAccess(): EffectAccess;
}

/** Made once, for all calls. */
interface SharedParts {
  readonly sentOnce: SentOnce;
  readonly disclosureRate: DisclosureRate;
  idsOf(operation: Operation): OperationIds;
  isLeftOut(authorId: UserId): boolean;
  readonly people: People;
  readonly countedUses: CountedUses;
  readonly queue: FairQueue;
}

/** What can change while a call runs. */
interface PolicyState {
  /** Its version changes whenever rules or grants do. */
  readonly policy: { readonly version: number };
}

export type CallDeps = ViewDeps &
  AccessDeps &
  EffectsDeps &
  RefreshDeps &
  FinderDeps &
  FactReadsDeps &
  ProfileReadsDeps &
  DocumentReadsDeps &
  FactProposalsDeps &
  TalkReadsDeps &
  PolicyState &
  SharedParts;

/** What the gate is given, once. */
export interface GateDeps extends Omit<CallDeps, keyof SharedParts> {
  readonly tools: readonly Tool[];
  readonly consent: Consent;
  /** Unguessable. */
  mintId(): string;
  /** Called after every call: how it ended (`ok` or an error code) and how long it took. */
  onCall?(call: { tool: string; outcome: string; milliseconds: number }): void;
}
