import type { Client } from "../../src/policy/operation.ts";
import type { DiscordEvent } from "../../src/ports/discord.ts";
import { type PlainPlace, type PlainWorld, placeOf, placesOf } from "./plain-world.ts";

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
        return guild_ids.every((id) => coversGuild(grant, this.#rules, id)) ? [] : blame(guild_ids.join());
      }
      case "guild":
      case "guild_removed":
        return coversGuild(grant, this.#rules, event.guildId) ? [] : blame(event.guildId);
      default: {
        const id = "message" in event ? event.message.channel_id : event.channelId;
        const isAddressed = event.type === "message" && event.addressed;
        const isPersonOut = "message" in event && optOut?.people?.includes(event.message.author.id) === true;
        const isPlaceOut = this.#known.get(id)?.ids.some((one) => optOut?.channels?.includes(one)) === true;
        const isOptedOut = isPersonOut || (isPlaceOut && "message" in event);
        if (isOptedOut && !isAddressed && grant.events === "all")
          return blame("its author or its channel has opted out");
        if (event.type === "message" && !isAddressed && grant.events !== "all") return blame("nobody addressed it");
        return this.#covers(grant, id) ? [] : blame(id);
      }
    }
  }

  #covers(grant: Client["grant"], id: string): boolean {
    const known = this.#known.get(id);
    return known !== undefined && coversPlace(grant, this.#rules, known);
  }

  #look(): void {
    for (const place of placesOf(this.#world)) this.#known.set(place.id, toKnown(place));
  }
}

function toKnown({ id, guild, channel }: PlainPlace): Known {
  return { guildId: guild?.id ?? null, ids: [id, ...(channel ? [channel.id] : [])] };
}

/** Whether grant and rules cover a place, or a server, that is there. */
export function covers(grant: Client["grant"], rules: PlainRules, { world, id }: { world: PlainWorld; id: string }) {
  const place = placeOf(world, id);
  if (place) return coversPlace(grant, rules, toKnown(place));
  return world.guilds.some((guild) => guild.id === id) && coversGuild(grant, rules, id);
}

function coversPlace(grant: Client["grant"], rules: PlainRules, { guildId, ids }: Known): boolean {
  if (guildId === null) return grant.directMessages && rules.directMessages !== false;
  const isNamed = (list: readonly string[] | undefined) => ids.some((one) => list?.includes(one));
  const isGranted = grant.channels === "all" || isNamed(grant.channels);
  return isGranted && coversGuild(grant, rules, guildId) && !isNamed(rules.channels?.deny);
}

function coversGuild(grant: Client["grant"], rules: PlainRules, id: string): boolean {
  const isGranted = grant.guilds === "all" || grant.guilds.some((one) => one === id);
  return isGranted && rules.guilds?.deny.includes(id) !== true;
}
