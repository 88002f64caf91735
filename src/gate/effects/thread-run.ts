import { EarshotError } from "../../domain/errors.ts";
import { isPostList } from "../../domain/guild.ts";
import { type ChannelId, compareIds, type MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { PERMISSION } from "../../domain/permission-set.ts";
import type { ThreadAction } from "../../policy/action.ts";
import type { EffectCall, EffectsDeps } from "./effect-call.ts";
import { both, type EffectRun, isUnknown } from "./effect-run.ts";
import type { Attempt } from "./effects-under-way.ts";

/** Starts threads and posts. A repetition after an unknown outcome looks for the thread first. */
export class ThreadRun {
  readonly #call: EffectCall;
  readonly #run: EffectRun;
  readonly #deps: EffectsDeps;

  constructor(call: EffectCall, run: EffectRun, deps: EffectsDeps) {
    this.#call = call;
    this.#run = run;
    this.#deps = deps;
  }

  /** Throws where a channel cannot have such a thread. Its tags are no secret to those who may know the channel. */
  mustFit({ channelId, messageId, tags }: ThreadAction): void {
    const channel = this.#deps.discord.directory.channel(channelId);
    if (isPostList(channel)) {
      if (messageId !== null) throw new EarshotError("invalid", "`message_id` has no place in a post of a forum.");
      this.#tagIds(channelId, tags);
      return;
    }
    if (channel?.kind !== "text" && channel?.kind !== "announcement")
      throw new EarshotError("unsupported", "Threads can be started in text channels and forums only.");
    if (tags.length > 0) throw new EarshotError("invalid", "`tags` are for posts in a forum only.");
  }

  /** The first message, which stands in the thread. */
  async start(action: ThreadAction, attempt: Attempt, recheck: () => void): Promise<readonly Message[]> {
    if (attempt.isUnknown) attempt.threadId ??= this.#find(action, attempt);
    if (attempt.threadId === null) {
      attempt.isUnknown = false;
      const post = await this.#open(action, attempt, recheck);
      if (post) return [post];
    } else if (isPostList(this.#deps.discord.directory.channel(action.channelId)))
      return [await this.#reread(attempt.threadId)];
    const { threadId } = attempt;
    if (threadId === null) throw new EarshotError("internal", "A thread was started without an id.");
    // Those who see the thread are those who see its channel.
    const first = { kind: "send", channelId: threadId, text: action.text, replyTo: null, mentions: [] } as const;
    return this.#run.sendParts({ ...first, partOf: action }, attempt, recheck);
  }

  async #open(action: ThreadAction, attempt: Attempt, recheck: () => void): Promise<Message | null> {
    const { discord, audit, sentOnce } = this.#deps;
    const { signal, record } = this.#call;
    const { channelId, messageId, name, text, tags } = action;
    const isPost = isPostList(discord.directory.channel(channelId));
    const draft = {
      name,
      ...(messageId && { messageId }),
      ...(isPost && { post: { text, tagIds: this.#tagIds(channelId, tags) } }),
    };
    const hashes = { bytes_hash: audit.hash(text), name_hash: audit.hash(name) };
    const { threadId, message } = await this.#run
      .once(action, hashes, (leave) => discord.startThread(channelId, draft, { recheck: both(recheck, leave), signal }))
      .catch((error: unknown) => {
        attempt.isUnknown = isUnknown(error);
        throw error;
      });
    attempt.threadId = threadId;
    if (!message) return null;
    sentOnce.note(message.message_id);
    record.event("send_done", { channel_id: threadId, message_id: message.message_id, bytes_hash: hashes.bytes_hash });
    return message;
  }

  /** Setting a tag for somebody who could not set it themselves would lend them the bot's permissions. */
  #tagIds(channelId: ChannelId, names: readonly string[]): string[] {
    const { directory } = this.#deps.discord;
    const { tags = [], tagIds = [], moderatedTagIds = [] } = directory.channel(channelId) ?? {};
    const moderates = (directory.permissions(this.#call.operation.actor, channelId) & PERMISSION.manageThreads) !== 0;
    return names.map((name) => {
      const id = tagIds[tags.findIndex((tag) => tag.toLowerCase() === name.toLowerCase())];
      if (id === undefined) throw new EarshotError("invalid", "`tags` must be names of tags that the forum has.");
      if (!moderates && moderatedTagIds.includes(id))
        throw new EarshotError("forbidden", "The person asking may not set one of these tags.");
      return id;
    });
  }

  /** A thread on a message has the id of the message. */
  #find({ channelId, messageId, name }: ThreadAction, { since }: Attempt): ChannelId | null {
    const { directory, botId } = this.#deps.discord;
    if (messageId !== null) return directory.channel(messageId as string as ChannelId)?.id ?? null;
    const guildId = directory.channel(channelId)?.guildId;
    const threads = guildId ? directory.channels(guildId).filter(({ parentId }) => parentId === channelId) : [];
    const isIt = (one: (typeof threads)[number]) =>
      one.name === name && one.thread?.ownerId === botId && compareIds(one.id, since as string as ChannelId) >= 0;
    return threads.find(isIt)?.id ?? null;
  }

  /** The first message of a post has the id of the post. */
  async #reread(threadId: ChannelId): Promise<Message> {
    const message = await this.#deps.discord.message(threadId, threadId as string as MessageId, this.#call.signal);
    if (message) return message;
    throw new EarshotError("not_found", "The post has been deleted.");
  }
}
