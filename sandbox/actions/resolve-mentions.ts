import { PermissionFlagsBits } from "discord-api-types/v10";
import { walkComponents } from "../render/components.ts";
import { type Mentions, mentionsIn } from "../render/mentions.ts";
import type { GuildRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { AllowedMentions, MentionKind } from "./message-draft.ts";

export interface MentionRequest {
  readonly content: string;
  readonly components: readonly unknown[];
  readonly guild: GuildRecord | null;
  /** The permissions of the author in the channel. */
  readonly permissions: bigint;
  readonly allowed: AllowedMentions | undefined;
  readonly repliedTo: MessageRecord | undefined;
}

/** The people and roles that are pinged, limited by permissions and `allowed_mentions`. */
export function resolveMentions(world: World, request: MentionRequest): Mentions & { readonly everyone: boolean } {
  const { guild, allowed, repliedTo } = request;
  const text = [request.content, ...displayedText(request.components)].join("\n");
  const named = mentionsIn(text);
  const mayPingAll = Boolean(request.permissions & PermissionFlagsBits.MentionEveryone) && guild !== null;
  const passes = (kind: MentionKind, id: string) =>
    !allowed || allowed.parse?.includes(kind) || (kind !== "everyone" && allowed[kind]?.includes(id)) || false;

  const users = named.users.filter((id) => world.users.has(id) && passes("users", id));
  const pingsReplied = allowed ? (allowed.repliedUser ?? false) : true;
  if (repliedTo && pingsReplied && !repliedTo.more?.webhook && !users.includes(repliedTo.authorId)) {
    users.push(repliedTo.authorId);
  }
  const roles = named.roles.filter((id) => {
    const role = guild?.roles.get(id);
    return role && (role.mentionable || mayPingAll) && passes("roles", id);
  });
  return { users, roles, everyone: mayPingAll && /@(everyone|here)\b/.test(text) && passes("everyone", "") };
}

function displayedText(components: readonly unknown[]): string[] {
  const texts: string[] = [];
  for (const node of walkComponents(components)) if (typeof node["content"] === "string") texts.push(node["content"]);
  return texts;
}
