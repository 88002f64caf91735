import { flows } from "../domain/audience.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import { compareIds } from "../domain/ids.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import { splitText } from "../domain/split-text.ts";
import { covers } from "../policy/grant.ts";
import type { Discord, HistoryPage } from "../ports/discord.ts";
import type { Read, Timelines } from "../ports/timelines.ts";
import type { ChannelView, SendRequest, View } from "../tools/view.ts";

import { fetchAttachment } from "./fetch-attachment.ts";
import { toNonce } from "./nonce.ts";
import type { SentOnce } from "./sent-once.ts";
import type { ToolCall } from "./tool-call.ts";

export interface ViewDeps {
  readonly discord: Discord;
  readonly timelines: Timelines;
  readonly sentOnce: SentOnce;
}

const ABSENT = "There is no such channel, or it cannot be read here.";

/** What one call within one operation can reach: what the actor may read, the bot may read, and the client's grant covers. */
export function openView(call: ToolCall, deps: ViewDeps): View {
  const { operation, signal, onProgress } = call;
  const { actor, client } = operation;
  const { discord, timelines } = deps;
  const { directory, botId } = discord;

  /** Denied and absent are one answer. */
  async function see(id: ChannelId): Promise<Channel> {
    await directory.learn(actor, id);
    await directory.learn(actor, operation.destination);
    const channel = directory.channel(id);
    if (!channel || !covers(client.grant, channel) || !mayRead(id)) throw new EarshotError("not_found", ABSENT);
    return channel;
  }

  /** The person may read it, the bot may, and everybody who will see the answer may. */
  function mayRead(id: ChannelId): boolean {
    return directory.canRead(actor, id) && directory.canRead(botId, id) && mayFlow(id, operation.destination);
  }

  function mayFlow(from: ChannelId, to: ChannelId): boolean {
    return from === to || flows(directory.site(from), directory.site(to));
  }

  /** A direct conversation is read only within itself. */
  async function open(id: ChannelId): Promise<ChannelView> {
    const channel = await see(id);
    if (channel.guildId === null && operation.destination !== id) throw new EarshotError("not_found", ABSENT);
    const more = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    const noted = async <Result>(read: Promise<Result>): Promise<Result> => {
      const result = await read;
      // Access may have been lost while Discord was being asked.
      if (!mayRead(id)) throw new EarshotError("not_found", ABSENT);
      operation.label.sources.add(id);
      return result;
    };
    return {
      channel,
      recent: (bounds) => noted(timelines.recent(id, { ...bounds, ...more })),
      before: (messageId, bounds) => noted(timelines.before(id, messageId, { ...bounds, ...more })),
      after: (messageId, bounds) => noted(timelines.after(id, messageId, { ...bounds, ...more })),
      around: (messageId, bounds) => noted(timelines.around(id, messageId, { ...bounds, ...more })),
      search: (query, bounds) => noted(timelines.search(id, query, { ...bounds, ...more })),
      message: (messageId) => noted(timelines.message(id, messageId, signal)),
      fresh: (page) => noted(readFresh(id, page)),
    };
  }

  async function readFresh(id: ChannelId, page: HistoryPage): Promise<Read> {
    const { messages, isFull } = await discord.history(id, page, signal);
    const coverage = {
      scanned: messages.length,
      from: messages.at(-1)?.ts ?? null,
      to: messages[0]?.ts ?? null,
      complete: !isFull,
    };
    return { messages, coverage, has_more: isFull, cursor: null };
  }

  /** In which other servers somebody is, those who see the answer need not know. */
  function mayNameGuild(id: GuildId): boolean {
    const home = directory.channel(operation.destination)?.guildId;
    return (home === null || home === id) && (client.grant.guilds === "all" || client.grant.guilds.includes(id));
  }

  function isShared(id: GuildId): boolean {
    return directory.guild(id)?.available === true && directory.member(id, actor) !== undefined;
  }

  /**
   * Speaking for somebody where they could not speak themselves would lend them the bot's voice; and what was read may be repeated only
   * among those who could have read it.
   */
  async function mustSpeak(id: ChannelId): Promise<void> {
    await directory.learn(actor, id);
    const channel = directory.channel(id);
    if (!channel || !covers(client.grant, channel) || !directory.canRead(actor, id))
      throw new EarshotError("not_found", ABSENT);
    const needed = channel.thread ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages;
    if (id !== operation.destination && !(directory.permissions(actor, id) & needed)) {
      throw new EarshotError("forbidden", "The person asking may not speak in that channel.");
    }
    if (![...operation.label.sources].every((source) => mayFlow(source, id))) {
      throw new EarshotError(
        "forbidden",
        "What was read for this is not for everyone there; answer in a more private place.",
      );
    }
  }

  return {
    actor,
    channel: open,
    async directMessages(userId: UserId) {
      if (userId !== actor) throw new EarshotError("not_found", ABSENT);
      return open(await discord.openDm(userId));
    },
    async guilds() {
      const all = directory.guilds().filter(({ id }) => mayNameGuild(id));
      for (const { id } of all) await directory.learnMember(actor, id);
      const shared = all.filter(({ id }) => isShared(id));
      return shared.map(({ id, name }) => ({ id, name })).sort((a, b) => compareIds(a.id, b.id));
    },
    async channels(guildId) {
      await directory.learnMember(actor, guildId);
      if (!mayNameGuild(guildId) || !isShared(guildId)) throw new EarshotError("not_found", "There is no such server.");
      const all = directory.channels(guildId).filter((one) => one.kind !== "category" && covers(client.grant, one));
      for (const one of all) if (one.kind === "private_thread") await directory.learn(actor, one.id);
      return all.filter(({ id }) => mayRead(id)).sort((a, b) => a.position - b.position || compareIds(a.id, b.id));
    },
    async send(request: SendRequest) {
      if (request.mentions.length > 0 && !client.grant.mentions) {
        throw new EarshotError("forbidden", "This client is not granted to ping people; send it without mentions.");
      }
      await mustSpeak(request.channelId);
      return deps.sentOnce.send(operation, request.key, () => speak(request));
    },
    async react(channelId, messageId, emoji) {
      await see(channelId);
      await discord.react(channelId, messageId, emoji);
    },
    attachment: (request) => fetchAttachment(request, { open, discord, ...(signal && { signal }) }),
  };

  async function speak({ channelId, text, replyTo, mentions, key }: SendRequest) {
    const sent = [];
    for (const [index, part] of splitText(text).entries()) {
      if (signal?.aborted)
        throw new EarshotError("cancelled", `The call was cancelled after ${sent.length} messages were sent.`);
      await mustSpeak(channelId);
      const nonce = key === undefined ? undefined : toNonce(operation.id, key, index);
      sent.push(
        await discord.send(channelId, {
          text: part,
          mentions,
          ...(replyTo && index === 0 && { replyTo }),
          ...(nonce && { nonce }),
        }),
      );
    }
    return sent;
  }
}
