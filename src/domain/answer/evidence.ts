import { type ChannelId, compareIds, type MessageId, type UserId } from "../ids.ts";
import type { Message } from "../message.ts";
import { Echoes } from "./echoes.ts";
import { tidyQuestion } from "./question-text.ts";
import { isQuestion, joinShort, toSentences } from "./sentences.ts";
import { stemsOf } from "./topic.ts";

/** A message that was found, or stands beside one that was. */
export interface Evidence {
  readonly message: Message;
  /** Null in direct messages. */
  readonly place: string | null;
  /** Its place among the hits, from 0; null for what stands beside one. */
  readonly rank: number | null;
  readonly sentences: readonly string[];
  readonly stems: ReadonlySet<string>;
  /** Of what it states, and the names of its files. */
  readonly statedStems: ReadonlySet<string>;
  /** Of what it asks; null when it asks nothing. */
  readonly askedStems: ReadonlySet<string> | null;
  readonly placeStems: ReadonlySet<string>;
  readonly authorStems: ReadonlySet<string>;
  /** It only asks. */
  readonly asks: boolean;
  /** The message that it answers, if that was found too, or else what was said right before it. */
  readonly parent: Evidence | null;
  readonly isReply: boolean;
  /** Messages of others shortly before it that ask something, and what a thread began with, if that asks. */
  readonly asked: readonly Evidence[];
  /** What was said within a few messages of it. */
  readonly near: readonly Evidence[];
}

export interface FoundHit {
  readonly message: Message;
  readonly channel: { readonly name: string | null };
  /** The question put to the agent that it answers. */
  readonly question?: Message | null;
  readonly around: readonly Message[];
}

/** What can never be evidence. */
export interface Unwanted {
  readonly agent: { readonly id: UserId; readonly name: string };
  readonly messageId: MessageId | null;
  readonly text: string;
}

type MutableEvidence = { -readonly [Key in keyof Evidence]: Evidence[Key] };

const NEAR_MS = 10 * 60_000;
/** A thread is about one thing. */
const NEAR_IN_THREAD_MS = 7 * 86_400_000;
const MAX_NEAR = 3;

/** All messages of a search, each once, in the order of time within its channel. Questions put to the agent are there for what answers them. */
export function toEvidence(hits: readonly FoundHit[], unwanted: Unwanted): Evidence[] {
  const all = new Map<MessageId, MutableEvidence>();
  const judge = new EvidenceJudge(unwanted);
  const call = new RegExp(`<@!?${unwanted.agent.id}>[,:]?\\s*`, "gu");
  for (const { message, around } of hits) for (const one of [message, ...around]) judge.see(one);
  const add = (message: Message, place: string | null, rank: number | null) => {
    const known = all.get(message.message_id);
    if (known) known.rank ??= rank;
    else if (judge.isEvidence(message)) all.set(message.message_id, toDraft(message, { place, rank, call }));
  };
  const questions = new Map<MessageId, MutableEvidence>();
  for (const [rank, { message, channel, question, around }] of hits.entries()) {
    add(message, channel.name, rank);
    for (const beside of around) add(beside, channel.name, null);
    if (!question || !all.has(message.message_id)) continue;
    const asked = all.get(question.message_id) ?? toAsked(toDraft(question, { place: channel.name, rank: null, call }));
    all.set(question.message_id, asked);
    questions.set(message.message_id, asked);
  }
  const drafts = [...all.values()];
  for (const channel of Map.groupBy(drafts, ({ message }) => message.channel_id).values())
    link(channel.sort((a, b) => compareIds(a.message.message_id, b.message.message_id)));
  for (const [id, question] of questions) Object.assign(all.get(id) ?? {}, { parent: question });
  return drafts;
}

/** Decides which of the messages that were read can be quoted: no echo, and neither the question nor a copy of it. */
export class EvidenceJudge {
  readonly #unwanted: Unwanted;
  readonly #asked: string;
  readonly #echoes = new Map<ChannelId, Echoes>();

  constructor(unwanted: Unwanted) {
    this.#unwanted = unwanted;
    this.#asked = tidyQuestion(unwanted.text, unwanted.agent).toLowerCase();
  }

  /** What was read besides tells which messages are echoes. */
  see(message: Message): void {
    const { channel_id } = message;
    const known = this.#echoes.get(channel_id) ?? Echoes.among([], this.#unwanted.agent.id);
    this.#echoes.set(channel_id, known);
    known.change([], [message]);
  }

  isEvidence({ content, kind, message_id, channel_id }: Message): boolean {
    const { messageId, agent } = this.#unwanted;
    if (message_id === messageId || kind === "system") return false;
    if (this.#echoes.get(channel_id)?.has(BigInt(message_id))) return false;
    return this.#asked === "" || tidyQuestion(content, agent).toLowerCase() !== this.#asked;
  }
}

/** Something that was asked, whatever its form: it is never quoted, and what replies to it answers it. */
function toAsked(draft: MutableEvidence): MutableEvidence {
  return { ...draft, asks: true, askedStems: draft.stems };
}

/** `call`: how the agent is addressed, which says nothing. */
function toDraft(
  message: Message,
  { place, rank, call }: Pick<Evidence, "place" | "rank"> & { readonly call: RegExp },
): MutableEvidence {
  // What is forwarded was said by somebody else.
  const own = message.parts.filter(({ kind }) => kind !== "forward").map(({ text }) => text);
  const split = toSentences(own.join("\n").replaceAll(call, ""));
  const files = message.attachments.map(({ filename }) => filename.replaceAll(/[_.-]+/gu, " "));
  const [asked, stated] = [split.filter(isQuestion), split.filter((sentence) => !isQuestion(sentence))];
  return {
    message,
    place,
    rank,
    sentences: joinShort(split),
    stems: stemsOf([message.content.replaceAll(call, ""), ...files].join(" ")),
    statedStems: stemsOf([...stated, ...files].join(" ")),
    askedStems: asked.length === 0 ? null : stemsOf(asked.join(" ")),
    placeStems: stemsOf(place?.replaceAll("-", " ") ?? ""),
    authorStems: stemsOf(message.author.name),
    asks: asked.length > 0 && stated.length === 0,
    parent: null,
    isReply: message.reply_to !== null,
    asked: [],
    near: [],
  };
}

function link(drafts: readonly MutableEvidence[]): void {
  const byId = new Map(drafts.map((draft) => [draft.message.message_id, draft]));
  for (const [index, draft] of drafts.entries()) {
    const time = Date.parse(draft.message.ts);
    const nearMs = draft.message.thread_id === null ? NEAR_MS : NEAR_IN_THREAD_MS;
    const isNear = (other: MutableEvidence) =>
      other !== draft && Math.abs(Date.parse(other.message.ts) - time) < nearMs;
    draft.near = drafts.slice(Math.max(0, index - MAX_NEAR), index + MAX_NEAR + 1).filter(isNear);
    const replied = draft.message.reply_to && byId.get(draft.message.reply_to.message_id);
    const before = drafts
      .slice(Math.max(0, index - MAX_NEAR), index)
      .findLast((other) => isNear(other) && other.message.author.id !== draft.message.author.id);
    draft.parent = replied ?? (draft.isReply ? null : (before ?? null));
    draft.asked = drafts
      .slice(Math.max(0, index - MAX_NEAR), index)
      .concat(byId.get((draft.message.thread_id as MessageId | null) ?? ("" as MessageId)) ?? [])
      .filter(
        (other) => isNear(other) && other.askedStems !== null && other.message.author.id !== draft.message.author.id,
      );
  }
}
