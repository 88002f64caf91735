import type { ChannelId, GuildId, RoleId, UserId } from "./ids.ts";

/** For whom a fact is meant: a person, the members of a server, or those who can read a channel. */
export type FactHome =
  | { readonly kind: "person"; readonly id: UserId }
  | { readonly kind: "guild"; readonly id: GuildId }
  | { readonly kind: "channel"; readonly id: ChannelId };

/** One of those to whom a fact or a record is limited; also the members of a server who have a role. */
export type AudienceRef = FactHome | { readonly kind: "role"; readonly guildId: GuildId; readonly id: RoleId };

/** Equal for equal ones. */
export function toAudienceKey(ref: AudienceRef): string {
  return ref.kind === "role" ? `role:${ref.guildId}/${ref.id}` : `${ref.kind}:${ref.id}`;
}

/** Each once, in the order in which they first come. */
export function listAudiences(
  sources: Iterable<{ readonly audiences: readonly AudienceRef[] | null }>,
): readonly AudienceRef[] {
  const refs = new Map<string, AudienceRef>();
  for (const { audiences } of sources) for (const ref of audiences ?? []) refs.set(toAudienceKey(ref), ref);
  return [...refs.values()];
}
