import { BoundedMap } from "../domain/bounded-map.ts";
import type { MessageId, UserId } from "../domain/ids.ts";
import type { EarlierQuestion } from "../gate/effects/answers.ts";
import type { Operation } from "../policy/operation.ts";
import type { Clock } from "../ports/clock.ts";
import { Label } from "../sources/label.ts";
import type { Turn } from "./turn.ts";

const MAX_TURNS = 1_000;
/** Turns with more messages are not kept, because each use checks all of them again. */
const MAX_SOURCES = 500;
/** A source takes about 200 bytes. This is enough for the last 250 answers with 120 sources each. */
const MAX_SOURCES_IN_ALL = 30_000;
/** Within this time, a person's question in the same place may refer to their previous one. */
const FOLLOW_UP_MS = 10 * 60_000;
/** A reply to the agent's message refers to it for longer. */
const REPLY_MS = 24 * 60 * 60_000;

/** Kept with the label of its answer: it is used only where that may be disclosed. */
interface Kept extends EarlierQuestion {
  readonly client: string;
  readonly actor: UserId;
  readonly audience: string;
}

export interface KeptTurn extends Kept {
  readonly turn: Turn;
}

/** The choices of a person, each a whole question. */
export interface KeptChoices extends Kept {
  readonly questions: readonly string[];
}

/**
 * Contexts for follow-up questions, by client and audience of the answer. In memory only. The gate decides whether one may be used: see
 * `Answers.continueFrom`.
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

  /** `repliesTo` takes precedence, because it is explicit. Only it can refer to another person's question. */
  before(operation: Operation, repliesTo: MessageId | null = null): KeptTurn | null {
    const audience = toAudience(operation);
    if (audience === null) return null;
    const answered = repliesTo === null ? undefined : this.#byAnswer.get(repliesTo);
    if (answered?.audience === audience) return answered;
    return this.#recent.get(`${operation.actor} ${audience}`) ?? null;
  }

  /** `answerIds`: the messages of the answer. */
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

  /** Null if it is too old. */
  choicesOf(answerId: MessageId): KeptChoices | null {
    return this.#choices.get(answerId) ?? null;
  }

  /** Removes a person's questions, turns that name them, and turns that rest on their messages. */
  letGoOf(person: UserId): void {
    const isTheirs = ({ actor, label }: Kept) => actor === person || label.concerns(person);
    const isNamed = ({ turn }: KeptTurn) => turn.people.some(({ id }) => id === person);
    for (const turns of [this.#recent, this.#byAnswer]) turns.deleteWhere((kept) => isTheirs(kept) || isNamed(kept));
    this.#choices.deleteWhere(isTheirs);
  }
}

/**
 * The client, place and readers of the answer: a private question is not continued where others read. Null if the answer is repeated in
 * another channel, which has other readers.
 */
function toAudience({ client, origin, destination, isAlwaysPrivate, for: repeated }: Operation): string | null {
  if (repeated !== null) return null;
  const isPrivate = destination.kind === "actor" || isAlwaysPrivate;
  return [origin.channelId, isPrivate, client.name].join(" ");
}

/** The request itself is among the sources, so that nothing continues from it once it is deleted or edited. Null if it is not kept. */
function toKept(operation: Operation): Kept | null {
  const { id: operationId, client, actor, origin, openedAt } = operation;
  const audience = toAudience(operation);
  if (audience === null) return null;
  const kept = { operationId, client: client.name, actor, audience };
  // Everything that a confined client has read counts for all its questions.
  if (client.grant.confined) return { ...kept, label: operation.label };
  if (operation.label.of("message").size > MAX_SOURCES) return null;
  const label = new Label();
  label.join(operation.label, openedAt);
  const { messageId, channelId } = origin;
  if (messageId !== null) label.add([{ kind: "message", messageId, channelId, authorId: actor, text: null }], openedAt);
  return { ...kept, label };
}
