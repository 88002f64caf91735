import { type Audience, barrier, listViewers } from "../../domain/audience.ts";
import type { GuildSource } from "../../domain/guild-audience.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Silence, Silences } from "../../domain/silence.ts";
import { isListed, locateChannel, refusePlace } from "../../policy/apply-rules.ts";
import { OPERATOR_GRANT } from "../../policy/grant.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Directory } from "../../ports/directory.ts";

export interface SilenceDeps {
  readonly directory: Pick<Directory, "channel" | "channels" | "audience" | "canRead">;
  readonly rules: Rules;
  readonly botId: UserId;
}

/** For the operator only: it names channels that the actor may not know. */
export function explainSilence(
  { actor, channelId }: { actor: UserId; channelId: ChannelId },
  deps: SilenceDeps,
): Silences {
  const { directory } = deps;
  const guildId = directory.channel(channelId)?.guildId;
  const destination = directory.audience(channelId);
  const sources = guildId ? directory.channels(guildId).filter(({ kind }) => kind !== "category") : [];
  return {
    viewers: countViewers(destination, null),
    channels: sources.map(({ id }) => ({ channel_id: id, ...reasonFor(id, { actor, channelId, destination }, deps) })),
  };
}

interface Asked {
  readonly actor: UserId;
  readonly channelId: ChannelId;
  readonly destination: Audience;
}

function reasonFor(id: ChannelId, asked: Asked, { directory, rules, botId }: SilenceDeps): Omit<Silence, "channel_id"> {
  const place = locateChannel(directory, id);
  const simple = (reason: Silence["reason"]) => ({ reason, people: null });
  if (!directory.canRead(botId, id)) return simple("bot_cannot_read");
  if (!place || refusePlace({ grant: OPERATOR_GRANT, rules }, place) !== null) return simple("switched_off");
  if (isListed(rules.optOut.channels, place.lineage)) return simple("opted_out");
  if (!directory.canRead(asked.actor, id)) return simple("actor_cannot_read");
  const source = directory.audience(id);
  const found = barrier(source, asked.destination);
  if (!found) return simple("open");
  if (found.kind === "announcement" || found.kind === "age_restricted") return simple(found.kind);
  if (found.kind !== "somebody" || source.kind !== "guild") return simple("elsewhere");
  return {
    reason: id === asked.channelId ? "history" : "people",
    people: countViewers(asked.destination, source),
  };
}

function countViewers(destination: Audience, except: GuildSource | null): number | null {
  if (destination.kind !== "guild" || !destination.membersByRoles) return null;
  return listViewers(destination, except).reduce((sum, { people }) => sum + people, 0);
}
