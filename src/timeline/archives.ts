import type { ChannelId, GuildId } from "../domain/ids.ts";
import { SingleFlight } from "../domain/single-flight.ts";
import type { Discord } from "../ports/discord.ts";

/** Without this port, no archives are listed. */
export type ArchivePort = Partial<Pick<Discord, "archive">>;

interface Listing {
  readonly guildId: GuildId | null;
  readonly pages: number;
  /** The cursor of the next page; null at the beginning, and at the end. */
  readonly next: string | null;
  readonly isListed: boolean;
  /** There is more, but listing stops here. */
  readonly isCut: boolean;
}

/** Per channel: 2,000 threads. */
const MAX_PAGES = 20;

/**
 * The progress of listing each channel's archive. Discord announces active threads only, so an archive is unknown until it was listed. From
 * then on events keep the list current, until some may have been missed.
 */
export class Archives {
  readonly #discord: ArchivePort;
  readonly #listings = new Map<ChannelId, Listing>();
  readonly #flights = new SingleFlight<ChannelId, void>();
  /** Incremented when lists become invalid. */
  #epoch = 0;

  constructor(discord: ArchivePort) {
    this.#discord = discord;
  }

  /** All archived threads of the channel are known. */
  isListed(channelId: ChannelId): boolean {
    return !this.#discord.archive || this.#listings.get(channelId)?.isListed === true;
  }

  isOpen(channelId: ChannelId): boolean {
    return !this.isListed(channelId) && this.#listings.get(channelId)?.isCut !== true;
  }

  /** Nothing of it has been listed yet. */
  isUntouched(channelId: ChannelId): boolean {
    return !this.isListed(channelId) && !this.#listings.has(channelId);
  }

  /** Lists one more page. Concurrent callers share it. Throws as `Discord.archive` does. */
  async list(channelId: ChannelId, guildId: GuildId | null, signal?: AbortSignal): Promise<void> {
    if (this.isOpen(channelId))
      await this.#flights.run(channelId, (each) => this.#fly(channelId, guildId, each), signal);
  }

  /** The lists of these guilds may be incomplete. */
  forget(guildIds: readonly (GuildId | null)[]): void {
    this.#epoch += 1;
    for (const [id, { guildId }] of this.#listings) if (guildIds.includes(guildId)) this.#listings.delete(id);
  }

  forgetChannel(channelId: ChannelId): void {
    this.#epoch += 1;
    this.#listings.delete(channelId);
  }

  close(): void {
    this.#flights.close();
  }

  async #fly(channelId: ChannelId, guildId: GuildId | null, signal: AbortSignal): Promise<void> {
    const epoch = this.#epoch;
    const before = this.#listings.get(channelId);
    const page = await this.#discord.archive?.(channelId, before?.next ?? null, signal);
    if (!page || epoch !== this.#epoch) return;
    const pages = (before?.pages ?? 0) + 1;
    const isCut = !page.isLast && (page.next === null || pages >= MAX_PAGES);
    this.#listings.set(channelId, { guildId, pages, next: page.next, isListed: page.isLast, isCut });
  }
}
