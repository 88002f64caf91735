import type { Directory } from "../../ports/directory.ts";
import type { FactStore } from "../../ports/fact-store.ts";
import type { ChannelCoverage, Timelines } from "../../ports/timelines.ts";

/** Counts of cached messages per channel, and of shared facts per server. No text; private conversations only as sums. */
export interface HeldOverview {
  readonly servers: readonly {
    readonly name: string;
    readonly sharedFacts: number;
    /** Ordered by the number of messages, largest first. */
    readonly channels: readonly (Pick<ChannelCoverage, "messages" | "intervals"> & {
      readonly id: string;
      readonly name: string;
    })[];
  }[];
  readonly unnamed: { readonly channels: number; readonly messages: number };
}

export interface CoverageDeps {
  readonly timelines: Pick<Timelines, "held">;
  readonly directory: Pick<Directory, "guilds" | "channel">;
  readonly facts: Pick<FactStore, "count">;
}

export async function listCoverage({ timelines, directory, facts }: CoverageDeps): Promise<HeldOverview> {
  const held = timelines.held().map((one) => ({ ...one, channel: directory.channel(one.channelId) }));
  const isUnnamed = ({ isPrivate, channel }: (typeof held)[number]) => isPrivate || !channel?.guildId;
  const servers = directory.guilds().map(async ({ id, name }) => ({
    name,
    // Private facts belong to no server.
    sharedFacts: await facts.count({ guildId: id }),
    channels: held
      .filter((one) => !isUnnamed(one) && one.channel?.guildId === id)
      .map(({ channelId, messages, intervals, channel }) => ({
        ...{ id: channelId, name: channel?.name ?? channelId, messages, intervals },
      }))
      .sort((one, other) => other.messages - one.messages),
  }));
  const unnamed = held.filter(isUnnamed);
  return {
    servers: await Promise.all(servers),
    unnamed: { channels: unnamed.length, messages: unnamed.reduce((sum, { messages }) => sum + messages, 0) },
  };
}
