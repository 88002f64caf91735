import { AsyncLocalStorage } from "node:async_hooks";
import { EarshotError } from "../../src/domain/errors.ts";
import type { Client, Operation } from "../../src/policy/operation.ts";
import type { DiscordEvent } from "../../src/ports/discord.ts";
import type { Label } from "../../src/sources/label.ts";
import type { InProcess } from "./in-process.ts";
import type { Departure } from "./plain-discord.ts";
import {
  DOCUMENT_MARK,
  type Hearers,
  isFor,
  isSaidNow,
  isTimedOut,
  mayDo,
  mayFlow,
  mayKnowDocument,
  reads,
} from "./plain-oracle.ts";
import { BOT, type PlainPlace, type PlainWorld, placeOf } from "./plain-world.ts";
import type { Call } from "./random-calls.ts";
import { canary } from "./random-community.ts";
import { WatchedClients } from "./watched-clients.ts";

/** What whoever holds a label has been told, by our own reckoning. */
interface Knowledge {
  readonly places: Set<string>;
  /** Where was looked for it, with or without a hit. */
  readonly searched: Set<string>;
  /** Where words were told that are not being said now. */
  readonly history: Set<string>;
  readonly guilds: Set<string>;
  /** Marks of documents. */
  readonly documents: Set<string>;
  /** By id: where it stands, and the words that were told of it. */
  readonly messages: Map<string, { readonly placeId: string; readonly words: Set<string> }>;
}

interface Context {
  readonly operation: Operation;
  /** A human has just confirmed something. */
  readonly isConfirmed: boolean;
  /** How much has left within it. */
  departures: number;
  /** The thread that was started within it: its first message belongs to it. */
  threadId?: string;
}

export interface Counts {
  calls: number;
  answers: number;
  /** Places told of in all answers together. */
  told: number;
  /** Of those, how many may be told of only because nothing but what is being said there was told. */
  toldLive: number;
  departures: number;
  /** Of those, how many left after a place had been deleted that was searched for them. */
  departuresAfterDeletion: number;
  /** Of those, how many left without a confirmation that they needed: violations. */
  unconfirmed: number;
  confirmed: number;
  /** Of the departures, how many asked a person to confirm something. */
  prompts: number;
  /** Of the departures, how many changed or deleted an earlier message. */
  changed: number;
  /** Reports of progress that were told while a call was under way. */
  progress: number;
  /** Events that clients were told of. */
  events: number;
  /** Passages of documents that were told. */
  documents: number;
}

export const NO_COUNTS: Counts = {
  calls: 0,
  answers: 0,
  told: 0,
  toldLive: 0,
  departures: 0,
  departuresAfterDeletion: 0,
  unconfirmed: 0,
  confirmed: 0,
  prompts: 0,
  changed: 0,
  progress: 0,
  events: 0,
  documents: 0,
};

/** What the bot says to have somebody confirm something. */
const PROMPT = /^<@(\d+)>, something waits for your review\.$/;

/** Watches everything that operations are told and everything that leaves, and holds it against the plain world. */
export class WatchedOperations {
  readonly violations: string[] = [];
  readonly counts: Counts = { ...NO_COUNTS };
  readonly #world: PlainWorld;
  readonly #now: () => number;
  readonly #clients: WatchedClients;
  /** The labels of confined clients that have been told something. */
  readonly #confined = new Map<string, Label>();
  readonly #knowledge = new Map<Label, Knowledge>();
  /** Confirmations that the right person has used. */
  readonly #used = new Set<string>();
  /** Who sent which message, through which client. */
  readonly #sent = new Map<string, string>();
  /** Messages that were sent as the answer, by operation. */
  readonly #answers = new Set<string>();
  /** Calls and confirmations by which something else was done. */
  readonly #done = new Map<Operation, Set<Context>>();
  /** By person and place, the last message that asked them to confirm something. */
  readonly #prompts = new Map<string, string>();
  /** Calls under way, by label. */
  readonly #running = new Map<Label, Set<{ isAlone: boolean }>>();
  readonly #context = new AsyncLocalStorage<Context>();

  constructor(world: PlainWorld, now: () => number) {
    this.#world = world;
    this.#now = now;
    this.#clients = new WatchedClients(world);
  }

  /** Has a client hear of an event. Gives back the operation that it opens, if it does. */
  tell(test: InProcess, event: DiscordEvent, client: Client): Operation | null {
    const told = test.clientEvents.toClientEvent(event, client);
    this.violations.push(...this.#clients.judge(event, client, told));
    if (!told) return null;
    this.counts.events += 1;
    const operation = told.operation_id === undefined ? null : test.operations.find(told.operation_id, client);
    if (operation && client.grant.confined) this.#confined.set(client.name, operation.label);
    const label = client.grant.confined ? this.#confined.get(client.name) : undefined;
    // What addressed the agent is a request, and no source, to all others.
    if (label && isMessage(told.payload)) {
      this.#note(this.#knowledgeOf(label), told.payload);
      for (const run of this.#running.get(label) ?? []) run.isAlone = false;
    }
    return operation;
  }

  /** Calls a tool. Gives back all that came of it as text, errors too. */
  async call(test: InProcess, operation: Operation, call: Call): Promise<string> {
    this.counts.calls += 1;
    const progress: unknown[] = [];
    const known = new Set(operation.label.channels);
    const from = test.audit.length;
    const run = this.#begin(operation.label);
    const onProgress = (one: unknown) => {
      progress.push(one);
      this.counts.progress += 1;
      if (run.isAlone)
        this.#hearProgress(operation, searchedIn(test, operation, from) ?? newIn(operation.label, known));
    };
    return this.#context.run({ operation, isConfirmed: false, departures: 0 }, async () => {
      try {
        const answer = await test.gate.callTool({ ...call, operation, onProgress });
        this.counts.answers += 1;
        this.#hear(operation, { ...answer, progress }, wordsOf(call));
        return JSON.stringify(answer);
      } catch (error) {
        return this.#fail(operation, error, wordsOf(call));
      } finally {
        this.#running.get(operation.label)?.delete(run);
        for (const id of allSearchedIn(test, operation, from)) this.#knowledgeOf(operation.label).searched.add(id);
      }
    });
  }

  /** What a label gains while calls and events share it cannot be told apart. */
  #begin(label: Label): { isAlone: boolean } {
    const running = this.#running.get(label) ?? new Set();
    const run = { isAlone: running.size === 0 };
    for (const other of running) other.isAlone = false;
    this.#running.set(label, running.add(run));
    return run;
  }

  /** Progress tells of every channel that is looked into, in the moment in which it is told. */
  #hearProgress(operation: Operation, channelIds: readonly string[]): void {
    const { actor } = operation;
    const hearers = this.#hearersOf(operation);
    for (const id of channelIds)
      if (!isFor(this.#world, id, { actor, hearers })) this.violations.push(`${actor} was told of progress in ${id}`);
  }

  #hearersOf({ actor, destination, origin }: Operation): Hearers {
    const there = destination.kind === "channel" ? placeOf(this.#world, destination.channelId) : undefined;
    return there ? { place: there } : { personId: actor, shownIn: origin.channelId };
  }

  /** Confirms as somebody. False when that was refused. */
  async confirm(test: InProcess, id: string, actor: string): Promise<boolean> {
    const asked = test.asked.find((one) => one.id === id);
    if (!asked) return false;
    const { operation, expiresAt } = asked;
    const isOpen = expiresAt > test.clock.now() && operation.expiresAt > test.clock.now() && !this.#used.has(id);
    const isRight = operation.actor === actor && isOpen;
    if (isRight) this.#used.add(id);
    const context = { operation, isConfirmed: isRight, departures: 0 };
    return this.#context.run(context, async () => {
      try {
        await test.gate.confirm(id, actor as never);
        this.counts.confirmed += 1;
        if (!isRight) this.violations.push(`${actor} confirmed ${id}, which is not theirs or not waiting`);
        if (context.departures > 1) this.violations.push(`${id} acted more than once`);
        return true;
      } catch (error) {
        this.#fail(operation, error);
        if (!isRight && context.departures > 0) this.violations.push(`${id} acted without being confirmed`);
        return false;
      }
    });
  }

  /** To be called in the moment in which something leaves. */
  onDeparture(departure: Departure): void {
    this.counts.departures += 1;
    if (departure.kind === "edit" && this.#endsPrompt(departure)) return;
    const context = this.#context.getStore();
    const to = placeOf(this.#world, departure.channelId);
    if (!context || !to) {
      this.violations.push(`something left for ${departure.channelId} that nobody asked for`);
      return;
    }
    const isFirstInThread = departure.kind === "send" && departure.channelId === context.threadId;
    if (!isFirstInThread) context.departures += 1;
    if (departure.kind === "thread") context.threadId = departure.threadId;
    const { operation, isConfirmed } = context;
    const blame = (problem: string) => this.violations.push(`${JSON.stringify(departure)}: ${problem}`);
    if (departure.kind === "send" && PROMPT.test(departure.text)) {
      this.#judgePrompt(operation, to, { departure, blame });
      return;
    }
    const sender = JSON.stringify([operation.client.name, operation.actor, departure.channelId]);
    if (departure.kind === "send") this.#sent.set(departure.messageId, sender);
    if (departure.kind === "edit" || departure.kind === "delete") {
      this.counts.changed += 1;
      if (this.#sent.get(departure.messageId) !== sender) blame("somebody else has sent that message");
    }
    // Those who see a new thread are those who see its channel, and have heard what is being said there.
    const heardIn = (isFirstInThread && placeOf(this.#world, to.thread?.parentId ?? "")) || to;
    if (departure.kind !== "delete") this.#judgeWords(operation, heardIn, blame);
    if (!reads(to, operation.actor) || !reads(to, BOT)) blame("the actor or the bot cannot read there");
    const isAnswer = this.#isAnswer(operation, departure);
    if (isAnswer && departure.kind === "send" && !isConfirmed)
      this.#answers.add(`${operation.id} ${departure.messageId}`);
    if (!isAnswer && departure.kind !== "delete") this.#count(context, blame);
    if (!isAnswer && !mayDo(departure.kind, to, operation.actor)) blame("the actor may not do that there");
    if (departure.kind !== "delete" && isTimedOut(to, operation.actor, this.#now()))
      blame("the actor has been timed out there");
    if (isAnswer || isConfirmed) return;
    const { places, guilds, documents } = this.#knowledgeOf(operation.label);
    const origin = placeOf(this.#world, operation.origin.channelId);
    const isPrivateRequest =
      operation.origin.messageId !== null && !(origin && mayFlow(origin, { place: heardIn }, true));
    if (places.size + guilds.size + documents.size === 0 && !isPrivateRequest) return;
    this.counts.unconfirmed += 1;
    blame(
      isPrivateRequest ? "nobody confirmed it, and not everybody there may know what was asked" : "nobody confirmed it",
    );
  }

  /** That somebody is asked tells of what was read, as any message does. It stands where they asked, or is for them alone, and is there once. */
  #judgePrompt(
    operation: Operation,
    to: PlainPlace,
    { departure, blame }: { departure: Departure & { kind: "send" }; blame: (problem: string) => void },
  ): void {
    this.counts.prompts += 1;
    const { actor, origin, destination, client } = operation;
    if (PROMPT.exec(departure.text)?.[1] !== actor) blame("it asks somebody else");
    this.#judgeWords(operation, to, blame);
    if (to.personId !== actor) {
      if (to.id !== origin.channelId || destination.kind === "actor") blame("nobody asked there");
      if (!client.grant.scopes.includes("discord:send")) blame("the client may not send");
      if (!reads(to, actor) || !reads(to, BOT)) blame("the actor or the bot cannot read there");
      if (isTimedOut(to, actor, this.#now())) blame("the actor has been timed out there");
    }
    const key = `${actor} ${to.id}`;
    const earlier = this.#prompts.get(key);
    if (earlier && this.#stands(earlier, to.id)) blame("they are being asked there already");
    this.#prompts.set(key, departure.messageId);
  }

  /** A prompt whose questions are decided says no more than that, and the next may be posted. */
  #endsPrompt({ messageId, text }: Departure & { kind: "edit" }): boolean {
    const [key] = [...this.#prompts].find(([, id]) => id === messageId) ?? [];
    return text === "Reviewed." && key !== undefined && this.#prompts.delete(key);
  }

  /** Everybody there must be allowed to know all that was told before, and it must still stand. */
  #judgeWords(operation: Operation, to: PlainPlace, blame: (problem: string) => void): void {
    const { places, searched, messages, guilds, documents } = this.#knowledgeOf(operation.label);
    for (const mark of documents)
      if (!mayKnowDocument(this.#world, mark, { place: to }))
        blame(`not everybody there may know the document ${mark}`);
    for (const id of places) {
      const source = placeOf(this.#world, id);
      const isNow = !this.#wasReadBack(operation, id);
      if (!source || !mayFlow(source, { place: to }, isNow))
        blame(`not everybody there may know what was read in ${id}`);
    }
    for (const id of searched) {
      // Of what is gone nothing may have been told; those who could read it last may hear of the search.
      const last = placeOf(this.#world, id) ?? this.#world.deleted?.get(id);
      if (!last || !mayFlow(last, { place: to })) blame(`not everybody there may know what was looked for in ${id}`);
    }
    if ([...searched].some((id) => this.#world.deleted?.has(id))) this.counts.departuresAfterDeletion += 1;
    for (const id of guilds) {
      const guild = this.#world.guilds.find((one) => one.id === id);
      const isInside = to.guild ? to.guild === guild : guild?.members.some((one) => one.id === to.personId);
      if (!isInside) blame(`server ${id} was named before`);
    }
    for (const [id, { placeId, words }] of messages) {
      if (!this.#stands(id, placeId)) blame(`message ${id} has been deleted`);
      else if (this.#hasLost(id, placeId, words)) blame(`message ${id} has been edited`);
    }
  }

  /** Whether it tells of more than what is being said there. The mark of a place tells of history if nothing is being said there. */
  #tellsHistory(
    { origin, openedAt }: Operation,
    id: string,
    { text, given }: { text: string; given: readonly Given[] },
  ): boolean {
    const { messageId } = origin;
    const isNow = (one: string) => isSaidNow(one, { openedAt, messageId });
    const isMarked =
      text.includes(canary.text(id)) && !(this.#world.messages.get(id) ?? []).some((one) => isNow(one.id));
    return isMarked || given.some((one) => one.channel_id === id && !isNow(one.message_id));
  }

  /** Whether more of a place was told than what is being said there. */
  #wasReadBack({ label, openedAt, origin: { messageId } }: Operation, id: string): boolean {
    const { history, messages } = this.#knowledgeOf(label);
    const isOld = (one: string) => !isSaidNow(one, { openedAt, messageId });
    return history.has(id) || [...messages].some(([one, { placeId }]) => placeId === id && isOld(one));
  }

  /** No more than five things are done for a request besides its answer. */
  #count(context: Context, blame: (problem: string) => void): void {
    const done = this.#done.get(context.operation) ?? new Set();
    this.#done.set(context.operation, done.add(context));
    if (done.size > 5) blame("too much was done for one request");
  }

  /** Where the answer is read: a reply to the message that asked there, to nothing where none did, and what becomes of that. */
  #isAnswer({ id, destination, origin, actor, client }: Operation, departure: Departure): boolean {
    const { kind, channelId } = departure;
    const asking = channelId === origin.channelId ? origin.messageId : null;
    if (kind === "react") return asking !== null && departure.messageId === asking;
    const isThere =
      destination.kind === "channel"
        ? destination.channelId === channelId
        : placeOf(this.#world, channelId)?.personId === actor;
    if (!isThere || kind === "thread") return false;
    if (kind === "typing") return true;
    if (client.postsAnswers) return false;
    return kind === "send" ? departure.replyTo === asking : this.#answers.has(`${id} ${departure.messageId}`);
  }

  #fail(operation: Operation, error: unknown, own: readonly string[] = []): string {
    if (!(error instanceof EarshotError)) {
      this.violations.push(`not one of our errors: ${error instanceof Error ? error.stack : String(error)}`);
      return "";
    }
    this.#hear(operation, { value: null, text: error.message, progress: [] }, own);
    return `${error.code}: ${error.message} ${error.confirmationId ?? ""}`;
  }

  /** Finds in an answer what it tells of, and asks whether it may be told. To hear one's own words again is no news. */
  #hear(
    operation: Operation,
    answer: { value: unknown; text: string | null; progress: unknown[] },
    own: readonly string[],
  ): void {
    const { actor, destination, label } = operation;
    const there = destination.kind === "channel" ? placeOf(this.#world, destination.channelId) : undefined;
    const hearers = this.#hearersOf(operation);
    const knowledge = this.#knowledgeOf(label);
    const { base64 = "" } = (answer.value ?? {}) as { base64?: string };
    const said = JSON.stringify(answer) + Buffer.from(base64, "base64").toString();
    const text = own.reduce((left, word) => left.replaceAll(`'${word}'`, "''"), said);
    for (const id of placesToldOf(text, answer.value)) {
      this.counts.told += 1;
      knowledge.places.add(id);
      if (this.#tellsHistory(operation, id, { text, given: [] })) knowledge.history.add(id);
    }
    for (const [mark] of text.matchAll(DOCUMENT_MARK)) {
      this.counts.documents += 1;
      knowledge.documents.add(mark);
      const isTheirs = [hearers, { personId: actor }].every((group) => mayKnowDocument(this.#world, mark, group));
      if (!isTheirs) this.violations.push(`${actor} was told the document ${mark}: ${text.slice(0, 300)}`);
    }
    for (const [, id = ""] of text.matchAll(/gn(\d+)x/g)) {
      knowledge.guilds.add(id);
      const guild = this.#world.guilds.find((one) => one.id === id);
      const isTheirs = guild?.members.some((one) => one.id === actor) && (!there?.guild || there.guild === guild);
      if (!isTheirs) this.violations.push(`${actor} was told of server ${id}`);
    }
    for (const given of messagesIn(answer.value)) {
      const { message_id, channel_id } = given;
      this.#note(knowledge, given);
      if (!this.#stands(message_id, channel_id))
        this.violations.push(`${actor} was given ${message_id}, which is deleted`);
    }
    for (const id of placesToldOf(text, answer.value)) {
      const isNow = !this.#tellsHistory(operation, id, { text, given: messagesIn(answer.value) });
      if (!isFor(this.#world, id, { actor, hearers, isNow }))
        this.violations.push(`${actor} was told of ${id}: ${text.slice(0, 300)}`);
      if (isNow && !isFor(this.#world, id, { actor, hearers })) this.counts.toldLive += 1;
    }
  }

  #note({ places, messages }: Knowledge, { message_id, channel_id, content = "" }: Given): void {
    const words = messages.get(message_id)?.words ?? new Set();
    for (const word of wordsIn(content)) words.add(word);
    messages.set(message_id, { placeId: channel_id, words });
    places.add(channel_id);
  }

  /** Whether a person has taken words back. Programs may change what they say all the time. */
  #hasLost(messageId: string, placeId: string, words: ReadonlySet<string>): boolean {
    const message = this.#world.messages.get(placeId)?.find(({ id }) => id === messageId);
    const isPerson = message && message.authorId !== BOT && message.webhook === undefined;
    return isPerson === true && !new Set(wordsIn(message.content)).isSupersetOf(words);
  }

  #stands(messageId: string, placeId: string): boolean {
    return this.#world.messages.get(placeId)?.some(({ id }) => id === messageId) ?? false;
  }

  #knowledgeOf(label: Label): Knowledge {
    const known = this.#knowledge.get(label) ?? {
      places: new Set(),
      searched: new Set(),
      history: new Set(),
      guilds: new Set(),
      documents: new Set(),
      messages: new Map(),
    };
    this.#knowledge.set(label, known);
    return known;
  }
}

/** Where the latest search of an operation looks, by the audit; null when it has not begun to search since. */
function searchedIn(test: InProcess, operation: Operation, from: number): string[] | null {
  return searchesIn(test, operation, from).at(-1) ?? null;
}

function allSearchedIn(test: InProcess, operation: Operation, from: number): string[] {
  return searchesIn(test, operation, from).flat();
}

function searchesIn({ audit }: InProcess, { id }: Operation, from: number): string[][] {
  return audit.slice(from).flatMap(({ kind, row }) => {
    if (kind !== "event" || row.operation_id !== id || row.name !== "searched") return [];
    return [(JSON.parse(row.detail_json) as { channel_ids: string[] }).channel_ids];
  });
}

function newIn({ channels }: Label, known: ReadonlySet<string>): string[] {
  return [...channels.keys()].filter((id) => !known.has(id));
}

function wordsOf({ args }: Call): string[] {
  const texts = Object.values(args).filter((value) => typeof value === "string");
  return [...texts, ...texts.flatMap((text) => text.split(/\s|in:/))].filter((word) => word !== "");
}

interface Given {
  readonly message_id: string;
  readonly channel_id: string;
  readonly content?: string;
}

function isMessage(value: unknown): value is Given {
  return typeof value === "object" && value !== null && "message_id" in value && "content" in value;
}

function wordsIn(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** Messages as they stand in the structured content of an answer. */
function messagesIn(value: unknown): Given[] {
  const { messages, hits } = (value ?? {}) as { messages?: unknown; hits?: { message: Given; around: Given[] }[] };
  const listed = Array.isArray(messages) ? (messages as Given[]) : [];
  return [...listed, ...(hits ?? []).flatMap(({ message, around }) => [message, ...around])];
}

/** By words that stand nowhere else, and by the ids in the structured content. */
function placesToldOf(text: string, value: unknown): Set<string> {
  const { channels = [] } = (value ?? {}) as { channels?: { channel_id: string }[] };
  const marked = [...text.matchAll(/(?:zq|nm|tp)(\d+)x/g)].flatMap(([, id]) => id ?? []);
  return new Set([...marked, ...[...messagesIn(value), ...channels].map(({ channel_id }) => channel_id)]);
}
