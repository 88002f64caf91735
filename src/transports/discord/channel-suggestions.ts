import { BoundedMap } from "../../domain/bounded-map.ts";
import type { ChannelId, GuildId } from "../../domain/ids.ts";
import { SingleFlight } from "../../domain/single-flight.ts";
import { singleLine } from "../../domain/text/escape.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Choice, Invocation, Typing } from "../../ports/discord.ts";
import { guildChannels } from "../../tools/guild-channels.ts";
import { guilds } from "../../tools/guilds.ts";
import type { CommandCalls } from "./command-calls.ts";

export interface SuggestionsDeps {
  readonly calls: CommandCalls;
  readonly directory: Pick<Directory, "canRead">;
  readonly clock: Clock;
}

interface Place {
  readonly id: ChannelId;
  readonly label: string;
}

/** Cached, so that the list is not read on every typed letter. */
const TTL_MS = 60_000;
const MAX_CACHED = 500;
const MAX_GUILDS = 10;
const MAX_CHOICES = 25;
const MAX_LABEL_LENGTH = 100;

export class ChannelSuggestions {
  readonly #deps: SuggestionsDeps;
  readonly #cache: BoundedMap<string, readonly Place[]>;
  readonly #lookups = new SingleFlight<string, readonly Place[]>();

  constructor(deps: SuggestionsDeps) {
    this.#deps = deps;
    this.#cache = new BoundedMap({ maxEntries: MAX_CACHED, ttlMs: TTL_MS, clock: deps.clock });
  }

  async suggest(typing: Typing): Promise<void> {
    let choices: readonly Choice[] = [];
    try {
      const typed = typing.typed.replace(/^[#\s]+/, "").toLowerCase();
      choices = (await this.#places(typing))
        .filter(({ label }) => label.toLowerCase().includes(typed))
        .filter(({ id }) => this.#deps.directory.canRead(typing.userId, id))
        .slice(0, MAX_CHOICES)
        .map(({ id, label }) => ({ label, value: id }));
    } finally {
      await typing.suggest(choices);
    }
  }

  async #places(invocation: Invocation): Promise<readonly Place[]> {
    const key = `${invocation.userId} ${invocation.guildId}`;
    const known = this.#cache.get(key);
    if (known) return known;
    return this.#lookups.run(key, async () => {
      const places = await this.#look(invocation);
      this.#cache.set(key, places);
      return places;
    });
  }

  async #look(invocation: Invocation): Promise<readonly Place[]> {
    const { calls } = this.#deps;
    const operation = await calls.openPrivately(invocation);
    const list = async (id: GuildId, prefix: string): Promise<Place[]> => {
      const { channels } = await calls.call(guildChannels, { server: id }, { operation });
      return channels.map(({ channel_id, name }) => ({ id: channel_id, label: toLabel(`${prefix}#${name}`) }));
    };
    if (invocation.guildId !== null) return list(invocation.guildId, "");
    const places: Place[] = [];
    const { guilds: shared } = await calls.call(guilds, {}, { operation });
    for (const { guild_id, name } of shared.slice(0, MAX_GUILDS))
      places.push(...(await list(guild_id, `${name.replaceAll("›", ">")} › `)));
    return places;
  }
}

function toLabel(text: string): string {
  const line = singleLine(text);
  return line.length <= MAX_LABEL_LENGTH ? line : `${line.slice(0, MAX_LABEL_LENGTH - 1).toWellFormed()}…`;
}
