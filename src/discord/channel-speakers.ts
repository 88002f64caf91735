import { BoundedMap } from "../domain/bounded-map.ts";
import type { ChannelId, UserId } from "../domain/ids.ts";
import type { Person } from "../ports/directory.ts";

export interface SpeakerFacts {
  readonly id: UserId;
  /** Only gateway events contain it. */
  readonly nick: string | null;
  readonly globalName: string | null;
  readonly username: string | null;
  readonly bot: boolean;
}

const MAX_SPEAKERS_PER_CHANNEL = 300;

/** The known speakers of each channel, for servers without a complete member list. Per channel, because only readers of a channel may
 * know who writes in it. */
export class ChannelSpeakers {
  /** Per channel, evicts the person who has been silent for longest. */
  readonly #channels = new Map<ChannelId, BoundedMap<UserId, SpeakerFacts>>();

  note(channelId: ChannelId, facts: SpeakerFacts): void {
    const speakers =
      this.#channels.get(channelId) ?? new BoundedMap<UserId, SpeakerFacts>({ maxEntries: MAX_SPEAKERS_PER_CHANNEL });
    const nick = facts.nick ?? speakers.get(facts.id)?.nick ?? null;
    speakers.set(facts.id, { ...facts, nick });
    this.#channels.set(channelId, speakers);
  }

  /** The nickname that the person last used in this channel. */
  nickOf(channelId: ChannelId, userId: UserId): string | undefined {
    return this.#channels.get(channelId)?.get(userId)?.nick ?? undefined;
  }

  of(channelId: ChannelId): Person[] {
    return [...(this.#channels.get(channelId)?.values() ?? [])].map(({ id, nick, globalName, username, bot }) => ({
      id,
      names: [nick, globalName, username].filter((name) => name !== null),
      bot,
    }));
  }

  forgetPerson(userId: UserId): void {
    for (const speakers of this.#channels.values()) speakers.delete(userId);
  }

  forget(channelId: ChannelId): void {
    this.#channels.delete(channelId);
  }
}
