import { makeURLSearchParams } from "@discordjs/rest";
import { Routes } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { Discord } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { GuildDirectory } from "./directory.ts";
import type { DiscordOptions } from "./discord-options.ts";
import { fillOverwrites } from "./fill-overwrites.ts";
import { chooseIntents } from "./intents.ts";
import { count, list, type Raw, record, text } from "./read.ts";
import { DiscordRest } from "./rest.ts";
import { hasId, mustBeList, mustBeRecord } from "./rest-answers.ts";
import { isAbsent } from "./rest-errors.ts";

/** Data about a bot and its servers, without a gateway session. */
export interface Overview extends Pick<Discord, "applicationId" | "botId" | "botName" | "limits"> {
  /** The application's redirect addresses for sign-ins; null if the server does not send them. */
  readonly redirects: readonly string[] | null;
  /** Number of sessions that the bot can still start today. */
  readonly sessionsLeft: number;
  /** A snapshot: changes are not received. Without channels that the bot cannot view. */
  readonly directory: Directory;
  /** Whether the channel exists and the bot cannot view it: it is hidden, or in another server. */
  isHidden(channelId: ChannelId): Promise<boolean>;
  close(): void;
}

const GUILDS_PER_PAGE = 200;
const MEMBERS_PER_PAGE = 1_000;
/** Maximum pages read, because each page is a request. */
const MAX_MEMBER_PAGES = 10;

/** Uses REST only, and describes each server to a directory as the gateway would. Throws `unavailable`, `rate_limited` or
 * `misconfigured`. */
export async function lookOn(
  options: DiscordOptions,
  deps: { readonly clock: Clock; readonly log: Log },
): Promise<Overview> {
  const rest = new DiscordRest(options, { ...deps, onTokenChange() {} });
  const get = (route: `/${string}`, query: Record<string, unknown> = {}): Promise<unknown> =>
    rest.rest.ask({}, () => rest.rest.get(route, { query: makeURLSearchParams(query) }));
  try {
    const { id: applicationId, botId, botName, flags, redirects } = await rest.application();
    const { hearsMembers, limits } = chooseIntents(options.features, flags);
    const gateway = record(await get(Routes.gatewayBot()));
    const { countBots = false, omitsOverwrites = false } = options;
    const directory = new GuildDirectory({ botId, clock: deps.clock, ask: rest, hearsMembers, countBots });
    const describeOne = async (guild: Raw) => {
      const id = text(guild["id"]) as GuildId;
      const [facts, channels, active, members] = await Promise.all([
        get(Routes.guild(id), { with_counts: true }).then((raw) => mustBeRecord(raw)),
        get(Routes.guildChannels(id)).then((raw) => mustBeList(raw)),
        get(Routes.guildActiveThreads(id)).then((raw) => list(record(raw)["threads"])),
        hearsMembers ? readPages(MEMBERS_PER_PAGE, MAX_MEMBER_PAGES, readMembers(id)) : null,
      ]);
      const own = members ? [] : [await rest.member(id, botId)];
      const member_count = members?.isAll ? members.all.length : count(facts["approximate_member_count"]);
      const raw = { ...facts, channels, threads: active, members: members?.all ?? own, member_count };
      directory.apply("GUILD_CREATE", omitsOverwrites ? fillOverwrites("GUILD_CREATE", raw) : raw);
      const state = directory.guild(id);
      if (state && members?.isAll) state.membersComplete = true;
    };
    const readMembers = (id: GuildId) => async (after: string) =>
      mustBeList(await get(Routes.guildMembers(id), { limit: MEMBERS_PER_PAGE, after }), (raw) =>
        hasId(record(raw["user"])),
      );
    const guilds = await readPages(GUILDS_PER_PAGE, Number.POSITIVE_INFINITY, async (after) =>
      mustBeList(await get(Routes.userGuilds(), { limit: GUILDS_PER_PAGE, after })),
    );
    await Promise.all(
      guilds.all.map((guild) =>
        describeOne(guild).catch((error: unknown) => {
          if (!(error instanceof EarshotError) || error.code !== "unavailable") throw error;
          // Without its roles, the server counts as unreachable.
          directory.apply("GUILD_CREATE", guild);
        }),
      ),
    );
    directory.setTrusted([0, 1], true);
    const sessionsLeft = count(record(gateway["session_start_limit"])["remaining"]);
    return {
      ...{ applicationId, botId, botName, limits, redirects, sessionsLeft, directory },
      isHidden: (channelId) =>
        get(Routes.channel(channelId)).then(
          () => false,
          (error: unknown) => {
            if (!(error instanceof EarshotError) || error.code !== "not_found") throw error;
            return !isAbsent(error);
          },
        ),
      close: () => rest.close(),
    };
  } catch (error) {
    rest.close();
    throw error;
  }
}

/** Reads lists that are paged by the id of the last item, or of its user. */
async function readPages(
  size: number,
  maxPages: number,
  read: (after: string) => Promise<readonly Raw[]>,
): Promise<{ readonly all: readonly Raw[]; readonly isAll: boolean }> {
  const all: Raw[] = [];
  for (let page = 0, after = "0"; page < maxPages; page += 1) {
    const items = await read(after);
    all.push(...items);
    if (items.length < size) return { all, isAll: true };
    const last = items.at(-1) ?? {};
    after = text(last["id"]) || text(record(last["user"])["id"]);
  }
  return { all, isAll: false };
}
