import { BoundedMap } from "../domain/bounded-map.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, type MessageRef, typedText } from "../domain/message.ts";
import { Serial } from "../domain/serial.ts";
import { shouldSkipContext } from "../domain/window/isolation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type { EventListener, EventListeners } from "../ports/discord.ts";
import type { Episode, EpisodeLine, EpisodeStore, PlacedLine, TalkQuery } from "../ports/episode-store.ts";
import type { Log } from "../ports/log.ts";

export interface EpisodesDeps {
  readonly store: EpisodeStore;
  readonly botId: UserId;
  readonly consent: Consent;
  /** How long a talk is kept after its last line. */
  readonly retentionMs: number;
  /** Fetches a message that was sent while the program was not running; undefined if there is none. */
  find(message: MessageRef): Promise<Message | undefined>;
  readonly clock: Clock;
  readonly log: Log;
  mintId(): string;
}

/** A longer pause ends a talk. */
const MAX_SILENCE_MS = 30 * 60_000;
const MAX_LINES = 50;
/** Maximum cached messages to and by the agent. */
const MAX_HEARD = 5_000;
/** How long an expired talk may stay on the disk. */
const SWEEP_MS = 60 * 60_000;

/** A message to or by the agent, without its text. */
interface HeardMessage extends EpisodeLine {
  readonly channelId: ChannelId;
  readonly guildId: GuildId | null;
  /** The author asked for an isolated answer: nothing of it is kept. */
  readonly isIsolated: boolean;
}

/**
 * Keeps the agent's talks: a talk begins when the agent answers a message or gets a reply. Only ids and times are kept; texts are read from
 * Discord on request. Nothing is kept of people who are left out, nor of isolated questions and their answers.
 */
export class Episodes {
  readonly #deps: EpisodesDeps;
  readonly #heard = new BoundedMap<MessageId, HeardMessage>({ maxEntries: MAX_HEARD });
  readonly #changes = new Serial();
  readonly listeners: EventListeners = {
    message: ({ message, addressed }) => this.#noteMessage(message, addressed),
    message_delete: ({ messageIds }) => {
      for (const id of messageIds) this.#heard.delete(id);
      this.#queue(() => this.#deps.store.removeMessages(messageIds));
    },
    channel_deleted: ({ channelId }) => this.#queue(() => this.#deps.store.removeChannel(channelId)),
    guild_removed: ({ guildId }) => this.#queue(() => this.#deps.store.removeGuild(guildId)),
  };

  constructor(deps: EpisodesDeps) {
    this.#deps = deps;
  }

  /** From now on keeps talks and forgets old ones; returns the way to stop. */
  start(listen: (listener: EventListener) => () => void): () => Promise<void> {
    const stops = [
      listen(this.listeners),
      this.#deps.consent.listen(({ userId, isLeftOut }) => {
        if (isLeftOut) this.#queue(() => this.#erase(userId));
      }),
    ];
    const sweep = () =>
      this.#queue(() => this.#deps.store.forgetBefore(this.#deps.clock.now() - this.#deps.retentionMs));
    sweep();
    const sweeping = setInterval(sweep, SWEEP_MS);
    sweeping.unref();
    return async () => {
      clearInterval(sweeping);
      for (const stop of stops) stop();
      await this.settled();
    };
  }

  #noteMessage(message: Message, addressed: boolean): void {
    const { botId } = this.#deps;
    if (!addressed && message.author.id !== botId) return;
    const heard = this.#hear(message);
    this.#queue(() => (heard.authorId === botId ? this.#noteAnswer(heard) : this.#noteReply(heard)));
  }

  /** @see EpisodeStore.channelsWith */
  async channelsWith(partnerIds: readonly UserId[]): Promise<readonly ChannelId[]> {
    await this.settled();
    return this.#deps.store.channelsWith(partnerIds);
  }

  /** @see EpisodeStore.lines */
  async lines(query: TalkQuery, limit: number): Promise<readonly PlacedLine[]> {
    await this.settled();
    return this.#deps.store.lines(query, limit);
  }

  async count(person: UserId): Promise<number> {
    await this.settled();
    return this.#deps.store.count(person);
  }

  async talksOf(person: UserId): ReturnType<EpisodeStore["talksOf"]> {
    await this.settled();
    return this.#deps.store.talksOf(person);
  }

  /** Deletes all talks with a person. `isScrubbed`: no file contains a byte of them. Throws `unavailable` on failure. */
  erase(person: UserId): Promise<{ talks: number; isScrubbed: boolean }> {
    return this.#changes.run(() => this.#erase(person));
  }

  /** Resolves when all events received so far are stored. */
  async settled(): Promise<void> {
    await this.#changes.settled();
  }

  async #erase(person: UserId): Promise<{ talks: number; isScrubbed: boolean }> {
    this.#heard.clear();
    const talks = await this.#deps.store.erase(person);
    const isScrubbed = talks === 0 || (await this.#deps.store.scrub().catch(() => false));
    return { talks, isScrubbed };
  }

  /** An answer to a person's or bot's message is part of a talk. */
  async #noteAnswer(answer: HeardMessage): Promise<void> {
    if (answer.replyTo === null) return;
    const question = await this.#find({ channelId: answer.channelId, messageId: answer.replyTo });
    if (!question || question.authorId === this.#deps.botId) return;
    // An answer is as isolated as its question.
    if (question.isIsolated) this.#heard.set(answer.messageId, { ...answer, isIsolated: true });
    else await this.#keep(question, [await this.#toLine(question), await this.#toLine(answer)]);
  }

  /** A reply to the agent is part of a talk. Any other message to it becomes one when the agent answers. */
  async #noteReply(reply: HeardMessage): Promise<void> {
    if (reply.replyTo === null || reply.isIsolated) return;
    const target = await this.#find({ channelId: reply.channelId, messageId: reply.replyTo });
    if (target?.authorId === this.#deps.botId) await this.#keep(reply, [await this.#toLine(reply)]);
  }

  async #keep(partner: HeardMessage, lines: readonly EpisodeLine[]): Promise<void> {
    const { store, consent, botId, mintId } = this.#deps;
    const { authorId, channelId, guildId, isBot } = partner;
    if (consent.isLeftOut(authorId) || consent.isLeftOut(botId)) return;
    const times = lines.map(({ sentAt }) => sentAt);
    const latest = await store.latest(authorId, channelId);
    const isOpen =
      latest !== null &&
      Math.min(...times) - latest.episode.lastAt <= MAX_SILENCE_MS &&
      latest.lines + lines.length <= MAX_LINES;
    const episode: Episode = isOpen
      ? { ...latest.episode, lastAt: Math.max(latest.episode.lastAt, ...times) }
      : {
          ...{ id: mintId(), partnerId: authorId, isBot, channelId, guildId },
          startedAt: Math.min(...times),
          lastAt: Math.max(...times),
        };
    await store.add(episode, lines);
  }

  /** Keeps the reply reference only if the agent wrote one of the two messages: replies between others are not recorded. */
  async #toLine({ messageId, authorId, isBot, replyTo, sentAt, channelId }: HeardMessage): Promise<EpisodeLine> {
    const target = replyTo === null ? null : await this.#find({ channelId, messageId: replyTo });
    const isOfTalk =
      target && !target.isIsolated && (authorId === this.#deps.botId || target.authorId === this.#deps.botId);
    return { messageId, authorId, isBot, replyTo: isOfTalk ? replyTo : null, sentAt };
  }

  async #find(ref: MessageRef): Promise<HeardMessage | null> {
    const heard = this.#heard.use(ref.messageId);
    if (heard) return heard;
    const message = await this.#deps.find(ref).catch(() => undefined);
    return message ? this.#hear(message) : null;
  }

  #hear(message: Message): HeardMessage {
    const heard: HeardMessage = {
      messageId: message.message_id,
      authorId: message.author.id,
      isBot: message.author.bot,
      replyTo: message.reply_to?.message_id ?? null,
      sentAt: Date.parse(message.ts),
      channelId: message.channel_id,
      guildId: message.guild_id,
      isIsolated: message.author.id !== this.#deps.botId && shouldSkipContext(typedText(message)),
    };
    this.#heard.set(heard.messageId, heard);
    return heard;
  }

  #queue(work: () => Promise<unknown>): void {
    this.#changes.run(work).catch((error: unknown) => {
      this.#deps.log.error({ error: String(error) }, "a talk of the agent could not be kept or forgotten");
    });
  }
}
