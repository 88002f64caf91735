import { quoteName } from "./escape.ts";

export interface MentionNames {
  user(id: string): string | undefined;
  channel(id: string): string | undefined;
  role(id: string): string | undefined;
}

/** Mentions of people, channels and roles, and custom emoji. */
const TOKEN = /<(@!?|#|@&)(\d{1,20})>|<a?:(\w{1,40}):\d{1,20}>/g;

/**
 * Replaces mention tokens by names that the reader may know: `@Sarah`, `@"Sarah, the captain"`. In one pass: a name that itself looks like a
 * mention is not replaced again.
 */
export function replaceMentions(content: string, names: MentionNames): string {
  return content.replace(TOKEN, (token, sign: string | undefined, id: string, emoji: string | undefined) => {
    if (sign === undefined) return `:${emoji}:`;
    const name = sign === "#" ? names.channel(id) : sign === "@&" ? names.role(id) : names.user(id);
    return name === undefined ? token : `${sign.charAt(0)}${quoteName(name)}`;
  });
}
