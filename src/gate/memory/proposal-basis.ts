import type { AudienceRef } from "../../domain/audience.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import { toAudienceSource, toFactId } from "../../domain/memory/fact.ts";
import { areOwnWords } from "../../domain/memory/own-words.ts";
import type { NewBasis, RememberRequest } from "../../domain/memory/remember-request.ts";
import type { Message, MessageRef } from "../../domain/message.ts";
import { toMessageReading } from "../../domain/message.ts";
import { RECORD_KINDS, RECORD_TYPES } from "../../domain/source.ts";
import type { Memory } from "../../memory/memory.ts";
import { isListed, locateChannel } from "../../policy/apply-rules.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Discord } from "../../ports/discord.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import type { Timelines } from "../../ports/timelines.ts";
import { readVersion } from "./check-basis.ts";

export interface ProposalBasisDeps {
  readonly timelines: Pick<Timelines, "message">;
  readonly discord: Pick<Discord, "directory">;
  readonly rules: Pick<Rules, "optOut">;
  readonly memory: Pick<Memory, "openById"> | null;
  readonly records: RecordKinds;
}

const GONE = "Something that was read for this has been deleted; start a new request.";
const UNKNOWN = "Who may hear something that was read for this is not known any more; start a new request.";
const EDITED = "Something that was read for this has been edited; start a new request.";
const NOT_OWN = "Your own words can no longer be shared as they were then; ask for it again.";
const OPTED_OUT =
  "The operator has this channel left out: what is said here is not used, so nothing of it is remembered.";

/**
 * The basis of a proposed fact, whatever the model says: all messages, facts and records shown within the operation, and the audiences of
 * everything that was read. Only the person's own words, repeated word for word, rest on nothing else: `said` is the message in which they
 * were typed. The caller has verified that all of it is unchanged.
 */
export async function findProposalBasis(
  operation: Operation,
  {
    draft,
    said,
  }: {
    readonly draft: Pick<RememberRequest, "name" | "value" | "home" | "subjectId">;
    readonly said: MessageRef | null;
  },
  deps: ProposalBasisDeps,
): Promise<readonly NewBasis[]> {
  const { label, origin, id } = operation;
  const requestRef = origin.messageId && { channelId: origin.channelId, messageId: origin.messageId };
  if (requestRef) mustBeUsed(requestRef.channelId, deps);
  for (const ref of [said, requestRef]) {
    const own = ref && (await findOwnWords(operation, { draft, ref }, deps));
    if (own) return [own];
  }
  const basis = new Map<string, NewBasis>();
  const add = (one: NewBasis) => basis.set(`${one.type} ${one.ref}`, one);
  const addMessage = async ({ channelId, messageId }: MessageRef) => {
    const message = await deps.timelines.message(channelId, messageId);
    if (!message) throw new EarshotError("forbidden", GONE);
    add(toBasis(message));
  };
  // A fact about another person counts that person as an author, who can withdraw it. Earlier facts about the same subject may be
  // superseded and ended.
  const addFact = (ref: string, subjectId: UserId | null) => {
    const authorId = subjectId === draft.subjectId ? null : subjectId;
    add({ type: "memory_fact", ref, isOwn: false, authorId, words: "" });
  };
  const openFact = async (factId: string) => {
    const fact = await deps.memory?.openById(factId);
    if (!fact) throw new EarshotError("forbidden", GONE);
    return fact;
  };
  if (requestRef) {
    const request = await deps.timelines.message(requestRef.channelId, requestRef.messageId);
    // Words of people who opted out are not stored, not even as a hash: then the channel limits the audience.
    add(request ? toBasis(request) : toAudienceBasis({ kind: "channel", id: requestRef.channelId }));
  } else add({ type: "request", ref: id, isOwn: true, authorId: null, words: "" });
  if (said) await addMessage(said);
  for (const source of label.of("message").values()) if (source.isShown) await addMessage(source);
  for (const { factId, version, subjectId, audiences, messages, facts } of label.listFacts().values()) {
    if (audiences === null) throw new EarshotError("unavailable", UNKNOWN);
    addFact(`${factId}@${version}`, subjectId);
    // Includes its sources, because the fact may end before they do.
    for (const ref of facts) addFact(ref, (await openFact(toFactId(ref))).subjectId);
    for (const ref of audiences) add(toAudienceBasis(ref));
    for (const ref of messages) await addMessage(ref);
  }
  for (const { kind, ref, version, subjectId, audiences } of label.records()) {
    if (audiences === null) throw new EarshotError("unavailable", UNKNOWN);
    for (const each of audiences) add(toAudienceBasis(each));
    const authorId = subjectId === draft.subjectId ? null : subjectId;
    if (version !== null) add({ type: RECORD_TYPES[kind], ref, isOwn: false, authorId, words: version });
  }
  const covered = new Set(
    [...basis.values()].flatMap(({ type, ref }) => (type === "discord_message" ? ref.split("/")[0] : [])),
  );
  for (const channelId of label.channels)
    if (!covered.has(channelId)) add(toAudienceBasis({ kind: "channel", id: channelId }));
  for (const { guildId } of label.of("server").values()) add(toAudienceBasis({ kind: "guild", id: guildId }));
  return [...basis.values()];
}

/** Throws `forbidden` unless all messages that a proposed fact rests on are unchanged, and own words may still be shared. */
export async function mustStillStand(
  operation: Operation,
  request: Pick<RememberRequest, "name" | "value" | "home" | "basis">,
  deps: ProposalBasisDeps,
): Promise<void> {
  for (const { type, ref, words, isOwn } of request.basis) {
    const kind = RECORD_KINDS.get(type);
    if (kind) {
      const version = await readVersion({ kind, ref }, deps.records);
      if (version !== words) throw new EarshotError("forbidden", version === null ? GONE : EDITED);
    }
    if (type !== "discord_message") continue;
    const [channelId, messageId] = ref.split("/") as [ChannelId, MessageId];
    const message = await deps.timelines.message(channelId, messageId);
    if (!message) throw new EarshotError("forbidden", GONE);
    if (toMessageReading(message).text !== words) throw new EarshotError("forbidden", EDITED);
    // The channel may have become age-restricted.
    const own = isOwn && (await findOwnWords(operation, { draft: request, ref: { channelId, messageId } }, deps));
    if (own === null) throw new EarshotError("forbidden", NOT_OWN);
  }
}

/** The operator may exclude a channel. Its requests are answered, but not kept. */
export function mustBeUsed(
  channelId: ChannelId,
  { discord, rules }: Pick<ProposalBasisDeps, "discord" | "rules">,
): void {
  const place = locateChannel(discord.directory, channelId);
  if (!place || isListed(rules.optOut.channels, place.lineage)) throw new EarshotError("forbidden", OPTED_OUT);
}

/** Null unless the actor typed the fact there, and may share it with its audience. */
export async function findOwnWords(
  { actor }: Pick<Operation, "actor">,
  { draft, ref }: { readonly draft: Pick<RememberRequest, "name" | "value" | "home">; readonly ref: MessageRef },
  { timelines, discord }: Pick<ProposalBasisDeps, "timelines" | "discord">,
): Promise<NewBasis | null> {
  const { directory } = discord;
  const message = await timelines.message(ref.channelId, ref.messageId);
  if (message?.author.id !== actor || message.author.bot || !areOwnWords(draft, message)) return null;
  const channel = directory.channel(ref.channelId);
  const parent = channel?.thread && channel.parentId ? directory.channel(channel.parentId) : undefined;
  // No permission lifts an age restriction.
  const isRestricted = !channel || channel.ageRestricted || parent?.ageRestricted;
  if (isRestricted && draft.home.kind !== "person") return null;
  return { ...toBasis(message), isOwn: true };
}

export function toBasis(message: Message): NewBasis {
  const { channelId, messageId, authorId, text } = toMessageReading(message);
  return { type: "discord_message", ref: `${channelId}/${messageId}`, isOwn: false, authorId, words: text ?? "" };
}

function toAudienceBasis(audience: AudienceRef): NewBasis {
  return { ...toAudienceSource(audience), authorId: null, words: "" };
}
