import { readFileSync } from "node:fs";
import { z } from "zod";
import type { AttachmentId, ChannelId, MessageId, UserId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import { GUILD } from "../test/support/archive.ts";

export interface Question {
  readonly text: string;
  readonly category: number;
  /** The turns in which the answer was said. */
  readonly evidence: ReadonlySet<string>;
}

/** A turn of a conversation as a message, with everything that was readable in it. */
export interface Turn {
  readonly id: string;
  readonly message: Message;
  readonly readable: string;
}

export interface Conversation {
  readonly channelId: ChannelId;
  readonly turns: readonly Turn[];
  readonly questions: readonly Question[];
}

/** LoCoMo's shape: sessions of turns, each session with the time at which it began. */
const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string().default(""),
  blip_caption: z.string().optional(),
  query: z.string().optional(),
});
const questionSchema = z.object({
  question: z.string(),
  category: z.number(),
  evidence: z.array(z.string()).default([]),
});
const fileSchema = z.array(z.object({ conversation: z.record(z.string(), z.unknown()), qa: z.array(questionSchema) }));

const EPOCH = 1_420_070_400_000;
const BETWEEN_TURNS = 30_000;
const MINUTE = 60_000;

export function readConversations(file: string): Conversation[] {
  const data = fileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  return data.map(({ conversation, qa }, index) => {
    const channelId = String(1_000 + index) as ChannelId;
    const turns = toTurns(conversation, { channelId, index });
    const known = new Set(turns.map(({ id }) => id));
    return { channelId, turns, questions: qa.map((asked) => toQuestion(asked, known)).filter(hasEvidence) };
  });
}

/** Ids differ also where two conversations took place in the same millisecond. */
interface Place {
  readonly channelId: ChannelId;
  readonly index: number;
}

function toTurns(conversation: Readonly<Record<string, unknown>>, place: Place): Turn[] {
  const people = new Map<string, UserId>();
  let last = 0;
  return sessionsOf(conversation).flatMap(({ startedAt, turns }) =>
    turns.map((turn, index) => {
      // A turn comes after all before it, also where two sessions overlap.
      last = Math.max(startedAt + index * BETWEEN_TURNS, last + 1);
      const userId = people.get(turn.speaker) ?? (String(100 + people.size) as UserId);
      people.set(turn.speaker, userId);
      return toTurn(turn, { time: last, userId, place });
    }),
  );
}

function sessionsOf(conversation: Readonly<Record<string, unknown>>) {
  const names = Object.keys(conversation).filter((name) => /^session_\d+$/.test(name));
  const sessions = names.map((name, index) => ({
    number: Number(name.slice("session_".length)),
    startedAt: toTime(conversation[`${name}_date_time`]) ?? EPOCH + index * 86_400_000,
    turns: z.array(turnSchema).parse(conversation[name]),
  }));
  return sessions.sort((a, b) => a.number - b.number);
}

/** "1:56 pm on 8 May, 2023", in UTC. */
function toTime(words: unknown): number | null {
  const [, hour, minute, half, date] = /^(\d+):(\d+) ([ap]m) on (.+)$/.exec(String(words)) ?? [];
  const day = Date.parse(`${date} UTC`);
  if (Number.isNaN(day)) return null;
  return day + ((Number(hour) % 12) + (half === "pm" ? 12 : 0)) * 60 * MINUTE + Number(minute) * MINUTE;
}

function toTurn(
  { speaker, dia_id, text, blip_caption, query }: z.infer<typeof turnSchema>,
  { time, userId, place: { channelId, index } }: { time: number; userId: UserId; place: Place },
): Turn {
  const id = String((BigInt(time - EPOCH) << 22n) + BigInt(index));
  // What a picture shows stands in its file's name.
  const caption = [blip_caption, query].filter(Boolean).join(" ");
  const filename = `${caption.replaceAll(" ", "_")}.jpg`;
  const picture = {
    id: id as AttachmentId,
    url: "",
    filename,
    content_type: "image/jpeg",
    size: 1,
    width: 1,
    height: 1,
  };
  const message: Message = {
    message_id: id as MessageId,
    channel_id: channelId,
    guild_id: GUILD,
    thread_id: null,
    link: "",
    author: { id: userId, name: speaker, bot: false },
    ts: new Date(time).toISOString(),
    edited_ts: null,
    kind: "text",
    content: text,
    parts: toTypedParts(text),
    reply_to: null,
    attachments: caption === "" ? [] : [picture],
  };
  return { id: dia_id, message, readable: `${speaker}: ${text} ${caption}` };
}

/** Evidence that names no turn of the conversation cannot be found, and does not count. */
function toQuestion(
  { question, category, evidence }: z.infer<typeof questionSchema>,
  known: ReadonlySet<string>,
): Question {
  const ids = evidence.flatMap((words) => words.match(/D\d+:\d+/g) ?? []).map((id) => id.replace(/:0+/, ":"));
  return { text: question, category, evidence: new Set(ids.filter((id) => known.has(id))) };
}

function hasEvidence({ evidence }: Question): boolean {
  return evidence.size > 0;
}
