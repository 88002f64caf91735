import { MessageType } from "discord-api-types/v10";
import type { MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";

export interface Mentions {
  readonly users: readonly string[];
  readonly roles: readonly string[];
}

const NOBODY: Mentions = { users: [], roles: [] };

/** Blocks and spans of code. Their content is shown as it was typed. */
const CODE = /```[\s\S]+?```|(?<!`)(`{1,2})(?!`)[\s\S]+?(?<!`)\1(?!`)/g;

/** The mention tokens of a text, each once, in order of appearance. Mentions in code do not count. */
export function mentionsIn(text: string): Mentions {
  if (!text.includes("<@")) return NOBODY;
  const users = new Set<string>();
  const roles = new Set<string>();
  for (const [, sigil, id] of text.replaceAll(CODE, " ").matchAll(/<@([!&]?)(\d{15,20})>/g)) {
    if (id !== undefined) (sigil === "&" ? roles : users).add(id);
  }
  return { users: [...users], roles: [...roles] };
}

/** The mentions of a message: those recorded when it was sent, otherwise those in the content and the author it replies to. */
export function mentionsOf(world: World, message: MessageRecord): Mentions {
  if (message.more?.mentions) return message.more.mentions;
  const named = mentionsIn(message.content);
  const users = named.users.filter((id) => world.users.has(id));
  const reference = message.type === MessageType.Reply ? message.more?.reference : undefined;
  const repliedTo = reference?.messageId && world.channels.get(reference.channelId)?.messages.get(reference.messageId);
  if (repliedTo && !repliedTo.more?.webhook && !users.includes(repliedTo.authorId)) users.push(repliedTo.authorId);
  const guild = world.guilds.get(world.channels.get(message.channelId)?.guildId ?? "");
  return { users, roles: named.roles.filter((id) => guild?.roles.has(id)) };
}
