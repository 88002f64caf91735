import { BoundedMap } from "../domain/bounded-map.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Turn } from "./turn.ts";

const MAX_TURNS = 5_000;
/** What the same person asks in the same place within this time may refer to what they asked before. */
const FOLLOW_UP_MS = 10 * 60_000;
/** What answers a message of the agent's refers to it for longer. */
const REPLY_MS = 24 * 60 * 60_000;

/** What somebody may choose from, each a whole question. */
export interface KeptChoices {
  readonly actor: UserId;
  readonly questions: readonly string[];
}

interface KeptTurn {
  readonly turn: Turn;
  readonly actor: UserId;
}

/** What a question can refer to. Held in memory only. */
export class Turns {
  readonly #recent: BoundedMap<string, KeptTurn>;
  readonly #byAnswer: BoundedMap<MessageId, KeptTurn>;

  readonly #choices: BoundedMap<MessageId, KeptChoices>;

  constructor(clock: Clock) {
    this.#choices = new BoundedMap({ maxEntries: MAX_TURNS, ttlMs: FOLLOW_UP_MS, clock });
    this.#recent = new BoundedMap({ maxEntries: MAX_TURNS, ttlMs: FOLLOW_UP_MS, clock });
    this.#byAnswer = new BoundedMap({ maxEntries: MAX_TURNS, ttlMs: REPLY_MS, clock });
  }

  /** `repliesTo` goes first: it says what is meant. What somebody else asked counts only so. */
  before(asked: {
    actor: UserId;
    channelId: ChannelId;
    isPrivate: boolean;
    repliesTo?: MessageId | null;
  }): Turn | null {
    const { repliesTo } = asked;
    const answered = repliesTo ? this.#byAnswer.get(repliesTo) : undefined;
    return (answered ?? this.#recent.get(toKey(asked)))?.turn ?? null;
  }

  note(
    asked: { actor: UserId; channelId: ChannelId; isPrivate: boolean; answerId?: MessageId | null },
    turn: Turn | null,
  ): void {
    const { actor, answerId } = asked;
    if (!turn) return void this.#recent.delete(toKey(asked));
    this.#recent.set(toKey(asked), { turn, actor });
    if (answerId) this.#byAnswer.set(answerId, { turn, actor });
  }

  noteChoices(answerId: MessageId, choices: KeptChoices): void {
    if (choices.questions.length > 0) this.#choices.set(answerId, choices);
  }

  /** Undefined when it is too long ago. */
  choicesOf(answerId: MessageId): KeptChoices | undefined {
    return this.#choices.get(answerId);
  }

  /** What somebody asked, and where they were named. */
  letGoOf(person: UserId): void {
    const isTheirs = ({ turn, actor }: KeptTurn) => actor === person || turn.people.some(({ id }) => id === person);
    this.#recent.deleteWhere(isTheirs);
    this.#byAnswer.deleteWhere(isTheirs);
    this.#choices.deleteWhere(({ actor }) => actor === person);
  }
}

/** What was asked for oneself alone is not continued where others read. */
function toKey({ actor, channelId, isPrivate }: { actor: UserId; channelId: ChannelId; isPrivate: boolean }): string {
  return `${actor} ${channelId} ${isPrivate}`;
}
