import type { UserId } from "../domain/ids.ts";
import type { FairQueue } from "../policy/fair-queue.ts";
import type { HourlyLimit } from "../policy/limits.ts";
import type { Operation } from "../policy/operation.ts";
import type { Consent } from "../ports/consent.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { AccessDeps } from "./call/access.ts";
import type { OperationIds } from "./call/audit-rows.ts";
import type { ChannelReadsDeps } from "./call/channel-reads.ts";
import type { RefreshDeps } from "./call/fresh-reads.ts";
import type { DocumentReadsDeps } from "./document-reads.ts";
import type { EffectsDeps } from "./effects/effect-call.ts";
import type { SentOnce } from "./effects/effects-under-way.ts";
import type { FinderDeps } from "./find/finder.ts";
import type { MemberListDeps } from "./find/member-list.ts";
import type { MessageFinderDeps } from "./find/message-finder.ts";
import type { People } from "./find/name-finder.ts";
import type { TypedTimesDeps } from "./find/typed-times.ts";
import type { FactProposalsDeps } from "./memory/fact-proposals.ts";
import type { FactReadsDeps } from "./memory/fact-reads.ts";
import type { ProfileReadsDeps } from "./memory/profile-reads.ts";
import type { TalkReadsDeps } from "./talks/talk-reads.ts";

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

export type CallDeps = AccessDeps &
  EffectsDeps &
  RefreshDeps &
  FinderDeps &
  ChannelReadsDeps &
  MessageFinderDeps &
  MemberListDeps &
  TypedTimesDeps &
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
