import type { ChannelId, GuildId } from "../../domain/ids.ts";
import { singleLine } from "../../domain/text/single-line.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Asker, Choice, Typing } from "../../ports/discord.ts";
import { guildChannels } from "../../tools/guild-channels.ts";
import { guilds } from "../../tools/guilds.ts";
import type { PeopleDesk } from "./people-desk.ts";

export interface SuggestionsDeps {
  readonly desk: PeopleDesk;
  readonly directory: Pick<Directory, "canRead">;
  readonly clock: Clock;
}

interface Place {
  readonly id: ChannelId;
  readonly label: string;
}

/** A list is asked for once, not with every letter. */
const KEPT_MS = 60_000;
const MAX_KEPT = 500;
const MAX_GUILDS = 10;
const MAX_CHOICES = 25;
const MAX_LABEL_LENGTH = 100;

/** Which channels could be meant by what somebody has typed so far. */
export class ChannelSuggestions {
  readonly #deps: SuggestionsDeps;
  readonly #kept = new Map<string, { readonly places: Promise<readonly Place[]>; readonly until: number }>();

  constructor(deps: SuggestionsDeps) {
    this.#deps = deps;
  }

  async answer(typing: Typing): Promise<void> {
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

  async #places(asker: Asker): Promise<readonly Place[]> {
    const { clock } = this.#deps;
    const key = `${asker.userId} ${asker.guildId}`;
    const known = this.#kept.get(key);
    if (known && known.until > clock.now()) return known.places;
    for (const [oldest, { until }] of this.#kept) {
      if (until > clock.now() && this.#kept.size < MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    const places = this.#look(asker);
    this.#kept.set(key, { places, until: clock.now() + KEPT_MS });
    places.catch(() => this.#kept.delete(key));
    return places;
  }

  async #look(asker: Asker): Promise<readonly Place[]> {
    const { desk } = this.#deps;
    const operation = await desk.openPrivately(asker);
    const list = async (id: GuildId, prefix: string): Promise<Place[]> => {
      const { channels } = await desk.call(guildChannels, { guild_id: id }, { operation });
      return channels.map(({ channel_id, name }) => ({ id: channel_id, label: toLabel(`${prefix}#${name}`) }));
    };
    if (asker.guildId !== null) return list(asker.guildId, "");
    const places: Place[] = [];
    const { guilds: shared } = await desk.call(guilds, {}, { operation });
    for (const { guild_id, name } of shared.slice(0, MAX_GUILDS))
      places.push(...(await list(guild_id, `${name.replaceAll("›", ">")} › `)));
    return places;
  }
}

function toLabel(text: string): string {
  const line = singleLine(text);
  return line.length <= MAX_LABEL_LENGTH ? line : `${line.slice(0, MAX_LABEL_LENGTH - 1).toWellFormed()}…`;
}
