import type { UserId } from "../domain/ids.ts";
import type { OpenPace } from "../domain/steps/pace.ts";
import type { FairQueue } from "../policy/fair-queue.ts";
import type { HourlyLimit } from "../policy/limits.ts";
import type { Operation } from "../policy/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { AccessDeps } from "./call/access.ts";
import type { OperationIds } from "./call/audit-rows.ts";
import type { ChannelReadsDeps, ReadParts } from "./call/channel-reads.ts";
import type { EffectAccess } from "./call/effect-access.ts";
import type { RefreshDeps } from "./call/fresh-reads.ts";
import type { DocumentReads, DocumentReadsDeps } from "./document-reads.ts";
import type { EffectCall, EffectsDeps } from "./effects/effect-call.ts";
import type { Effects } from "./effects/effects.ts";
import type { SentOnce } from "./effects/effects-under-way.ts";
import type { Finder, FinderDeps } from "./find/finder.ts";
import type { MemberList } from "./find/member-list.ts";
import type { People } from "./find/name-finder.ts";
import type { FactProposals, FactProposalsDeps } from "./memory/fact-proposals.ts";
import type { FactReads, FactReadsDeps } from "./memory/fact-reads.ts";
import type { ProfileReads, ProfileReadsDeps } from "./memory/profile-reads.ts";
import type { SummaryDeps } from "./summarise-messages.ts";
import type { TalkReads, TalkReadsDeps } from "./talks/talk-reads.ts";

/** The parts that a view uses. Most calls need few of them: each is opened on first use. */
export interface ViewParts extends ReadParts {
  effects(): Effects;
  ids(): OperationIds;
  finder(): Finder;
  facts(): FactReads;
  profiles(): ProfileReads;
  documents(): DocumentReads;
  proposals(): FactProposals;
  talks(): TalkReads;
  memberList(): MemberList;
}

export interface ViewDeps extends ChannelReadsDeps, SummaryDeps {
  readonly people: People;
  readonly openPace: OpenPace;
  readonly clock: Clock;
}

export interface CallParts extends ViewParts {
  effectCall(): EffectCall;
  effectAccess(): EffectAccess;
}

/** Created once, for all calls. */
export interface SharedParts {
  readonly sentOnce: SentOnce;
  /** Limits how often a person tells something knowingly. */
  readonly disclosureRate: HourlyLimit;
  idsOf(operation: Operation): OperationIds;
  isLeftOut(authorId: UserId): boolean;
  readonly people: People;
  readonly queue: FairQueue;
}

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

export interface GateDeps extends Omit<CallDeps, keyof SharedParts> {
  readonly tools: readonly Tool[];
  readonly consent: Consent;
  /** Unguessable. */
  mintId(): string;
  /** Called after every call: how it ended (`ok` or an error code) and how long it took. */
  onCall?(call: { tool: string; outcome: string; milliseconds: number }): void;
}
