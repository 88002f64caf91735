import { EarshotError, throwIfCancelled } from "../domain/errors.ts";
import type { Channel } from "../domain/guild.ts";
import {
  type ChannelId,
  compareIds,
  idTime,
  type MessageId,
  toChannelId,
  toFirstId,
  toId,
  type UserId,
} from "../domain/ids.ts";
import { type Fact, normaliseName } from "../domain/memory/fact.ts";
import type { Message } from "../domain/message.ts";
import type { OpenPace } from "../domain/steps/pace.ts";
import type { Limits } from "../policy/limits.ts";
import type { Spending } from "../policy/spending.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord, HistoryPage } from "../ports/discord.ts";
import type { Search } from "../ports/search.ts";
import type { Progress, Read, Timelines } from "../ports/timelines.ts";
import type { Summariser } from "../summary/summariser.ts";
import type { ChannelView, View } from "../tools/view.ts";
import type { Access } from "./access.ts";
import type { CallRecord } from "./call-record.ts";
import type { DocumentReads } from "./document-reads.ts";
import type { Effects } from "./effects/effects.ts";
import type { Finder } from "./finder.ts";
import { fetchAttachment, readWanted } from "./fresh-reads.ts";
import type { ToolCall } from "./gate.ts";
import type { MemberList } from "./member-list.ts";
import type { FactProposals } from "./memory/fact-proposals.ts";
import type { FactReads } from "./memory/fact-reads.ts";
import type { ProfileReads } from "./memory/profile-reads.ts";
import { findMessagePlace } from "./message-place.ts";
import type { OperationIds } from "./operation-ids.ts";
import type { People } from "./people.ts";
import { namesFor } from "./present.ts";
import type { TalkReads } from "./talks/talk-reads.ts";

export interface ViewDeps {
  readonly discord: Discord;
  readonly timelines: Timelines;
  readonly search: Search;
  isLeftOut(authorId: UserId): boolean;
  readonly summariser: Summariser;
  readonly people: People;
  readonly openPace: OpenPace;
  readonly limits: Limits;
  /** Absent where calls of a model are not counted. */
  readonly spending?: Pick<Spending, "of">;
  readonly clock: Clock;
}

export interface ViewParts {
  readonly access: Access;
  readonly record: CallRecord;
  effects(): Effects;
  ids(): OperationIds;
  finder(): Finder;
  facts(): FactReads;
  profiles(): ProfileReads;
  documents(): DocumentReads;
  proposals(): FactProposals;
  talks(): TalkReads;
  memberList(): MemberList;
}

interface MessageAddress {
  readonly channelId: ChannelId;
  readonly messageId: MessageId;
}

const SUMMARY_TOKENS = 1_500;
/** Of a message that may not be handed out, and what was said around it. */
const NOTHING: Read = {
  messages: [],
  coverage: { scanned: 0, from: null, to: null, complete: false },
  has_more: false,
  cursor: null,
};

/** What one call within one operation can reach. Everything in it has been decided about; everything it hands out is recorded. */
export function openView(
  call: ToolCall,
  { access, record, effects, ids, finder, facts, profiles, documents, proposals, talks, memberList }: ViewParts,
  deps: ViewDeps,
): View {
  const { operation, signal, onProgress } = call;
  const { actor } = operation;
  const { discord, timelines, search } = deps;
  const { directory } = discord;
  const { isLeftOut } = deps;

  /** What was read counts only if it may still be read when it has arrived. */
  function noteRead(id: ChannelId, messages: readonly Message[]): void {
    const { channel, decisionId } = access.mustRead(id);
    record.read(channel, messages, decisionId);
  }

  function mustHandOut(id: ChannelId, messageId: MessageId): void {
    if (!access.mayHandOut(id, messageId)) throw access.absent("Message not found");
  }

  /** Where a read that goes forward begins: how much was said before what is live must not show. */
  function liveStart(id: ChannelId, messageId: MessageId): MessageId {
    const since = access.liveSince(id);
    const start = since === null ? messageId : toFirstId<MessageId>(since - 1);
    return compareIds(start, messageId) > 0 ? start : messageId;
  }

  /** The request, where it may be handed out but nothing that was said around it. */
  function isOldRequest(id: ChannelId, messageId: MessageId): boolean {
    const since = access.liveSince(id);
    return since !== null && idTime(messageId) < since;
  }

  async function open(id: ChannelId): Promise<ChannelView> {
    await access.learn(id);
    const { channel, decisionId } = access.mustRead(id);
    record.enter(id);
    const tell = (progress: Progress) => {
      if (access.mayReadBack(id)) onProgress?.(progress);
    };
    const more = { isLeftOut, ...(signal && { signal }), ...(onProgress && { onProgress: tell }) };
    const hearAll = async (read: Promise<Read>): Promise<Read> => {
      const whole = await read;
      record.scanned += whole.coverage.scanned;
      const since = access.liveSince(id);
      // An older request is not among them: whether it had room beside what came after it would tell how much that was.
      const result = since === null ? whole : keepSome(whole, (one) => idTime(one) >= since);
      noteRead(id, result.messages);
      return result;
    };
    async function message(messageId: MessageId): Promise<Message | undefined> {
      const isFor = () => access.mayHandOut(id, messageId);
      const found = isFor() ? await timelines.message(id, messageId, signal) : undefined;
      const isWanted = found && isFor() && !isLeftOut(found.author.id);
      noteRead(id, isWanted ? [found] : []);
      return isWanted ? found : undefined;
    }
    return {
      get channel() {
        record.named(channel, decisionId);
        return channel;
      },
      recent: (bounds) => hearAll(timelines.recent(id, { ...bounds, ...more })),
      before: (messageId, bounds) => hearAll(timelines.before(id, messageId, { ...bounds, ...more })),
      after: (messageId, bounds) => hearAll(timelines.after(id, liveStart(id, messageId), { ...bounds, ...more })),
      async around(messageId, bounds) {
        if (!access.mayHandOut(id, messageId)) return NOTHING;
        if (isOldRequest(id, messageId)) return alone(await message(messageId));
        return hearAll(timelines.around(id, messageId, { ...bounds, ...more }));
      },
      search: (query, bounds) => hearAll(search.contains(id, query, { ...bounds, ...more })),
      range: (span, bounds) => hearAll(timelines.range(id, span, { ...bounds, ...more })),
      message,
      async reactions(messageId) {
        mustHandOut(id, messageId);
        const reactions = await discord.reactions(id, messageId, signal);
        mustHandOut(id, messageId);
        noteRead(id, []);
        return reactions;
      },
      async fresh(page) {
        if (page.around && isOldRequest(id, page.around)) return alone(await message(page.around));
        return hearAll(readFresh(id, page));
      },
    };
  }

  /** What the actor said last in a channel, by Discord's own search; nothing where it cannot be asked. */
  async function searchOwn({ id, guildId }: Channel): Promise<readonly Message[]> {
    if (guildId === null || isLeftOut(actor) || !access.mayReadBack(id)) return [];
    const request = { channelIds: [id], authorIds: [actor], limit: 2 };
    const answer = await discord.search(guildId, request, signal).catch((error: unknown) => {
      if (!(error instanceof EarshotError) || error.code === "cancelled") throw error;
      return null;
    });
    const messages = answer?.state === "ready" && access.mayReadBack(id) ? answer.messages : [];
    noteRead(id, messages);
    return messages;
  }

  /** Where a message stands of which only the id is given; where the request was made if nobody knows. */
  async function placeOf(messageId: MessageId): Promise<ChannelId> {
    const here = access.here.channelId;
    const known = ids().channelOf(messageId) ?? (timelines.holds(here, messageId) ? here : undefined);
    if (known !== undefined) return known;
    const channels = await finder().listToSearch();
    record.searched(channels.map(({ id }) => id));
    const found = await findMessagePlace(messageId, channels, { discord, timelines, signal });
    if (found === undefined && !(await (await open(here)).message(messageId)))
      throw new EarshotError(
        "unavailable",
        "The message is not among those that are held, and Discord's search does not answer; give a link to it, or try again later.",
      );
    return found ?? here;
  }

  async function addressOf(reference: string, place?: string): Promise<MessageAddress> {
    const link = toAddress(reference);
    const messageId = link?.messageId ?? ids().messageOf(reference) ?? toId<MessageId>(reference);
    if (!messageId) throw access.absent("Message not found");
    if (place !== undefined) return { messageId, channelId: await channelIdOf(place) };
    return link ?? { messageId, channelId: await placeOf(messageId) };
  }

  /** An id is decided about when it is used. */
  const channelIdOf = async (name: string) => toChannelId(name) ?? finder().channel(name);

  /** As if those who opted out had said nothing: where they leave room, more is fetched. */
  async function readFresh(id: ChannelId, page: HistoryPage): Promise<Read> {
    const { around, after } = page;
    if (around !== undefined && !access.mayHandOut(id, around)) return NOTHING;
    const start = after === undefined ? page : { ...page, after: liveStart(id, after) };
    const { messages, isFull } = await readWanted(start, {
      fetch: (next) => discord.history(id, next, signal),
      isWanted: ({ author }) => !isLeftOut(author.id),
    });
    const coverage = {
      scanned: messages.length,
      from: messages.at(-1)?.ts ?? null,
      to: messages[0]?.ts ?? null,
      complete: !isFull,
    };
    return { messages, coverage, has_more: isFull, cursor: null };
  }

  return {
    actor,
    agent: { id: discord.botId, name: discord.botName },
    page: {
      nonce: operation.nonce,
      now: deps.clock.now(),
      get displayNames() {
        return ids().displayNames;
      },
      handle: (message) => ids().handle(message),
      factHandle: (factId) => ids().factHandle(factId),
      names: (guildId) => namesFor(guildId, { directory, access, people: deps.people }),
    },
    // What follows is asked for by few tools.
    get isPrivate() {
      return access.isPrivate;
    },
    get here() {
      return access.hasHere ? access.here.channelId : null;
    },
    get guildId() {
      return access.here.guildId;
    },
    profile() {
      const { guildId } = access.here;
      // What is known of somebody without the whole list may come from where they spoke, which may be hidden.
      if (guildId === null || !directory.guild(guildId)?.membersComplete) return null;
      const member = directory.member(guildId, actor);
      if (!member) return null;
      const roles = directory.roles(guildId).filter(({ id, botId }) => member.roles.has(id) && botId === undefined);
      return { name: member.name, roles: roles.sort((a, b) => b.position - a.position).map(({ name }) => name) };
    },
    channel: open,
    addressOf,
    async locate(reference) {
      const { messageId, channelId } = await addressOf(reference);
      try {
        return { messageId, channel: await open(channelId) };
      } catch (error) {
        throw error instanceof EarshotError && error.code === "not_found" ? access.absent("Message not found") : error;
      }
    },
    requestMessageId: operation.origin.messageId,
    channelNamed: async (name) => open(await channelIdOf(name)),
    channelIdOf,
    search: (typed) => finder().search(typed),
    time: (words) => finder().time(words),
    timeNotes: () => finder().timeNotes,
    async summarise({ channel }, messages, focus) {
      if (messages.length === 0) return { by: "extract", points: [] };
      deps.limits.take("summaries", actor, 1);
      const names = namesFor(channel.guildId, { directory, access, people: deps.people });
      const request = {
        channelId: channel.id,
        messages,
        names,
        displayNames: ids().displayNames,
        maxTokens: SUMMARY_TOKENS,
      };
      const { bullets, by } = await deps.summariser.summarise({
        ...request,
        ...(focus && { focus }),
        ...(deps.spending && { spending: deps.spending.of(operation) }),
        ...(signal && { signal }),
      });
      // Making it may take a while.
      access.mustRead(channel.id);
      const known = new Map(messages.map((message) => [message.message_id, message]));
      return {
        by,
        points: bullets.map(({ text, cites }) => ({ text, cites: cites.flatMap((id) => known.get(id) ?? []) })),
      };
    },
    inSteps(work) {
      const pace = deps.openPace(() => throwIfCancelled(signal));
      return pace.run(work(pace));
    },
    async lastHere(channel) {
      const isMine = ({ author, message_id }: Message) =>
        author.id === actor && message_id !== operation.origin.messageId;
      const { messages } = await channel.recent({ limit: 100 });
      return messages.find(isMine) ?? (await searchOwn(channel.channel)).find(isMine) ?? null;
    },
    async directMessages(userId = actor) {
      if (userId !== actor) throw access.absent();
      return open(await discord.openDm(userId));
    },
    async factsAbout(person, key) {
      const subjectId = person === undefined ? actor : await finder().person(person);
      const isWanted = toKeyFilter(key);
      const { fields, isUnavailable } = await profiles().read(subjectId, (name) => isWanted({ name }));
      const heard = await facts().readAbout(subjectId, isWanted, fields);
      return { ...heard, isProfileUnavailable: isUnavailable };
    },
    async searchFacts(words, limit) {
      const { fields, isUnavailable } = await profiles().read(actor, () => true);
      return { found: await facts().search(words, limit, fields), isProfileUnavailable: isUnavailable };
    },
    searchDocuments: (words, limit) => documents().search(words, limit),
    fittingFacts: (words, limit) => facts().fit(words, limit),
    async sharedFacts(key, server) {
      const guildIds = await finder().guildsNamed(server);
      const queries = guildIds.flatMap((guildId) =>
        (["project", "org"] as const).map((scopeType) => ({ scopeType, guildId })),
      );
      return facts().read(queries, toKeyFilter(key));
    },
    recallBots: (request) => talks().recall(request),
    ownTalks: (words, limit) => talks().own(words, limit),
    remember: (proposal) => proposals().remember(proposal),
    forget: (request) => proposals().forget(request),
    async guilds() {
      await access.learnGuilds();
      const shared = directory.guilds().filter(({ id }) => access.mayNameGuild(id));
      for (const { id, name } of shared) record.namedGuild(id, name);
      return shared.map(({ id, name }) => ({ id, name })).sort((a, b) => compareIds(a.id, b.id));
    },
    people: (request) => memberList().list(request),
    async channels(server) {
      await access.learnGuilds();
      const guildId = await finder().guild(server);
      if (!access.mayNameGuild(guildId)) throw access.absent("There is no such server.");
      const all = directory.channels(guildId).filter(({ kind, thread }) => kind !== "category" && !thread?.archived);
      for (const one of all) if (one.kind === "private_thread") await directory.learn(actor, one.id).catch(() => {});
      const shown = all.filter(({ id }) => access.mayRead(id)).sort(inOrder);
      for (const { id } of shown) {
        const { channel, decisionId } = access.mustRead(id);
        record.named(channel, decisionId);
      }
      return shown;
    },
    send: (request) => effects().send(request),
    react: (channelId, messageId, emoji) => effects().react(channelId, messageId, emoji),
    edit: (message, text) => effects().edit(message, text),
    delete: (message) => effects().delete(message),
    showTyping: (channelId) => effects().showTyping(channelId),
    startThread: (request) => effects().startThread(request),
    attachment: (request) => fetchAttachment(request, { open, discord, ...(signal && { signal }) }),
  };
}

/** A read without the messages that may not be handed out. How many those are, and whether there are any, does not show. */
function keepSome(read: Read, mayHandOut: (id: MessageId) => boolean): Read {
  const messages = read.messages.filter(({ message_id }) => mayHandOut(message_id));
  const [from, to] = [messages.at(-1)?.ts ?? null, messages[0]?.ts ?? null];
  return { ...NOTHING, messages, coverage: { scanned: messages.length, from, to, complete: false } };
}

function alone(message: Message | undefined): Read {
  const messages = message ? [message] : [];
  const ts = message?.ts ?? null;
  return { ...NOTHING, messages, coverage: { scanned: messages.length, from: ts, to: ts, complete: false } };
}

/** …/channels/{server}/{channel}/{message}, with whatever stands around it. */
function toAddress(link: string): MessageAddress | null {
  const [, channel, message] = /\/channels\/(?:@me|\d+)\/(\d+)\/(\d+)/.exec(link) ?? [];
  const [channelId, messageId] = [toId<ChannelId>(channel), toId<MessageId>(message)];
  return channelId && messageId ? { channelId, messageId } : null;
}

/** Names are compared without regard to case. */
function toKeyFilter(key: string | undefined): (fact: Pick<Fact, "name">) => boolean {
  return ({ name }) => key === undefined || normaliseName(name) === normaliseName(key);
}

/** As Discord shows them. */
function inOrder(a: Channel, b: Channel): number {
  return a.position - b.position || compareIds(a.id, b.id);
}
