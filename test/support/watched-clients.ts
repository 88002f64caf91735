import type { Client } from "../../src/policy/operation.ts";
import type { DiscordEvent } from "../../src/ports/discord.ts";
import { type PlainWorld, placesOf } from "./plain-world.ts";

/** What the operator's rules say of places, on plain lists. */
export interface PlainRules {
  readonly channels?: { readonly deny: readonly string[] };
  readonly guilds?: { readonly deny: readonly string[] };
  readonly optOut?: { readonly channels?: readonly string[]; readonly people?: readonly string[] };
  readonly directMessages?: boolean;
}

/** A channel's own id and its parent's, and the server they are in. */
interface Known {
  readonly guildId: string | null;
  readonly ids: readonly string[];
}

/** Judges, by lists of its own, what clients are told of events. */
export class WatchedClients {
  readonly #world: PlainWorld;
  readonly #rules: PlainRules;
  /** Also what is gone: an event may tell of the end of something. */
  readonly #known = new Map<string, Known>();

  constructor(world: PlainWorld, rules: PlainRules = {}) {
    this.#world = world;
    this.#rules = rules;
    this.#look();
  }

  /** Everything that should not have been told; empty for null, which tells nothing. */
  judge(event: DiscordEvent, { name, grant }: Client, told: { payload: unknown } | null): string[] {
    this.#look();
    if (!told) return [];
    const blame = (problem: string) => [`${name} was told of ${event.type}: ${problem}`];
    const { optOut } = this.#rules;
    if (grant.events === "none") return blame("it hears nothing");
    switch (event.type) {
      case "connection":
        return [];
      case "gap": {
        const { guild_ids } = told.payload as { guild_ids: string[] };
        return guild_ids.every((id) => this.#coversGuild(grant, id)) ? [] : blame(guild_ids.join());
      }
      case "guild":
      case "guild_removed":
        return this.#coversGuild(grant, event.guildId) ? [] : blame(event.guildId);
      default: {
        const id = "message" in event ? event.message.channel_id : event.channelId;
        const isAddressed = event.type === "message" && event.addressed;
        const isOptedOut = "message" in event && optOut?.people?.includes(event.message.author.id) === true;
        if (isOptedOut && !isAddressed && grant.events === "all") return blame("its author opted out");
        if (event.type === "message" && !isAddressed && grant.events !== "all") return blame("nobody addressed it");
        return this.covers(grant, id) ? [] : blame(id);
      }
    }
  }

  /** Whether grant and rules cover a place that exists, or has existed. */
  covers(grant: Client["grant"], id: string): boolean {
    const known = this.#known.get(id);
    if (!known) return false;
    const { guildId, ids } = known;
    if (guildId === null) return grant.directMessages && this.#rules.directMessages !== false;
    const isNamed = (list: readonly string[] | undefined) => ids.some((one) => list?.includes(one));
    const isGranted = grant.channels === "all" || isNamed(grant.channels);
    return isGranted && this.#coversGuild(grant, guildId) && !isNamed(this.#rules.channels?.deny);
  }

  #coversGuild(grant: Client["grant"], id: string): boolean {
    const isGranted = grant.guilds === "all" || grant.guilds.some((one) => one === id);
    return isGranted && this.#rules.guilds?.deny.includes(id) !== true;
  }

  #look(): void {
    for (const { id, guild, channel } of placesOf(this.#world))
      this.#known.set(id, { guildId: guild?.id ?? null, ids: [id, ...(channel ? [channel.id] : [])] });
  }
}
