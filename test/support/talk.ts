import { sampleCommunity } from "../../sandbox/index.ts";
import { type Message, messageSchema, toTypedParts } from "../../src/domain/message.ts";
import { createDisplayNames, type DisplayNames } from "../../src/domain/names/resolve-name.ts";
import { escapeName } from "../../src/domain/text/escape.ts";
import type { MentionNames } from "../../src/domain/text/replace-mentions.ts";

export const TALK_NOW = Date.parse("2026-07-18T18:00:00.000Z");
export const NOBODY: MentionNames = { user: () => undefined, channel: () => undefined, role: () => undefined };

/** The names of one rendering, without anybody to mention. */
export function someNames(names: MentionNames = NOBODY): { names: MentionNames; displayNames: DisplayNames } {
  return { names, displayNames: createDisplayNames({ agent: null, escape: (name) => escapeName(name, null) }) };
}

export interface Line {
  readonly by: string;
  readonly text: string;
  readonly minutesAgo: number;
  /** Which of the lines it replies to, counted from 0. */
  readonly replyTo?: number;
  readonly bot?: boolean;
  readonly kind?: Message["kind"];
  readonly files?: readonly string[];
}

/** Messages of one channel, oldest first, as they would come from Discord. */
export function talk(lines: readonly Line[]): Message[] {
  const ids = lines.map(({ minutesAgo }, index) => idAt(minutesAgo, index));
  const people = [...new Set(lines.map(({ by }) => by))];
  return lines.map(({ by, text, minutesAgo, replyTo, bot = false, kind, files = [] }, index) =>
    messageSchema.parse({
      message_id: ids[index],
      channel_id: "7",
      guild_id: "1",
      thread_id: null,
      link: `https://discord.com/channels/1/7/${ids[index]}`,
      author: { id: String(1000 + people.indexOf(by)), name: by, bot },
      ts: new Date(TALK_NOW - minutesAgo * 60_000).toISOString(),
      edited_ts: null,
      kind: kind ?? (replyTo === undefined ? "text" : "reply"),
      content: text,
      parts:
        kind === "system" ? [{ kind: text.startsWith("Poll closed: ") ? "poll" : "notice", text }] : toTypedParts(text),
      reply_to: replyTo === undefined ? null : { message_id: ids[replyTo], state: "known" },
      attachments: files.map((filename) => ({
        ...{ id: "1", url: "https://cdn.discordapp.com/x", filename, content_type: null },
        ...{ size: 1, width: null, height: null },
      })),
    }),
  );
}

/** What was said in a channel of the sample community, as plain messages, always at the same time. */
export function sampleTalk(place: string): Message[] {
  const { people, posts } = sampleCommunity();
  const called = new Map(
    people.map(({ key, nick, displayName, username, bot = false }) => {
      return [key, { by: nick ?? displayName ?? username, bot }];
    }),
  );
  const here = [...posts].filter((post) => post.in === place && !post.deleted);
  return talk(
    here.map(({ by, text = "", edit, replyTo, minutesAgo, system, attachments = [] }) => {
      const parent = replyTo === undefined ? -1 : here.findIndex(({ key }) => key === replyTo);
      return {
        ...(called.get(by) ?? { by, bot: false }),
        text: edit?.text ?? text,
        minutesAgo,
        ...(parent >= 0 && { replyTo: parent }),
        ...(system && { kind: "system" as const }),
        files: attachments.map(({ filename }) => filename),
      };
    }),
  );
}

function idAt(minutesAgo: number, index: number): string {
  return String(((BigInt(Math.round(TALK_NOW - minutesAgo * 60_000)) - 1_420_070_400_000n) << 22n) + BigInt(index));
}
