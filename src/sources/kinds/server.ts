import type { Audience } from "../../domain/audience.ts";
import { type GuildId, toId } from "../../domain/ids.ts";
import type { Kind } from "./kind.ts";

/** A server's name, and that the bot and the actor are members: known to all its members. Once the bot has left the server, its members
 * are unknown. */
export const server: Kind<"server"> = {
  key: ({ guildId }) => guildId,
  limits({ guildId }, { directory }) {
    if (!directory.guild(guildId)) return null;
    const allows = (readers: Audience) =>
      readers.kind === "guild"
        ? readers.place.guild.id === guildId
        : readers.kind === "people" && [...readers.people].every((id) => directory.member(guildId, id));
    return [{ key: `server:${guildId}`, allows }];
  },
  isOwn: ({ guildId }, teller) => guildId === teller.guildId,
  auditTypes: ["discord_guild"],
  restore(ref) {
    const guildId = toId<GuildId>(ref);
    return guildId && { kind: "server", guildId };
  },
};
