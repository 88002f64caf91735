import { EarshotError } from "../../domain/errors.ts";
import { isPostList } from "../../domain/guild.ts";
import { type ChannelId, compareIds, type MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { PERMISSION } from "../../domain/permission-set.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { DeleteAction, EditAction, SendAction, ThreadAction } from "../../policy/action.ts";
import type { Button, Leaving, Note } from "../../ports/discord.ts";
import type { EffectAction, EffectCall, EffectsDeps } from "./effect-call.ts";
import type { EffectCheck } from "./effect-check.ts";
import { type Attempt, toNonce } from "./effects-under-way.ts";

interface SendStyle {
  /** Seed of the nonces; the operation's id by default. */
  readonly nonceSeed?: string;
  readonly buttons?: readonly Button[];
  /** An answer that follows its sources: only the agent itself may change it. */
  readonly isAgentAnswer?: true;
  /** The action that it is a part of, which is decided instead. */
  readonly partOf?: EffectAction;
}

/** Executes decided effects: writes each to the audit first, and decides again right before the request. */
export class EffectRun {
  readonly #call: EffectCall;
  readonly #check: EffectCheck;
  readonly #deps: EffectsDeps;

  constructor(call: EffectCall, check: EffectCheck, deps: EffectsDeps) {
    this.#call = call;
    this.#check = check;
    this.#deps = deps;
  }

  /** Sends the parts that are not known to be posted. A part with an unknown outcome is looked up first. */
  async sendParts(action: SendAction & SendStyle, attempt: Attempt, recheck: () => void): Promise<readonly Message[]> {
    const { operation, signal } = this.#call;
    const { audit, discord, sentOnce } = this.#deps;
    const { sent } = attempt;
    const parts = splitText(action.text);
    for (const [index, text] of parts.entries()) {
      if (index < sent.length) continue;
      if (signal?.aborted) throw cancelledAfter(sent.length);
      const mark = action.isAgentAnswer && { answer: true };
      const detail = { bytes_hash: audit.hash(text), part: index + 1, ...mark };
      const found = attempt.isUnknown
        ? await sentOnce.find({ channelId: action.channelId, text, since: attempt.since }, discord, signal)
        : null;
      attempt.isUnknown = false;
      if (found)
        this.#call.record.event("send_found", {
          channel_id: action.channelId,
          ...detail,
          message_id: found.message_id,
        });
      const draft = {
        text,
        mentions: action.mentions,
        nonce: toNonce(action.nonceSeed ?? operation.id, attempt.nonceKey, index),
        ...(action.buttons && index === parts.length - 1 && { buttons: action.buttons }),
        // Every part is a reply, so that it counts as part of an answer.
        ...(action.replyTo && { replyTo: action.replyTo }),
      };
      const send = (leave: () => void) =>
        discord.send(action.channelId, draft, { recheck: both(recheck, leave), signal });
      const message =
        found ??
        (await this.once(action, detail, send).catch((error: unknown) => {
          attempt.isUnknown = isUnknown(error);
          throw sent.length > 0 && isCancelled(error) ? cancelledAfter(sent.length) : error;
        }));
      sentOnce.note(message.message_id);
      sent.push(message);
    }
    if (this.#check.isAnswer(action)) this.#deps.holders.noteAnswered(operation);
    return [...sent];
  }

  /** False if the message no longer exists. Throws `outcome_unknown` if it was sent without a reply by Discord. */
  async edit(action: EditAction, buttons: Note["buttons"], recheck: () => void): Promise<boolean> {
    const { discord, audit } = this.#deps;
    const { text, messageId } = action;
    const note = { text, ...(buttons && { buttons }) };
    return this.once(action, { message_id: messageId, bytes_hash: audit.hash(text) }, (leave) =>
      this.#repeatable(recheck, leave, (leaving) => discord.edit(action, note, leaving)),
    );
  }

  async delete(action: DeleteAction, recheck: () => void): Promise<boolean> {
    return this.once(action, { message_id: action.messageId }, (leave) =>
      this.#repeatable(recheck, leave, (leaving) => this.#deps.discord.withdraw(action, leaving)),
    );
  }

  async #repeatable(
    recheck: () => void,
    leave: () => void,
    act: (leaving: Leaving) => Promise<void>,
  ): Promise<boolean> {
    let hasLeft = false;
    const leaving = {
      signal: this.#call.signal,
      recheck() {
        hasLeft = false;
        recheck();
        leave();
        hasLeft = true;
      },
    };
    try {
      await act(leaving);
      return true;
    } catch (error) {
      if (!hasLeft || !(error instanceof EarshotError)) throw error;
      if (error.code === "not_found") return false;
      if (error.code !== "unavailable" && error.code !== "cancelled") throw error;
      const problem = "Whether the message was changed is unknown: Discord did not answer. Repeat the same call.";
      throw new EarshotError("outcome_unknown", problem, { cause: error });
    }
  }

  /** Without an audit entry there is no effect. `act` calls `leave` right before the request to Discord. */
  async once<Result>(
    action: EffectAction & Pick<SendStyle, "partOf">,
    detail: Readonly<Record<string, unknown>>,
    act: (leave: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { record } = this.#call;
    const { audit, pendingEffects } = this.#deps;
    const where = { channel_id: action.channelId, ...detail };
    const note = (outcome: string, more: object = {}) =>
      record.event(`${action.kind}_${outcome}`, { ...where, ...more });
    const effect = pendingEffects.begin((outcome) => note(outcome, { code: "unavailable" }));
    try {
      note("begun", { decision_id: this.#check.decide(action.partOf ?? action) });
      await audit.settled();
      const result = await act(() => effect.leave());
      effect.end(() => note("done", madeIn(result)));
      return result;
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      effect.end(() => note(code === "outcome_unknown" ? code : "failed", { code }));
      throw error;
    } finally {
      // The effect cannot be undone, and its start is in the audit already.
      await audit.settled().catch(() => undefined);
    }
  }
}

function madeIn(result: unknown): object {
  const { message_id, threadId } = (result ?? {}) as Partial<Pick<Message, "message_id"> & { threadId: ChannelId }>;
  return { ...(message_id && { message_id }), ...(threadId && { thread_id: threadId }) };
}

export function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

export function isUnknown(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "outcome_unknown";
}

function isCancelled(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "cancelled";
}

function cancelledAfter(count: number): EarshotError {
  const words = `${count} ${count === 1 ? "message was" : "messages were"}`;
  return new EarshotError("cancelled", `The call was cancelled after ${words} sent; nothing further is sent.`);
}

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

  /** Throws if the channel does not support such a thread. Its tags are known to everyone who may know the channel. */
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

  /** Returns the first message in the thread. */
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
    // The thread has the same audience as its channel.
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

  /** Setting a tag that the actor could not set would lend them the bot's permissions. */
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

  /** A thread that starts from a message has the message's id. */
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
