import { BoundedMap } from "../domain/bounded-map.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, typedText } from "../domain/message.ts";
import { Serial } from "../domain/serial.ts";
import type { BotTurn, BotTurnStore } from "../ports/bot-turn-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { EventListeners } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";

export interface BotAskersDeps {
  readonly store: BotTurnStore;
  readonly botId: UserId;
  /** Bots in the operator's setting `agent.answersBots`. */
  readonly answersBots: readonly UserId[];
  readonly directory: Pick<Directory, "member">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Maximum messages to the agent by all bots together in a channel or thread since a person last wrote there. */
const MAX_SINCE_HUMAN = 5;
/** Minimum time between two answers to the same bot in the same channel. */
const COOLDOWN_MS = 60_000;
/** Maximum cached decisions, which ensure that each message is counted once. */
const MAX_DECIDED = 10_000;

/** Loads the counts from before a restart. Throws `unavailable` if they cannot be read. */
export async function openBotAskers(deps: BotAskersDeps): Promise<BotAskers> {
  return new BotAskers(await deps.store.load(), deps);
}

/**
 * Decides which messages of other bots the agent may answer: only those of bots that the operator lists, that mention the agent in their
 * typed text, and within limits that end every conversation among bots. A ping by a reply is no mention, and a webhook is no bot: anyone
 * may post through it under any name.
 */
export class BotAskers {
  readonly #deps: BotAskersDeps;
  readonly #turns = new Map<ChannelId, Map<UserId, BotTurn>>();
  readonly #decided = new BoundedMap<MessageId, boolean>({ maxEntries: MAX_DECIDED });
  readonly #writes = new Serial();

  constructor(turns: readonly BotTurn[], deps: BotAskersDeps) {
    this.#deps = deps;
    for (const turn of turns) this.#hold(turn);
  }

  /** Whether a message of a bot may be answered. The first call decides and counts the message; later calls repeat the decision. */
  mayAnswer(message: Message): boolean {
    return this.#decided.get(message.message_id) ?? this.#decide(message);
  }

  /** They may be called in any order with `mayAnswer`. */
  readonly listeners: EventListeners = {
    message: ({ message }) => void this.mayAnswer(message),
    channel_deleted: ({ channelId }) => this.#forget(channelId),
  };

  /** Resolves when all counts are on disk. */
  async settled(): Promise<void> {
    await this.#writes.settled();
  }

  #decide(message: Message): boolean {
    if (this.#isHuman(message)) this.#noteHuman(message.channel_id);
    const isAllowed = this.#isQuestion(message) && this.#count(message);
    this.#decided.set(message.message_id, isAllowed);
    return isAllowed;
  }

  /** Only known members count as people: otherwise a webhook could keep a conversation among bots going. */
  #isHuman({ author, guild_id }: Message): boolean {
    return !author.bot && guild_id !== null && this.#deps.directory.member(guild_id, author.id)?.bot === false;
  }

  #isQuestion(message: Message): boolean {
    const { author, guild_id } = message;
    const { botId, answersBots, directory } = this.#deps;
    if (!author.bot || author.id === botId || guild_id === null || !answersBots.includes(author.id)) return false;
    if (directory.member(guild_id, author.id)?.bot !== true) return false;
    const typed = typedText(message);
    return typed.includes(`<@${botId}>`) || typed.includes(`<@!${botId}>`);
  }

  #count({ channel_id, author }: Message): boolean {
    const now = this.#deps.clock.now();
    const known = this.#turns.get(channel_id)?.get(author.id);
    const before = [...(this.#turns.get(channel_id)?.values() ?? [])];
    const sinceHuman = before.reduce((sum, turn) => sum + turn.sinceHuman, 1);
    const answeredAt = known?.answeredAt ?? 0;
    const isAllowed = sinceHuman <= MAX_SINCE_HUMAN && now - answeredAt >= COOLDOWN_MS;
    this.#put({
      channelId: channel_id,
      botId: author.id,
      sinceHuman: Math.min(MAX_SINCE_HUMAN, (known?.sinceHuman ?? 0) + 1),
      answeredAt: isAllowed ? now : answeredAt,
    });
    return isAllowed;
  }

  #noteHuman(channelId: ChannelId): void {
    for (const turn of [...(this.#turns.get(channelId)?.values() ?? [])]) {
      if (this.#deps.clock.now() - turn.answeredAt >= COOLDOWN_MS) this.#remove(turn);
      else if (turn.sinceHuman > 0) this.#put({ ...turn, sinceHuman: 0 });
    }
  }

  #forget(channelId: ChannelId): void {
    for (const turn of [...(this.#turns.get(channelId)?.values() ?? [])]) this.#remove(turn);
  }

  #put(turn: BotTurn): void {
    this.#hold(turn);
    this.#write(() => this.#deps.store.put(turn));
  }

  #remove(turn: BotTurn): void {
    const there = this.#turns.get(turn.channelId);
    there?.delete(turn.botId);
    if (there?.size === 0) this.#turns.delete(turn.channelId);
    this.#write(() => this.#deps.store.remove(turn));
  }

  #hold(turn: BotTurn): void {
    const there = this.#turns.get(turn.channelId) ?? new Map<UserId, BotTurn>();
    this.#turns.set(turn.channelId, there.set(turn.botId, turn));
  }

  /** Sequential. A failed write is lost at the next start. */
  #write(work: () => Promise<void>): void {
    this.#writes.run(work).catch((error: unknown) => {
      this.#deps.log.error({ error: String(error) }, "how often bots were answered could not be stored");
    });
  }
}
