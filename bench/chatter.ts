import type { ChannelId, MessageId, UserId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import { GUILD } from "../test/support/archive.ts";

const EPOCH = 1_420_070_400_000;
const SYLLABLES = "ka ro mi ten sol vu par ner li dos gra fe hum til bo wex cha zan".split(" ");
const STOP_WORDS = "the a to and is i you it of in that for on was we have".split(" ");
const WORDS = 60_000;
/** So many of every ten words say nothing. */
const STOP_SHARE = 4;

export interface Chatter {
  readonly channels: ReadonlyMap<ChannelId, readonly Message[]>;
  /** Few and common words come first. */
  word(rank: number): string;
}

/** Rooms full of made-up talk: few words are common, most are rare, as in any language. The same numbers give the same talk. */
export function makeChatter({ messages, channels }: { messages: number; channels: number }): Chatter {
  const random = seeded(7);
  const rooms = new Map<ChannelId, Message[]>();
  for (let room = 0; room < channels; room += 1) rooms.set(String(10_000 + room) as ChannelId, []);
  const start = Date.now() - messages * 1_000;
  for (let index = 0; index < messages; index += 1) {
    const channelId = String(10_000 + Math.floor(random() * channels)) as ChannelId;
    const room = rooms.get(channelId) ?? [];
    const id = String((BigInt(start + index * 1_000 - EPOCH) << 22n) | BigInt(index % 4096)) as MessageId;
    const length = 3 + Math.floor(random() * random() * 36);
    const content = Array.from({ length }, () => pick(random)).join(" ");
    const replyTo = random() < 0.2 ? room.at(-1 - Math.floor(random() * 5)) : undefined;
    room.push(toMessage({ id, channelId, content, by: Math.floor(random() * 40), replyTo }));
  }
  return { channels: rooms, word: toWord };
}

function toMessage(said: {
  id: MessageId;
  channelId: ChannelId;
  content: string;
  by: number;
  replyTo: Message | undefined;
}): Message {
  return {
    message_id: said.id,
    channel_id: said.channelId,
    guild_id: GUILD,
    thread_id: null,
    link: `https://discord.com/channels/${GUILD}/${said.channelId}/${said.id}`,
    author: { id: String(700 + said.by) as UserId, name: `Person ${toWord(said.by * 97)}`, bot: false },
    ts: new Date(Number(BigInt(said.id) >> 22n) + EPOCH).toISOString(),
    edited_ts: null,
    kind: said.replyTo ? "reply" : "text",
    content: said.content,
    parts: toTypedParts(said.content),
    reply_to: said.replyTo ? { message_id: said.replyTo.message_id, state: "known" } : null,
    attachments: [],
  };
}

/** The word of each rank occurs about as often as its rank is low. */
function pick(random: () => number): string {
  if (random() * 10 < STOP_SHARE) return STOP_WORDS[Math.floor(random() * STOP_WORDS.length)] ?? "the";
  return toWord(Math.floor(WORDS ** random()) - 1);
}

function toWord(rank: number): string {
  let word = "";
  for (let left = rank + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length];
  return word;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
