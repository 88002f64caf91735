import { type ChannelId, type MessageId, toId } from "../../domain/ids.ts";
import { isLive } from "../../domain/message.ts";
import type { Source } from "../../domain/source.ts";
import { toMessageSource } from "../../ports/stored-source.ts";
import { limitsOfTalk } from "./channel.ts";
import type { Kind } from "./kind.ts";

/** Shared to save memory: a label can have hundreds of sources, and labels are kept for a day with people's questions. */
export const NO_TEXTS: ReadonlySet<string> = new Set();

/** All versions of a message that were read. */
export function textsOf({ texts = NO_TEXTS, text }: Pick<Source<"message">, "texts" | "text">): ReadonlySet<string> {
  return text === null || texts.has(text) ? texts : new Set([...texts, text]);
}

/** A message. Its channel is a separate `told` source. One that was examined but not shown only limits the audience. */
export const message: Kind<"message"> = {
  key: ({ messageId }) => messageId,
  keep(now, before) {
    const known = before?.texts ?? NO_TEXTS;
    const texts = !before || before.text === now.text ? known : textsOf({ texts: textsOf(before), text: now.text });
    return { ...now, texts, isShown: before?.isShown === true || now.isShown !== false };
  },
  limitedAs: ({ channelId, messageId }, moment) => (isLive(messageId, moment) ? channelId : `${channelId} whole`),
  limits({ channelId, messageId }, { directory, watch }, moment) {
    if (!directory.canRead(watch.botId, channelId)) return [];
    return limitsOfTalk(channelId, isLive(messageId, moment) ? "live" : "whole", { directory });
  },
  subjects: ({ authorId }) => [{ subjectId: authorId, guildId: null }],
  messages: (source) => (source.isShown ? [source] : []),
  state(source, { watch, directory }) {
    if (!source.isShown) return "standing";
    // Messages of people who are left out count as never written.
    if (watch.isDeleted(source) || (source.authorId !== null && watch.isLeftOut(source.authorId))) return "deleted";
    if (watch.isChanged(source)) return "changed";
    return watch.isDoubtful(source, directory) ? "uncertain" : "standing";
  },
  isOwn: ({ channelId, authorId }, { actor, isOwnDm, isTellable }) =>
    isOwnDm(channelId) ? authorId === actor : isTellable(channelId),
  cite: (source) => toMessageSource(source, source.authorId),
  auditTypes: ["discord_message"],
  restore(ref) {
    const [channelId, messageId] = [toId<ChannelId>(ref.split("/")[0]), toId<MessageId>(ref.split(/[/@]/)[1])];
    return channelId && messageId && { kind: "message", channelId, messageId, authorId: null, text: null };
  },
};
