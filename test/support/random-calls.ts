import fc from "fast-check";
import { WORDS } from "./random-community.ts";

/** A step of a driver, in numbers; what they mean depends on what there is. */
const step = fc.record({
  kind: fc.nat(31),
  where: fc.nat(99),
  what: fc.nat(199),
  who: fc.nat(9),
  bound: fc.nat(5),
  limit: fc.constantFrom(1, 1, 2, 3, 50, 100),
  scan: fc.constantFrom<number>(1, 2, 5, 1_000),
  word: fc.nat(9),
  wantsText: fc.boolean(),
  isFresh: fc.nat(3).map((value) => value === 0),
});

export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

export const steps = (most: number) => fc.array(step, { minLength: 1, maxLength: most });

/** Everything a driver may name. */
export interface Names {
  readonly channels: readonly string[];
  /** Where it may try to have an effect. */
  readonly targets: readonly string[];
  readonly messages: readonly string[];
  readonly people: readonly string[];
  readonly guilds: readonly string[];
  readonly files: readonly string[];
  /** By channel, what was said there; a reaction is then mostly to something that stands where it is looked for. */
  readonly said?: ReadonlyMap<string, readonly string[]>;
  /** The message that asked. */
  readonly asking?: string | null;
}

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly wantsText: boolean;
}

export type Deed = Call | "confirm" | "narrow" | "wait";

/** What earlier answers gave. */
export interface Given {
  readonly cursors: string[];
  /** Messages that were sent. */
  readonly sent: { readonly channel: string; readonly message_id: string }[];
}

/** What the step means, after what earlier answers gave. */
export function toDeed(raw: Step, names: Names, { cursors, sent }: Given): Deed {
  const { kind, wantsText } = raw;
  const channel_id = pick(names.channels, raw.where);
  const target = pick(names.targets, raw.where);
  const channel = toName(target, raw);
  const user_id = pick(names.people, raw.who);
  const word = WORDS[raw.word % WORDS.length] ?? "tide";
  const query = raw.word > WORDS.length ? `zq${channel_id}x` : word;
  const message_id = raw.bound === 5 ? `m${(raw.what % 5) + 1}` : pick(names.messages, raw.what);
  const { limit } = raw;
  const range = toRange(raw, names, cursors);
  const call = (name: string, args: Record<string, unknown>) => ({ name: `discord.${name}`, args, wantsText });
  if (kind < 5) return call("channel.messages", { channel_id, limit, cache: !raw.isFresh, ...range });
  if (kind < 8) {
    const { before, cursor } = range;
    const given = { ...(before && { before }), ...(cursor && { cursor }) };
    return call("search.window", { channel_id, query, limit, scan: raw.scan, ...ownOf(raw), ...given });
  }
  switch (kind) {
    case 8:
      return call("search.window", { scope: "dm", user_id, query, limit });
    case 9:
      return call("dm.messages", { user_id, limit });
    case 10:
      return raw.what % 2 ? toPeople(raw, names) : call("guilds", {});
    case 11:
    case 12:
      return call("guild.channels", { guild_id: pick(names.guilds, raw.what) });
    case 13:
      return call("channel.info", { channel_id });
    case 14: {
      const hint = raw.bound < 2 ? {} : { channel_id, ...(raw.bound === 3 && { message_id }) };
      return call("attachment.base64", { url: pick(names.files, raw.what), ...hint });
    }
    case 15:
    case 16: {
      const own = sent[raw.where % Math.max(1, sent.length)] ?? { channel, message_id };
      const there = names.said?.get(target) ?? [];
      if (raw.bound === 1) return call("edit", { ...own, text: `${word} instead` });
      if (raw.bound === 2) return call("delete", own);
      if (raw.bound === 3) return call("typing", { channel });
      if (raw.bound === 4) {
        const start = raw.isFresh && there.length > 0 ? { message_id: pick(there, raw.what) } : {};
        return call("thread.create", { channel, name: `${word} ${raw.what}`, text: word, ...start });
      }
      const replies = [null, null, names.asking ?? null, there[raw.what % Math.max(1, there.length)] ?? null];
      const reply_to = replies[raw.who % replies.length] ?? null;
      const text = `${word} https://example.org/${raw.what % 64}?q=${word}`;
      return call("send", { channel, text, ...(reply_to && { reply_to }) });
    }
    case 17: {
      const there = raw.bound > 1 ? names.said?.get(target) : undefined;
      return call("react", { channel, message_id: pick(there ?? [message_id], raw.what), emoji: "👍" });
    }
    case 18:
      return "confirm";
    case 19:
      return raw.what % 2 ? "narrow" : "wait";
    default:
      return { ...toSearch(raw, names, { cursors, query, message_id }), wantsText };
  }
}

/** A channel can be named in several ways. */
function toName(id: string, { word, what }: Step): string {
  return [id, id, `nm${id}x`, `#nm${id}x`, `<#${id}>`, `m${(what % 5) + 1}`][word % 6] ?? id;
}

function toPeople(raw: Step, { guilds }: Names): Call {
  const { limit, who, wantsText } = raw;
  const guild = raw.what % 3 ? {} : { guild: pick(guilds, raw.where) };
  const words = raw.bound < 2 ? { query: raw.isFresh ? "role" : `nick0${who}` } : {};
  const role = raw.bound === 3 ? { role: `role0${who % 3}` } : {};
  return { name: "directory.people", args: { ...guild, ...words, ...role, limit }, wantsText };
}

/** The tools that look for things by words, names and links. */
function toSearch(
  raw: Step,
  names: Names,
  { cursors, query, message_id }: { cursors: readonly string[]; query: string; message_id: string },
): Omit<Call, "wantsText"> {
  const { limit, scan } = raw;
  const id = pick(names.channels, raw.where);
  const channel = raw.what % 2 ? id : `nm${id}x`;
  const { cursor } = toRange(raw, names, cursors);
  const given = { limit, scan, ...ownOf(raw), ...(cursor && { cursor }) };
  switch (raw.kind) {
    case 20:
    case 21: {
      const person = pick(names.people, raw.who);
      const more = raw.bound === 1 ? ` from:${person}` : raw.bound === 2 ? ` mentions:${person}` : "";
      return { name: "search_messages", args: { query: query + more, ...given, ...(raw.bound === 0 && { channel }) } };
    }
    case 22:
      return { name: "search_channel_messages", args: { query: `${query} in:${channel}`, ...given } };
    case 23: {
      const user_name = raw.who === 0 ? "me" : pick(names.people, raw.who);
      return { name: "search_user_messages", args: { user_name, ...given, ...(raw.isFresh && { query }) } };
    }
    case 24:
      return { name: "search_thread_messages", args: { ...given, ...(raw.isFresh && { query }) } };
    case 25:
      return { name: "get_recent_messages", args: { limit, ...ownOf(raw), ...(raw.bound > 0 && { channel }) } };
    case 26:
      return {
        name: "get_channel_summary",
        args: { timeframe: "past 3 days", ...ownOf(raw), ...(raw.bound > 0 && { channel }) },
      };
    case 30:
    case 31:
      return { name: "search_documents", args: { query, limit: Math.min(limit, 20) } };
    case 27:
    case 28:
      return { name: "context.window", args: { max_tokens: 200 * limit, ...(raw.bound > 0 && { channel }) } };
    default: {
      const link = `https://discord.com/channels/1000/${id}/${message_id}`;
      return {
        name: "get_message_context",
        args: { message_id: raw.bound % 2 ? link : message_id, before: limit % 50, ...ownOf(raw) },
      };
    }
  }
}

/** Whether questions to the bot and its answers are wanted as well, if that is said. */
function ownOf({ who }: Step): { include_own?: boolean } {
  return who % 3 === 0 ? {} : { include_own: who % 3 === 1 };
}

interface Range {
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
  readonly cursor?: string;
}

function toRange({ bound, what }: Step, { messages }: Names, cursors: readonly string[]): Range {
  const message = pick(messages, what);
  const cursor = cursors.length > 0 ? pick(cursors, what) : undefined;
  if (bound === 1) return { before: message };
  if (bound === 2) return { after: message };
  if (bound === 3) return { around: message };
  if (bound === 4) return cursor === undefined ? {} : { cursor };
  return bound === 5 ? { before: `m${(what % 5) + 1}` } : {};
}

export function pick(list: readonly string[], index: number): string {
  return list[index % Math.max(1, list.length)] ?? "1";
}
