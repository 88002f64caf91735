import type { ChannelId, GuildId, MessageId, UserId } from "../../domain/ids.ts";
import { type FactBasis, toFactId } from "../../domain/memory/fact.ts";
import type { FactRecord, MemoryExport } from "../../domain/rpc/memory-methods.ts";
import { toMessageLink } from "../../domain/text/message-link.ts";
import type { DormantReason, FactUse, ListedFact, OwnFact } from "../../gate/memory/own-facts.ts";
import type { OwnTalk } from "../../gate/memory/own-talks.ts";
import type { Directory } from "../../ports/directory.ts";

export interface RecordContext {
  readonly person: UserId;
  readonly directory: Pick<Directory, "channel" | "canRead" | "member" | "web">;
}

export const DORMANT: Readonly<Record<NonNullable<DormantReason>, string>> = {
  source_out_of_reach: "Not in use: you or the bot can no longer read what it rests on.",
  restored: "Only you hear it until you confirm it again: it comes from a backup.",
  source_edited: "Only you hear it: a message that it rests on was edited.",
  source_uncertain: "Not in use at the moment: what it rests on has to be read again first.",
  left_out: "Not in use: you are left out, by your own wish or the operator's.",
  source_deleted: "Not in use: something that it rests on was deleted.",
  left_server: "Not in use: you have left the server with which it is shared.",
};

/** All facts about a person, and their talks with the agent. Sources are given as links or ids, without their text. */
export function toMemoryExport(
  { facts, talks }: { readonly facts: readonly ListedFact[]; readonly talks: readonly OwnTalk[] },
  at: number,
  context: RecordContext,
): MemoryExport {
  const records = facts.map((one) => toFactRecord(one, context));
  const talkRecords = talks.map((talk) => toTalkRecord(talk, context));
  return { person_id: context.person, exported_at: toIso(at), facts: records, talks: talkRecords };
}

function toTalkRecord({ channelId, guildId, startedAt, lastAt, lines }: OwnTalk, { person, directory }: RecordContext) {
  const isReadable = directory.canRead(person, channelId);
  return {
    channel_id: channelId,
    server_id: guildId,
    started_at: toIso(startedAt),
    last_at: toIso(lastAt),
    messages: lines.map(({ messageId, authorId, sentAt }) => ({
      ref: isReadable ? toMessageLink({ guildId, channelId, messageId }, directory.web) : `${channelId}/${messageId}`,
      by: authorId === person ? ("person" as const) : ("agent" as const),
      sent_at: toIso(sentAt),
    })),
  };
}

export function toFactRecord(own: ListedFact, context: RecordContext): FactRecord {
  const { fact, dormant, isReadable, use } = own;
  return {
    id: fact.id,
    version: fact.version,
    key: fact.name,
    readable: isReadable,
    value: isReadable ? fact.value : null,
    visibility: fact.visibility,
    audience: fact.home,
    server_id: fact.guildId,
    verification: fact.verification,
    confidence: fact.confidence,
    created_at: toIso(fact.createdAt),
    expires_at: fact.expiresAt === null ? null : toIso(fact.expiresAt),
    replaced: own.isReplaced,
    dormant,
    dormant_text: dormant && DORMANT[dormant],
    used: use && {
      month: use.month,
      places: use.places.map(({ channelId, times }) => ({ channel_id: channelId, times })),
    },
    used_text: use && describeUse(use),
    rests_on: fact.basis.map((basis) => {
      const readable = canReadSource(basis, own, context);
      const link = readable ? toSourceLink(basis, context.directory) : null;
      // The number of another person's version would reveal that there are more.
      const ref = basis.type === "memory_fact" ? toFactId(basis.ref) : basis.ref;
      return { type: basis.type, ref: link ?? ref, own_words: basis.isOwn, readable };
    }),
  };
}

export function describeUse({ month, places }: FactUse): string {
  const times = places.reduce((sum, place) => sum + place.times, 0);
  if (times === 0) return `Not used in ${month}.`;
  return `Used ${toTimes(times)} in ${month}.`;
}

export function toTimes(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en")} times`;
}

/** Null if the source is not a message. */
export function toSourceLink(
  { type, ref }: Pick<FactBasis, "type" | "ref">,
  directory: Pick<Directory, "channel" | "web">,
): string | null {
  if (type !== "discord_message") return null;
  const [channelId, messageId] = ref.split("/") as [ChannelId, MessageId];
  return toMessageLink({ guildId: directory.channel(channelId)?.guildId, channelId, messageId }, directory.web);
}

/** It is unknown which of several messages was deleted, or whose author is left out, so none of them is linked. */
export function canReadSource(
  { type, ref }: FactBasis,
  { dormant, isReadable }: OwnFact,
  { person, directory }: RecordContext,
): boolean {
  const isDoubtful = dormant === "source_deleted" || dormant === "source_uncertain";
  if (!isReadable) return false;
  if (type === "discord_message") return !isDoubtful && directory.canRead(person, toChannelId(ref));
  if (type === "discord_channel") return directory.canRead(person, ref as ChannelId);
  if (type === "discord_role") return directory.member(ref.split("/")[0] as GuildId, person) !== undefined;
  return type !== "discord_guild" || directory.member(ref as GuildId, person) !== undefined;
}

/** The channel id of a message reference, `<channel>/<message>`. */
function toChannelId(ref: string): ChannelId {
  return ref.split("/")[0] as ChannelId;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
