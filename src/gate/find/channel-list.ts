import type { Channel } from "../../domain/guild.ts";
import { type ChannelId, compareIds, type GuildId, toChannelId } from "../../domain/ids.ts";
import type { MentionNames } from "../../domain/text/replace-mentions.ts";
import type { ChannelsView, ChannelView, GuildView } from "../../tools/view.ts";
import type { OperationIds } from "../call/audit-rows.ts";
import type { Lend } from "../call/call-time.ts";
import { ChannelReads, type ChannelReadsDeps, type ReadParts } from "../call/channel-reads.ts";
import type { ToolCall } from "../call/tool-call.ts";
import type { Finder } from "./finder.ts";
import { learnPrivateThreads } from "./learn-private-threads.ts";

interface ChannelListParts extends ReadParts {
  finder(): Finder;
  ids(): OperationIds;
  names(guildId: GuildId | null): MentionNames;
  /** Opened channels are lent to the tool, too. */
  readonly lend: Lend;
}

/** Discord's limit of active threads per server. */
const MAX_ACTIVE_THREADS = 1_000;

/** Opens and lists channels, within the operation's access only. */
export class ChannelList implements ChannelsView {
  readonly #call: ToolCall;
  readonly #parts: ChannelListParts;
  readonly #deps: ChannelReadsDeps;

  constructor(call: ToolCall, parts: ChannelListParts, deps: ChannelReadsDeps) {
    this.#call = call;
    this.#parts = parts;
    this.#deps = deps;
  }

  async open(id: ChannelId): Promise<ChannelView> {
    const { access, record, lend } = this.#parts;
    await access.learn(id);
    const decided = access.mustRead(id);
    record.enter(id);
    return lend(new ChannelReads(decided, { call: this.#call, ...this.#parts }, this.#deps));
  }

  async named(name: string): Promise<ChannelView> {
    return this.open(await this.idOf(name));
  }

  async idOf(name: string): Promise<ChannelId> {
    return toChannelId(name) ?? this.#parts.finder().names.channel(name);
  }

  async directMessages(userId = this.#call.operation.actor): Promise<ChannelView> {
    this.#parts.access.mustReadDirectMessages();
    if (userId !== this.#call.operation.actor) throw this.#parts.access.absent();
    return this.open(await this.#deps.discord.openDm(userId));
  }

  async list(server: string | undefined): Promise<readonly Channel[]> {
    const { access, record, finder } = this.#parts;
    const { directory } = this.#deps.discord;
    const { actor } = this.#call.operation;
    await access.learnGuilds();
    const guildId = await finder().names.guild(server);
    if (!access.mayNameGuild(guildId)) throw access.absent("There is no such server.");
    const all = directory.channels(guildId).filter(({ kind, thread }) => kind !== "category" && !thread?.archived);
    const inReach = all.filter(({ parentId }) => parentId !== null && access.mayRead(parentId));
    await learnPrivateThreads(inReach, { actor, directory, maxLearned: MAX_ACTIVE_THREADS });
    const shown = all.filter(({ id }) => access.mayRead(id)).sort(inOrder);
    for (const { id } of shown) {
      const { channel, decisionId } = access.mustRead(id);
      record.named(channel, decisionId);
    }
    return shown;
  }

  async servers(): Promise<readonly GuildView[]> {
    const { access, record } = this.#parts;
    await access.learnGuilds();
    const shared = this.#deps.discord.directory.guilds().filter(({ id }) => access.mayNameGuild(id));
    for (const { id, name } of shared) record.namedGuild(id, name);
    return shared.map(({ id, name }) => ({ id, name })).sort((a, b) => compareIds(a.id, b.id));
  }
}

/** In Discord's display order. */
function inOrder(a: Channel, b: Channel): number {
  return a.position - b.position || compareIds(a.id, b.id);
}
