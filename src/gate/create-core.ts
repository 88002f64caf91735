import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { type OpenPace, Pace } from "../domain/steps/pace.ts";
import { createStepQueue } from "../domain/steps/step-queue.ts";
import type { Episodes } from "../memory/episodes.ts";
import type { Memory } from "../memory/memory.ts";
import { locateChannel, refusePlace } from "../policy/apply-rules.ts";
import type { Audit } from "../policy/audit.ts";
import { ClientEvents } from "../policy/client-events.ts";
import { ConfinedLabels } from "../policy/confined-labels.ts";
import { Confirmations, type ConfirmationsDeps } from "../policy/confirmations.ts";
import { Limits } from "../policy/limits.ts";
import { Lookups } from "../policy/lookups.ts";
import type { Client } from "../policy/operation.ts";
import { createOperations, type Operations } from "../policy/operations.ts";
import { QuestionHolders } from "../policy/question-holders.ts";
import type { Rules } from "../policy/rules.ts";
import type { Spending } from "../policy/spending.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type { Discord } from "../ports/discord.ts";
import type { Documents } from "../ports/documents.ts";
import type { Model } from "../ports/model.ts";
import type { ProfileSource } from "../ports/profile-source.ts";
import type { RecordKinds } from "../ports/record-states.ts";
import type { Search } from "../ports/search.ts";
import type { Timelines } from "../ports/timelines.ts";
import { SourceWatch } from "../sources/source-watch.ts";
import { createSummariser, type Summariser } from "../summary/summariser.ts";
import type { KnownBot } from "../tools/bot-recall.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { GateDeps } from "./call-deps.ts";
import { createGate } from "./create-gate.ts";
import { type AnswerSources, createAnswerSources } from "./effects/answer-sources.ts";
import type { Answers } from "./effects/answers.ts";
import { PendingEffects } from "./effects/effects-under-way.ts";
import { createQuestionLookup, type QuestionLookup } from "./effects/question-lookup.ts";
import type { ReviewPrompts } from "./effects/review-prompts.ts";
import type { Gate, IdOf } from "./gate.ts";
import {
  createMessageEraser,
  createSpendEraser,
  createTalkEraser,
  type ErasePerson,
  Erasers,
  toEraser,
} from "./memory/erase-person.ts";
import { FactWriter } from "./memory/fact-writer.ts";
import { MentionMemory } from "./memory/mention-memory.ts";
import { OwnMemory } from "./memory/own-memory.ts";
import type { OwnTalks } from "./memory/own-talks.ts";
import { ProfileStates } from "./memory/profile-reads.ts";
import { SharedMemory } from "./memory/shared-memory.ts";

export interface CoreDeps {
  readonly tools: readonly Tool[];
  readonly discord: Discord;
  readonly timelines: Timelines;
  readonly search: Search;
  readonly rules: Rules;
  /** Its version changes with the rules or grants; without it they are constant. */
  readonly policy?: { readonly version: number };
  readonly consent: Consent;
  /** Null if facts are not stored. */
  readonly memory?: Memory | null;
  /** Sources of authoritative data about people. */
  readonly profiles?: readonly ProfileSource[];
  /** The operator's document folders; null if there are none. */
  readonly documents?: Documents | null;
  /** Talks of the agent; null if they are not kept. */
  readonly episodes?: Pick<Episodes, "channelsWith" | "lines" | "erase" | keyof OwnTalks> | null;
  readonly bots?: readonly KnownBot[];
  readonly audit: Audit;
  readonly clock: Clock;
  /** Unguessable. */
  mintId(): string;
  /** With the sources that confined clients read before a restart; without it their labels start empty. */
  readonly confined?: ConfinedLabels;
  /** A cheap model is enough; without one, summaries are extractive. */
  readonly model?: Model | null;
  /** The token budgets of models; unlimited without it. */
  readonly spending?: Pick<Spending, "of" | "erase">;
  /** By default, each round of the event loop runs one step of one call. */
  readonly openPace?: OpenPace;
  /** Assigns questions to programs or the agent. */
  readonly holders?: QuestionHolders;
  /** IANA name; UTC by default. */
  readonly timeZone?: string;
  readonly onCall?: NonNullable<GateDeps["onCall"]>;
  /** Lets clients' answers follow their sources; absent if none do. */
  readonly followed?: NonNullable<GateDeps["followed"]>;
  /** Called when an action begins to wait for confirmation, so that the person is asked. */
  readonly onConfirmation?: NonNullable<ConfirmationsDeps["onRequest"]>;
}

/** The base of every transport: operations, the gate, and client events. */
export interface Core {
  readonly gate: Gate;
  readonly answers: Answers;
  /** Asks people for confirmations. */
  readonly prompts: ReviewPrompts;
  readonly idOf: IdOf;
  readonly lookup: QuestionLookup;
  readonly answerSources: AnswerSources;
  readonly holders: QuestionHolders;
  /** Whether a client may receive a message at all. */
  mayHear(client: Client, message: Message): boolean;
  readonly operations: Operations;
  readonly clientEvents: ClientEvents;
  readonly consent: Consent;
  /** Null if facts are not stored. */
  readonly ownMemory: OwnMemory | null;
  /** The view of admins on shared facts; null if facts are not stored. */
  readonly sharedMemory: SharedMemory | null;
  /** Shared facts by others that mention a person; null if facts are not stored. */
  readonly mentions: MentionMemory | null;
  /** Null if talks are not kept. */
  readonly ownTalks: OwnTalks | null;
  readonly erasePerson: ErasePerson;
  /** For parts outside of the core that store data about people. */
  readonly erasers: Pick<Erasers, "add">;
  /** For the shutdown: stops all sends, and writes the outcome of every effect in progress to the audit. Safe to repeat. */
  finishEffects(maxWaitMs: number): Promise<void>;
}

export function createCore(deps: CoreDeps): Core {
  const {
    discord,
    timelines,
    rules,
    consent,
    audit,
    clock,
    mintId,
    onConfirmation,
    memory = null,
    episodes = null,
    profiles = [],
    documents = null,
  } = deps;
  const { directory } = discord;
  const profileStates = watchProfiles({ sources: profiles, rules, consent, clock });
  const records: RecordKinds = { ...(documents && { passage: documents }), profile: profileStates };
  const limits = new Limits(rules, clock);
  const lookups = new Lookups(clock);
  const message = (channelId: ChannelId, messageId: MessageId) => timelines.message(channelId, messageId);
  const openDm = (userId: UserId) => discord.openDm(userId);
  const confined = deps.confined ?? new ConfinedLabels({ keptMs: rules.confinedMinutes * 60_000 }, clock);
  const operations = createOperations({ directory, rules, audit, clock, confined, lookups, mintId, message, openDm });
  const confirmations = new Confirmations({
    audit,
    clock,
    mintId,
    ...(onConfirmation && { onRequest: onConfirmation }),
    onDecision: ({ id, operation }) => void gate.prompts.settle({ id, actor: operation.actor }),
  });
  const pause = createStepQueue(setImmediate);
  const openPace = deps.openPace ?? ((check: () => void) => new Pace({ pause, check }));
  const mintNonce = () => mintId().slice(0, 12);
  const summariser = createSummariser({ model: deps.model ?? null, clock, mintNonce, openPace });
  const timeZone = deps.timeZone ?? "UTC";
  const pendingEffects = new PendingEffects();
  const holders = deps.holders ?? new QuestionHolders(clock);
  const parts = { limits, holders, lookups, confirmations, summariser, openPace, timeZone, pendingEffects };
  const erasers = new Erasers();
  const sources = watchSources({ discord, consent, memory, records, summariser, rules, clock });
  const writer = memory && new FactWriter({ memory, discord, timelines, records, rules, audit, clock, sources });
  const gate = createGate({
    ...deps,
    ...parts,
    policy: deps.policy ?? { version: 0 },
    memory,
    documents,
    records,
    profiles,
    writer,
    sources,
    episodes,
    bots: deps.bots ?? [],
  });
  const shared = memory && { memory, discord, timelines, records, rules, audit, clock };
  const isLeftOut = (person: UserId) => consent.isLeftOut(person);
  const ownMemory = shared && writer && new OwnMemory({ ...shared, writer, profiles, isLeftOut });
  const clientEvents = new ClientEvents({ directory, operations, rules, consent, confined, clock });
  discord.listen((event) => clientEvents.note(event));
  erasers.add({ name: "confirmations", erase: (person) => ({ confirmations: confirmations.drop(person) }) });
  erasers.add(createMessageEraser({ timelines, search: deps.search }, clock));
  erasers.add(toEraser("edge", (person) => discord.letGoOf(person)));
  erasers.add(toEraser("summaries", (person) => summariser.forgetAuthor(person)));
  erasers.add(toEraser("profiles", (person) => profileStates.forget(person)));
  erasers.add(toEraser("labels", (person) => operations.forgetWordsOf(person)));
  erasers.add(toEraser("edits", (person) => sources.forgetWordsOf(person)));
  if (ownMemory) erasers.add({ name: "facts", erase: (person) => ownMemory.erase(person) });
  if (episodes) erasers.add(createTalkEraser(episodes));
  if (deps.spending) erasers.add(createSpendEraser(deps.spending));
  return {
    gate,
    answers: gate.answers,
    prompts: gate.prompts,
    idOf: gate.idOf,
    lookup: createQuestionLookup(discord),
    answerSources: createAnswerSources({ discord, sources, memory, records, clock }),
    holders,
    mayHear: ({ grant }, { channel_id }) =>
      refusePlace({ grant, rules }, locateChannel(directory, channel_id)) === null,
    operations,
    clientEvents,
    consent,
    ownMemory,
    sharedMemory: shared && new SharedMemory(shared),
    mentions: shared && writer && new MentionMemory({ ...shared, writer }),
    ownTalks: episodes,
    erasePerson: erasers.erasePerson,
    erasers,
    finishEffects: (maxWaitMs) => pendingEffects.close(maxWaitMs),
  };
}

/** Drops the profiles of people who opt out. */
function watchProfiles({
  sources,
  rules,
  consent,
  clock,
}: Pick<CoreDeps, "rules" | "consent" | "clock"> & { readonly sources: readonly ProfileSource[] }): ProfileStates {
  const labelsKeptMs = rules.confinedMinutes * 60_000;
  const states = new ProfileStates({ sources, isLeftOut: consent.isLeftOut.bind(consent), clock, labelsKeptMs });
  consent.listen(({ userId, isLeftOut }) => {
    if (isLeftOut) states.forget(userId);
  });
  return states;
}

type WatchDeps = Required<Pick<CoreDeps, "discord" | "consent" | "memory" | "rules" | "clock">> & {
  readonly records: RecordKinds;
  readonly summariser: Summariser;
};

/** Watches for changes to sources, and drops summaries of them. */
function watchSources({ discord, consent, memory, records, summariser, rules, clock }: WatchDeps): SourceWatch {
  const labelsKeptMs = rules.confinedMinutes * 60_000;
  const isLeftOut = consent.isLeftOut.bind(consent);
  const { botId } = discord;
  const sources = new SourceWatch({ clock, botId, isLeftOut, facts: memory, records, labelsKeptMs });
  consent.listen((change) => {
    sources.noteConsent(change);
    if (!change.isLeftOut) return;
    summariser.forgetAuthor(change.userId);
    discord.letGoOf(change.userId);
  });
  discord.listen((event) => {
    sources.note(event);
    if (event.type === "message_delete") summariser.forget(event.messageIds);
    if (event.type === "message_update") summariser.forget([event.message.message_id]);
    if (event.type === "channel_deleted" || event.type === "access_lost") summariser.forgetChannel(event.channelId);
  });
  return sources;
}
