import { GuildDirectory } from "../../src/discord/directory.ts";
import { Announcer, MessageEvents } from "../../src/discord/message-events.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import { type ChannelId, compareIds, type GuildId, type MessageId, type UserId } from "../../src/domain/ids.ts";
import type { Message, MessageRef } from "../../src/domain/message.ts";
import { PERMISSION } from "../../src/domain/permission-set.ts";
import type { Consent } from "../../src/ports/consent.ts";
import type {
  ArchivePage,
  Discord,
  DiscordEvent,
  Draft,
  EventListener,
  GuildSearchAnswer,
  GuildSearchRequest,
  HistoryPage,
  HistoryRead,
  Leaving,
  Note,
  Reaction,
  ThreadDraft,
} from "../../src/ports/discord.ts";
import {
  describeChannel,
  describeGuild,
  describeMember,
  describeMessage,
  describeThread,
  type MemberListing,
} from "./describe-world.ts";
import { sees } from "./plain-oracle.ts";
import { BOT, fileOf, type PlainMessage, type PlainWorld, placeOf, TYPE } from "./plain-world.ts";

/** What left for Discord. */
export type Departure =
  | {
      readonly kind: "send";
      readonly channelId: string;
      readonly messageId: string;
      readonly text: string;
      readonly replyTo: string | null;
    }
  | { readonly kind: "react"; readonly channelId: string; readonly messageId: string; readonly emoji: string }
  | { readonly kind: "edit"; readonly channelId: string; readonly messageId: string; readonly text: string }
  | { readonly kind: "delete"; readonly channelId: string; readonly messageId: string }
  | { readonly kind: "typing"; readonly channelId: string }
  /** Its first message follows, or comes with it in a forum. */
  | { readonly kind: "thread"; readonly channelId: string; readonly threadId: string; readonly text: string };

export interface PlainDiscordOptions {
  /** "listed": every member is known. "heard": some may be missing. "asked": nobody tells of changes. */
  readonly members?: MemberListing;
  /** Discord does not answer questions about channels and members. */
  readonly isMute?: boolean;
  readonly consent?: Pick<Consent, "isLeftOut" | "listen">;
  /** How many messages the bot had sent before this program began. */
  readonly sentBefore?: number;
  /** Everything that takes time waits for this. */
  pause?(what: string): Promise<void>;
  /** Called in the moment in which something leaves. */
  onDeparture?(departure: Departure): void;
  /** Called with everything that others can see the bot do, in all its parts. */
  onVisible?(act: Readonly<Record<string, unknown>>): void;
}

/** When everything in these worlds happens. */
export const NOW = Date.parse("2026-11-15T12:00:00.000Z");
const EPOCH = 1_420_070_400_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** What the edge is, without its connection. Dispatches take the same way through it. */
export class PlainDiscord implements Discord {
  readonly applicationId = BOT;
  readonly botId = BOT as UserId;
  readonly botName = "earshot";
  readonly limits = [];
  readonly state = "ready";
  readonly lastHeardAt: () => number;
  readonly directory: GuildDirectory;
  readonly departures: Departure[] = [];
  readonly #world: PlainWorld;
  readonly #options: PlainDiscordOptions;
  readonly #messages: MessageEvents;
  readonly #announcer: Announcer;
  readonly #nonces = new Map<string, Message>();
  readonly #clock: { now(): number };
  #minted = 0;

  constructor(world: PlainWorld, clock: { now(): number }, options: PlainDiscordOptions) {
    const { members = "listed" } = options;
    this.lastHeardAt = () => clock.now();
    this.#clock = clock;
    this.#world = world;
    this.#options = options;
    const ask = {
      channel: (id: ChannelId) => this.#answer(() => this.#describePlace(id)),
      member: (guildId: GuildId, userId: UserId) => this.#answer(() => this.#describeMember(guildId, userId)),
      threadMembers: (id: ChannelId) => this.#answer(() => this.#describeThreadMembers(id)),
      searchMembers: (guildId: GuildId, words: string) => this.#answer(() => this.#searchMembers(guildId, words)),
    };
    const { botId } = this;
    const isLeftOut = (userId: UserId) => options.consent?.isLeftOut(userId) ?? false;
    this.directory = new GuildDirectory({ botId, hearsMembers: members !== "asked", clock, ask, isLeftOut });
    const announce = (event: DiscordEvent) => this.announce(event);
    this.#messages = new MessageEvents(this.directory, { botId, log: quiet, announce });
    options.consent?.listen(({ userId }) => {
      for (const channelId of this.directory.threadsTitledBy(userId)) announce({ type: "channel", channelId });
    });
    this.#announcer = new Announcer(clock, () => this.directory.guilds().map(({ id }) => id));
    this.tell("READY", { guilds: world.guilds.map(({ id }) => ({ id, unavailable: true })) });
    for (const guild of world.guilds) {
      this.tell("GUILD_CREATE", describeGuild(guild, members));
      const state = this.directory.guild(guild.id as GuildId);
      if (state && members === "listed") state.membersComplete = true;
      if (guild.isDown) this.tell("GUILD_DELETE", { id: guild.id, unavailable: true });
    }
    for (const { id, personId } of world.dms)
      this.directory.noteDm({ id, type: 1, recipients: [{ id: personId }] }, personId as UserId);
  }

  /** For a message that is said now, by whomever: later than all before it. */
  mintMessageId(): string {
    this.#minted += 1;
    const count = (this.#options.sentBefore ?? 0) + this.#minted;
    return String((BigInt(this.#clock.now() - EPOCH) << 22n) + BigInt(count) * 4n);
  }

  tell(type: string, data: unknown): void {
    for (const event of this.directory.apply(type, data)) this.announce(event);
    for (const event of this.#messages.toEvents(type, data as never)) this.announce(event);
  }

  announce(event: DiscordEvent): void {
    this.#announcer.announce(event);
  }

  listen(listener: EventListener): () => void {
    return this.#announcer.listen(listener);
  }

  letGoOf(authorId: UserId): void {
    this.#messages.letGoOf(authorId);
  }

  listenForPresses(): () => void {
    return () => {};
  }

  listenForCommands(): () => void {
    return () => {};
  }

  listenForTyping(): () => void {
    return () => {};
  }

  listenForForms(): () => void {
    return () => {};
  }

  async offerCommands(): Promise<void> {}

  async history(channelId: ChannelId, page: HistoryPage): Promise<HistoryRead> {
    await this.#mustRead(channelId);
    await this.#pause("history asked");
    const raws = pageOf(this.#world.messages.get(channelId) ?? [], page).map((message) =>
      this.#read(channelId, message),
    );
    await this.#pause("history answered");
    return { messages: raws.flatMap((message) => message ?? []), isFull: raws.length >= page.limit };
  }

  /** Two at a time, so that an archive may have several pages; private threads all at once. */
  async archive(channelId: ChannelId, before: string | null): Promise<ArchivePage> {
    await this.#mustRead(channelId);
    const guild = this.#world.guilds.find(({ channels }) => channels.some(({ id }) => id === channelId));
    const archived = (guild?.threads ?? []).filter(({ parentId, isArchived }) => parentId === channelId && isArchived);
    const isPrivate = ({ type }: { type: number }) => type === TYPE.privateThread;
    const threads = archived.filter((thread) => !isPrivate(thread));
    const closed = before === null ? archived.filter(isPrivate) : [];
    const isBefore = ({ id }: { id: string }) => before === null || BigInt(id) < BigInt(before);
    const left = threads.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1)).filter(isBefore);
    const page = left.slice(0, 2);
    const describe = (list: typeof archived) =>
      list.flatMap((thread) => (guild && describeThread(guild, thread)) ?? []);
    const [open, hidden] = await this.#answer(() => [describe(page), describe(closed)] as const);
    this.directory.noteArchive(channelId, open, "public");
    this.directory.noteArchive(channelId, hidden, "private");
    const isLast = left.length <= page.length;
    return { next: isLast ? null : (page.at(-1)?.id ?? null), isLast };
  }

  async message(channelId: ChannelId, messageId: MessageId): Promise<Message | null> {
    await this.#mustRead(channelId);
    await this.#pause("message");
    const found = this.#world.messages.get(channelId)?.find(({ id }) => id === messageId);
    return found ? this.#read(channelId, found) : null;
  }

  async reactions(channelId: ChannelId, messageId: MessageId): Promise<readonly Reaction[]> {
    const message = await this.message(channelId, messageId);
    return message ? [{ emoji: "👍", count: 1 + (message.content.length % 7) }] : [];
  }

  async search(_: GuildId, request: GuildSearchRequest): Promise<GuildSearchAnswer> {
    const { channelIds, content = "", authorIds, mentions, minId, maxId, limit } = request;
    await this.#pause("search");
    const words = content.toLowerCase().split(/\s+/);
    const hits = channelIds
      .filter((id) => this.directory.canRead(this.botId, id))
      .flatMap((id) => (this.#world.messages.get(id) ?? []).flatMap((message) => this.#read(id, message) ?? []))
      .filter((message) => words.every((word) => message.content.toLowerCase().includes(word)))
      .filter((message) => !mentions?.length || mentions.some((id) => message.content.includes(`<@${id}>`)))
      .filter(({ author }) => !authorIds?.length || authorIds.includes(author.id))
      .filter(({ message_id: id }) => (!minId || compareIds(id, minId) > 0) && (!maxId || compareIds(id, maxId) < 0))
      .sort((a, b) => compareIds(b.message_id, a.message_id));
    return { state: "ready", messages: hits.slice(0, limit), isFull: hits.length > limit };
  }

  async send(channelId: ChannelId, draft: Draft, leaving?: Leaving): Promise<Message> {
    await this.#mustRead(channelId);
    const isThread = this.directory.channel(channelId)?.thread !== null;
    this.#mustHold(channelId, isThread ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages, "speak");
    await this.#pause("send");
    leaving?.recheck?.();
    if (leaving?.signal?.aborted) throw new EarshotError("cancelled", "The request was cancelled.");
    const known = draft.nonce === undefined ? undefined : this.#nonces.get(draft.nonce);
    const message = known ?? this.#speak(channelId, draft);
    if (draft.nonce !== undefined) this.#nonces.set(draft.nonce, message);
    await this.#pause("sent");
    for (const event of this.#messages.announce(message)) this.announce(event);
    return message;
  }

  async edit({ channelId, messageId }: MessageRef, { text }: Note, leaving?: Leaving): Promise<void> {
    await this.#mustRead(channelId);
    await this.#pause("edit");
    leaving?.recheck?.();
    const said = this.#world.messages.get(channelId)?.find(({ id }) => id === messageId);
    this.#depart({ kind: "edit", channelId, messageId, text });
    if (said) said.content = text;
    this.#options.onVisible?.({ kind: "edit", channelId, messageId, text });
  }

  async withdraw({ channelId, messageId }: MessageRef, leaving?: Leaving): Promise<void> {
    await this.#mustRead(channelId);
    await this.#pause("withdraw");
    leaving?.recheck?.();
    const said = this.#world.messages.get(channelId);
    const at = said?.findIndex(({ id }) => id === messageId) ?? -1;
    if (at < 0) return;
    this.#depart({ kind: "delete", channelId, messageId });
    said?.splice(at, 1);
    this.#options.onVisible?.({ kind: "withdraw", channelId, messageId });
    this.tell("MESSAGE_DELETE", { id: messageId, channel_id: channelId });
  }

  async showTyping(channelId: ChannelId, leaving?: Leaving): Promise<void> {
    await this.#mustRead(channelId);
    leaving?.recheck?.();
    this.#depart({ kind: "typing", channelId });
  }

  async react(channelId: ChannelId, messageId: MessageId, emoji: string, leaving?: Leaving): Promise<void> {
    await this.#mustRead(channelId);
    this.#mustHold(channelId, PERMISSION.addReactions, "react");
    await this.#pause("react");
    leaving?.recheck?.();
    if (leaving?.signal?.aborted) throw new EarshotError("cancelled", "The request was cancelled.");
    if (!this.#world.messages.get(channelId)?.some(({ id }) => id === messageId))
      throw new EarshotError("not_found", "Discord has no such message.");
    this.#depart({ kind: "react", channelId, messageId, emoji });
    this.#options.onVisible?.({ kind: "react", channelId, messageId, emoji });
    await this.#pause("reacted");
  }

  async startThread(channelId: ChannelId, { name, messageId, post }: ThreadDraft, leaving?: Leaving) {
    await this.#mustRead(channelId);
    const isForum = placeOf(this.#world, channelId)?.channel?.type === TYPE.forum;
    this.#mustHold(channelId, isForum ? PERMISSION.sendMessages : PERMISSION.createPublicThreads, "start threads");
    await this.#pause("start thread");
    leaving?.recheck?.();
    if (leaving?.signal?.aborted) throw new EarshotError("cancelled", "The request was cancelled.");
    const guild = this.#world.guilds.find(({ channels }) => channels.some(({ id }) => id === channelId));
    const threadId = messageId ?? this.mintMessageId();
    if (!guild || guild.threads.some(({ id }) => id === threadId))
      throw new EarshotError("unsupported", "There can be no such thread.");
    this.#depart({ kind: "thread", channelId, threadId, text: post ? `${name} ${post.text}` : name });
    this.#options.onVisible?.({ kind: "thread", channelId, name, messageId, post });
    const thread = {
      id: threadId,
      type: TYPE.publicThread,
      name,
      parentId: channelId,
      members: [BOT],
      tellsMembers: true,
    };
    guild.threads.push(thread);
    this.tell("THREAD_CREATE", describeThread(guild, thread));
    const message = post ? this.#say(threadId as ChannelId, { id: threadId, text: post.text, replyTo: null }) : null;
    return { threadId: threadId as ChannelId, message };
  }

  async openDm(userId: UserId): Promise<ChannelId> {
    await this.#pause("open dm");
    const known = this.directory.directMessages(userId);
    if (known) return known;
    const id = `77${userId}`;
    this.#world.dms.push({ id, personId: userId });
    return this.directory.noteDm({ id, type: 1, recipients: [{ id: userId }] }, userId);
  }

  /** The file host asks nobody who they are. */
  async download(url: string): Promise<{ contentType: string; bytes: Uint8Array }> {
    await this.#pause("download");
    for (const [channelId, messages] of this.#world.messages) {
      const owner = messages.find((message) => message.file && fileOf(channelId, message).url === url);
      if (owner) return { contentType: "text/plain", bytes: new TextEncoder().encode(`file of ${owner.content}`) };
    }
    throw new EarshotError("not_found", "The file is gone, or its link has expired.");
  }

  stats() {
    return {
      restCalls: 0,
      rateLimitWaits: 0,
      rateLimitWaitedMs: 0,
      events: 0,
      gaps: 0,
      missingCommands: [],
      lacksArchives: false,
    };
  }

  async close(): Promise<void> {}

  #speak(channelId: ChannelId, draft: Draft): Message {
    const { text, replyTo, mentions, buttons = [] } = draft;
    const id = this.mintMessageId();
    this.#depart({ kind: "send", channelId, messageId: id, text, replyTo: replyTo ?? null });
    this.#options.onVisible?.({ kind: "send", channelId, text, replyTo, mentions, buttons });
    return this.#say(channelId, { id, text, replyTo: replyTo ?? null });
  }

  #say(channelId: ChannelId, { id, text, replyTo }: { id: string; text: string; replyTo: string | null }): Message {
    const said: PlainMessage = { id, authorId: BOT, content: text, edited: false, replyTo, file: false };
    const there = this.#world.messages.get(channelId) ?? [];
    this.#world.messages.set(channelId, [...there, said]);
    const message = this.#read(channelId, said);
    if (!message) throw new Error("what was sent can be read");
    return message;
  }

  #depart(departure: Departure): void {
    this.departures.push(departure);
    this.#options.onDeparture?.(departure);
  }

  #read(channelId: ChannelId, message: PlainMessage): Message | null {
    return this.#messages.read(describeMessage(this.#world, channelId, message), channelId);
  }

  async #pause(what: string): Promise<void> {
    await this.#options.pause?.(what);
  }

  async #answer<Answer>(look: () => Answer): Promise<Answer> {
    await this.#pause("question");
    if (this.#options.isMute) throw new EarshotError("unavailable", "Discord does not answer; try again later.");
    return look();
  }

  #describePlace(id: string): unknown {
    const place = placeOf(this.#world, id);
    if (place?.personId) return { id, type: 1, recipients: [{ id: place.personId }] };
    if (!place?.guild || !place.channel || !sees(place, BOT)) return null;
    return place.thread ? describeThread(place.guild, place.thread) : describeChannel(place.guild, place.channel);
  }

  #describeMember(guildId: string, userId: string): unknown {
    const guild = this.#world.guilds.find(({ id }) => id === guildId);
    const member = guild?.members.find(({ id }) => id === userId);
    return member ? describeMember(member) : null;
  }

  #searchMembers(guildId: string, words: string): unknown[] {
    const members = this.#world.guilds.find(({ id }) => id === guildId)?.members ?? [];
    const isMeant = (name: string) => name.toLowerCase().startsWith(words.toLowerCase());
    return members.filter(({ id, nick }) => isMeant(nick) || isMeant(`user${id}`)).map(describeMember);
  }

  #describeThreadMembers(id: string): unknown[] | null {
    const place = placeOf(this.#world, id);
    if (!place?.thread?.tellsMembers || !sees(place, BOT)) return null;
    return place.thread.members.map((member) => ({ user_id: member }));
  }

  async #mustRead(channelId: ChannelId): Promise<void> {
    if (!this.directory.channel(channelId)) await this.directory.learn(this.botId, channelId);
    if (this.directory.canRead(this.botId, channelId)) return;
    throw new EarshotError("not_found", "There is no such channel, or the bot may not read it.");
  }

  #mustHold(channelId: ChannelId, needed: number, what: string): void {
    if (this.directory.permissions(this.botId, channelId) & needed) return;
    throw new EarshotError("forbidden", `The bot may not ${what} in that channel; a moderator can allow it.`);
  }
}

/** Discord's own semantics: newest first, and around a message half of them on each side. */
function pageOf(messages: readonly PlainMessage[], { limit, before, after, around }: HistoryPage): PlainMessage[] {
  const sorted = messages.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
  const older = (than: string) => sorted.filter(({ id }) => BigInt(id) < BigInt(than));
  const newer = (than: string) => sorted.filter(({ id }) => BigInt(id) > BigInt(than));
  if (before) return older(before).slice(0, limit);
  if (after) return newer(after).slice(-limit);
  if (!around) return sorted.slice(0, limit);
  const half = Math.floor(limit / 2);
  const there = sorted.filter(({ id }) => id === around);
  return [...newer(around).slice(half === 0 ? sorted.length : -half), ...there, ...older(around).slice(0, half)].slice(
    0,
    limit,
  );
}
