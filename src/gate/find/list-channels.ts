import type { Channel } from "../../domain/guild.ts";
import { compareIds, type UserId } from "../../domain/ids.ts";
import type { Directory } from "../../ports/directory.ts";
import type { GuildView } from "../../tools/view.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { Finder } from "./finder.ts";

interface ListParts extends ReadParts {
  readonly actor: UserId;
  finder(): Finder;
}

/** The servers that may be named here. */
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
  directory: Pick<Directory, "channels" | "learn">,
): Promise<readonly Channel[]> {
  await access.learnGuilds();
  const guildId = await finder().names.guild(server);
  if (!access.mayNameGuild(guildId)) throw access.absent("There is no such server.");
  const all = directory.channels(guildId).filter(({ kind, thread }) => kind !== "category" && !thread?.archived);
  for (const one of all) if (one.kind === "private_thread") await directory.learn(actor, one.id).catch(() => {});
  const shown = all.filter(({ id }) => access.mayRead(id)).sort(inOrder);
  for (const { id } of shown) {
    const { channel, decisionId } = access.mustRead(id);
    record.named(channel, decisionId);
  }
  return shown;
}

/** As Discord shows them. */
function inOrder(a: Channel, b: Channel): number {
  return a.position - b.position || compareIds(a.id, b.id);
}
