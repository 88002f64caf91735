import { BoundedMap } from "../domain/bounded-map.ts";
import type { MessageId, UserId } from "../domain/ids.ts";
import type { EarlierQuestion } from "../gate/effects/answers.ts";
import type { Operation } from "../policy/operation.ts";
import type { Clock } from "../ports/clock.ts";
import { Label } from "../sources/label.ts";
import type { Turn } from "./turn.ts";

const MAX_TURNS = 1_000;
/** What rests on more messages is not kept: all of them are looked at again whenever it is used. */
const MAX_SOURCES = 500;
/** A source takes some 200 bytes. These are the questions of the last 250 answers, of 120 sources each. */
const MAX_SOURCES_IN_ALL = 30_000;
/** What the same person asks in the same place within this time may refer to what they asked before. */
const FOLLOW_UP_MS = 10 * 60_000;
/** What answers a message of the agent's refers to it for longer. */
const REPLY_MS = 24 * 60 * 60_000;

/** Kept with what it rests on: it is used only where that may be told. */
interface Kept extends EarlierQuestion {
  readonly client: string;
  readonly actor: UserId;
  readonly audience: string;
}

export interface KeptTurn extends Kept {
  readonly turn: Turn;
}

/** What somebody may choose from, each a whole question. */
export interface KeptChoices extends Kept {
  readonly questions: readonly string[];
}

/**
 * What a question can refer to, by the client that asked it and the audience of its answer. Held in memory only. Whether it may be used is for the gate to
 * say: see `Answers.continueFrom`.
 */
export class Turns {
  readonly #recent: BoundedMap<string, KeptTurn>;
  readonly #byAnswer: BoundedMap<MessageId, KeptTurn>;
  readonly #choices: BoundedMap<MessageId, KeptChoices>;

  constructor(clock: Clock) {
    const weigh = ({ label }: Kept) => label.size;
    const bounds = { maxEntries: MAX_TURNS, maxWeight: MAX_SOURCES_IN_ALL, weigh, clock };
    this.#choices = new BoundedMap<MessageId, KeptChoices>({ ...bounds, ttlMs: FOLLOW_UP_MS });
    this.#recent = new BoundedMap<string, KeptTurn>({ ...bounds, ttlMs: FOLLOW_UP_MS });
    this.#byAnswer = new BoundedMap<MessageId, KeptTurn>({ ...bounds, ttlMs: REPLY_MS });
  }

  /** `repliesTo` goes first: it says what is meant. What somebody else asked counts only so. */
  before(operation: Operation, repliesTo: MessageId | null = null): KeptTurn | null {
    const audience = toAudience(operation);
    if (audience === null) return null;
    const answered = repliesTo === null ? undefined : this.#byAnswer.get(repliesTo);
    if (answered?.audience === audience) return answered;
    return this.#recent.get(`${operation.actor} ${audience}`) ?? null;
  }

  /** `answerIds`: the messages in which the answer stands. */
  note(operation: Operation, turn: Turn | null, answerIds: readonly MessageId[] = []): void {
    const kept = turn && toKept(operation);
    const key = `${operation.actor} ${toAudience(operation)}`;
    if (!kept) return void this.#recent.delete(key);
    this.#recent.set(key, { ...kept, turn });
    for (const id of answerIds) this.#byAnswer.set(id, { ...kept, turn });
  }

  noteChoices(operation: Operation, questions: readonly string[], answerIds: readonly MessageId[]): void {
    const kept = questions.length > 0 ? toKept(operation) : null;
    if (kept) for (const id of answerIds) this.#choices.set(id, { ...kept, questions });
  }

  /** Null when it is too long ago. */
  choicesOf(answerId: MessageId): KeptChoices | null {
    return this.#choices.get(answerId) ?? null;
  }

  /** What somebody asked, where they were named, and what rests on their words. */
  letGoOf(person: UserId): void {
    const isTheirs = ({ actor, label }: Kept) => actor === person || label.concerns(person);
    const isNamed = ({ turn }: KeptTurn) => turn.people.some(({ id }) => id === person);
    for (const turns of [this.#recent, this.#byAnswer]) turns.deleteWhere((kept) => isTheirs(kept) || isNamed(kept));
    this.#choices.deleteWhere(isTheirs);
  }
}

/**
 * Who hears of it: the client, and those who read its answers in that place. What was asked for oneself alone is not continued where others read. Null where the
 * answer is to be repeated elsewhere: others read it as well.
 */
function toAudience({ client, origin, destination, isAlwaysPrivate, for: repeated }: Operation): string | null {
  if (repeated !== null) return null;
  const isPrivate = destination.kind === "actor" || isAlwaysPrivate;
  return [origin.channelId, isPrivate, client.name].join(" ");
}

/** With the request itself among its sources: once it is deleted or edited, nobody goes on from it. Null for what is not kept. */
function toKept(operation: Operation): Kept | null {
  const { id: operationId, client, actor, origin, openedAt } = operation;
  const audience = toAudience(operation);
  if (audience === null) return null;
  const kept = { operationId, client: client.name, actor, audience };
  // All that a confined client has read counts for all that it asks.
  if (client.grant.confined) return { ...kept, label: operation.label };
  if (operation.label.of("message").size > MAX_SOURCES) return null;
  const label = new Label();
  label.join(operation.label, openedAt);
  const { messageId, channelId } = origin;
  if (messageId !== null) label.add([{ kind: "message", messageId, channelId, authorId: actor, text: null }], openedAt);
  return { ...kept, label };
}
