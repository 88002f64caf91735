import type { Channel } from "../../domain/guild.ts";
import { compareIds, type UserId } from "../../domain/ids.ts";
import type { Directory } from "../../ports/directory.ts";
import type { GuildView } from "../../tools/view.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { Finder } from "./finder.ts";
import { learnPrivateThreads } from "./learn-private-threads.ts";

interface ListParts extends ReadParts {
  readonly actor: UserId;
  finder(): Finder;
}

/** Discord's limit of active threads per server. */
const MAX_ACTIVE_THREADS = 1_000;

export async function listGuilds(
  { access, record }: ReadParts,
  directory: Pick<Directory, "guilds">,
): Promise<readonly GuildView[]> {
  await access.learnGuilds();
  const shared = directory.guilds().filter(({ id }) => access.mayNameGuild(id));
  for (const { id, name } of shared) record.namedGuild(id, name);
  return shared.map(({ id, name }) => ({ id, name })).sort((a, b) => compareIds(a.id, b.id));
}

/** Channels and active threads of a server, as far as they may be read here. */
export async function listChannels(
  server: string | undefined,
  { actor, access, record, finder }: ListParts,
  directory: Pick<Directory, "channels" | "audience" | "learn">,
): Promise<readonly Channel[]> {
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

/** In Discord's display order. */
function inOrder(a: Channel, b: Channel): number {
  return a.position - b.position || compareIds(a.id, b.id);
}
