import { type Channel, hasArchive } from "../../domain/guild.ts";
import { type ChannelId, compareIds, type GuildId } from "../../domain/ids.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Timelines } from "../../ports/timelines.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { ToolCall } from "../call/tool-call.ts";
import { learnPrivateThreads, MAX_THREADS_LEARNED, threadsIn } from "./learn-private-threads.ts";
import { NameFinder, type NameFinderDeps } from "./name-finder.ts";

export interface FinderDeps extends NameFinderDeps {
  readonly discord: Pick<Discord, "directory">;
  readonly timelines: Pick<Timelines, "listArchives">;
}

/** The channels and servers in which a call may look for something, and their names. */
export class Finder {
  readonly #call: ToolCall;
  readonly #parts: ReadParts;
  readonly #deps: FinderDeps;

  constructor(call: ToolCall, parts: ReadParts, deps: FinderDeps) {
    this.#call = call;
    this.#parts = parts;
    this.#deps = deps;
  }

  get names(): NameFinder {
    const among = { channels: () => this.channels(), guilds: () => this.guilds() };
    return new NameFinder(this.#call.operation, { ...this.#parts, ...among }, this.#deps);
  }

  /** Everything that may be read here (in public without private threads), in search order. Call `learnGuilds` before. */
  channels(): Channel[] {
    const { directory } = this.#deps.discord;
    const { access } = this.#parts;
    const here = access.here.channelId;
    const origin = directory.channel(here);
    const known = origin?.guildId === null ? [origin] : [];
    for (const id of this.guilds()) known.push(...directory.channels(id));
    const { readers } = access;
    // The members of a private thread are known only after a private request: finding it in public would reveal that request.
    const isPassedOver = ({ id, kind }: Channel) =>
      kind === "category" || (kind === "private_thread" && !access.isPrivate && id !== here);
    const readable = known.filter((channel) => !isPassedOver(channel) && access.mayRead(channel.id, readers));
    // The order of the search must not depend on hidden channels.
    return readable.sort((a, b) => Number(b.id === here) - Number(a.id === here) || compareChannels(a, b));
  }

  /** Like `channels`, without channels that give access to live messages only. */
  async listToSearch(): Promise<Channel[]> {
    const { access } = this.#parts;
    await access.learnGuilds();
    const parents = this.channels().filter((channel) => hasArchive(channel) && access.liveSince(channel.id) === null);
    await this.learnThreads(parents.map(({ id }) => id));
    return this.channels().filter(({ id }) => access.liveSince(id) === null);
  }

  /**
   * Loads the archived threads of these channels and the members of private ones: earlier requests must not decide what is known. Members
   * only if the readers are named people: see `channels`. False if some are left.
   */
  async learnThreads(parents: readonly ChannelId[]): Promise<boolean> {
    const { actor } = this.#call.operation;
    const { directory } = this.#deps.discord;
    const listed = await this.#deps.timelines.listArchives(parents, this.#call.signal);
    const isListed = new Set(parents).isSubsetOf(listed);
    if (!this.#parts.access.isPrivate) return isListed;
    const threads = threadsIn(parents, directory);
    const isLearned = await learnPrivateThreads(threads, { actor, directory, maxLearned: MAX_THREADS_LEARNED });
    return isLearned && isListed;
  }

  guilds(): GuildId[] {
    const { directory } = this.#deps.discord;
    return directory.guilds().flatMap(({ id }) => (this.#parts.access.mayNameGuild(id) ? [id] : []));
  }
}

/** The search order of channels: by server, as Discord shows them, the newest threads first. */
function compareChannels(a: Channel, b: Channel): number {
  return (
    compareIds(a.guildId ?? a.id, b.guildId ?? b.id) ||
    remoteness(a) - remoteness(b) ||
    a.position - b.position ||
    (a.thread ? compareIds(b.id, a.id) : compareIds(a.id, b.id))
  );
}

/** Channels come before threads, of which there may be thousands, and active threads before archived ones. */
function remoteness({ thread }: Channel): number {
  return thread === null ? 0 : thread.archived ? 2 : 1;
}
