import { EarshotError } from "../domain/errors.ts";
import { idTime, type MessageId } from "../domain/ids.ts";
import { type Message, typedText } from "../domain/message.ts";
import { withoutControls } from "../domain/review-prompt.ts";
import type { LinePiece } from "../domain/text/untrusted-block.ts";
import type { MessageFormat } from "../domain/window/message-format.ts";
import { fitChain, fitFacts, type ReplyChain } from "../domain/window/to-turns.ts";
import type { Read } from "../ports/timelines.ts";
import { briefFactPieces, type FactOutput, toOutput } from "./fact-fields.ts";
import type { Bounds, ChannelView, View } from "./view.ts";

interface LoadRequest {
  readonly view: View;
  readonly channel: ChannelView;
  /** The message that asks; null for none. */
  readonly request: Message | null;
  readonly format: MessageFormat;
  /** Whether lines have handles for citations. */
  readonly handles: boolean;
  /** For all context together. */
  readonly maxTokens: number;
}

/** One source of context. Deterministic for the same request, messages and facts. */
interface ContextLoader<Loaded, Before = undefined> {
  /** Maximum messages or facts. */
  readonly maxItems: number;
  /** Its share of the total. */
  maxTokens(total: number): number;
  /** For a request without this context. */
  readonly nothing: Loaded;
  /** `before`: the results of another loader. */
  load(request: LoadRequest, before: Before): Promise<Loaded>;
}

interface RecentTalk extends Pick<Read, "messages" | "coverage"> {
  /** The first message of a thread or post. */
  readonly starter: Message | null;
}

const NOTHING_READ = { scanned: 0, from: null, to: null, complete: true };

/** The recent messages before the request in its channel. In a server without echoes, except those that the request continues from. */
export const recentLoader: ContextLoader<RecentTalk> = {
  maxItems: 100,
  maxTokens: (total) => total,
  nothing: { messages: [], coverage: NOTHING_READ, starter: null },
  async load({ request, channel, view }) {
    const withoutEchoes = channel.channel.guildId !== null;
    const read = (bounds: Bounds) => (request ? channel.before(request.message_id, bounds) : channel.recent(bounds));
    const { messages, coverage } = await read({ limit: this.maxItems, withoutEchoes });
    // A reply states what it continues from, which the chain contains.
    const isFollowing = withoutEchoes && !request?.reply_to;
    const before = isFollowing ? lastExchange((await read({ limit: MAX_SINCE_ANSWER })).messages, view) : [];
    const all = new Map([...messages, ...before].map((message) => [message.message_id, message]));
    return {
      messages: withoutControls([...all.values()], view.request.agent.id),
      coverage,
      starter: await readStarter(messages, channel, view),
    };
  },
};

/** Within this time, a person's question may refer to the answer that they got before it, as in `Turns`. */
const FOLLOW_UP_MS = 10 * 60_000;
const MAX_SINCE_ANSWER = 50;

/** The agent's last answer to the actor there, with its question, if it is recent. */
function lastExchange(newestFirst: readonly Message[], { request, page }: View): readonly Message[] {
  const { actor, agent } = request;
  const byActor = new Map<string, Message>();
  for (const message of newestFirst) if (message.author.id === actor) byActor.set(message.message_id, message);
  const answers = newestFirst.filter(
    ({ author, reply_to }) => author.id === agent.id && byActor.has(reply_to?.message_id ?? ""),
  );
  const [last] = answers;
  if (!last || page.now - idTime(last.message_id) > FOLLOW_UP_MS) return [];
  const asked = last.reply_to?.message_id ?? "";
  return newestFirst.filter(
    (message) => message.message_id === asked || (answers.includes(message) && message.reply_to?.message_id === asked),
  );
}

/** The messages that the request replies to, back to the first that fits. */
export const chainLoader: ContextLoader<ReplyChain, RecentTalk> = {
  maxItems: 25,
  maxTokens: (total) => total / 2,
  nothing: { messages: [], end: "start" },
  async load({ request, channel, format, maxTokens, view }, { messages }) {
    if (!request) return this.nothing;
    const chain = await readReplyChain(request, messages, channel, this.maxItems);
    const said = { ...chain, messages: withoutControls(chain.messages, view.request.agent.id) };
    return fitChain(said, this.maxTokens(maxTokens), format);
  },
};

interface LoadedFacts {
  readonly facts: readonly FactOutput[];
  readonly lines: readonly (readonly LinePiece[])[];
}

const MAX_FACT_TOKENS = 400;

/** Facts for everyone there that match the request. */
export const factsLoader: ContextLoader<LoadedFacts> = {
  maxItems: 12,
  maxTokens: (total) => Math.min(MAX_FACT_TOKENS, total / 5),
  nothing: { facts: [], lines: [] },
  async load({ request, view, handles, maxTokens }) {
    if (!request) return this.nothing;
    const heard = await view.facts.fit(typedText(request), this.maxItems);
    const facts = heard.map((one) => toOutput(one, view));
    const toLine = (fact: FactOutput) =>
      handles ? [`(${view.page.factHandle(fact.fact_id)}) `, ...briefFactPieces(fact)] : briefFactPieces(fact);
    const lines = fitFacts(facts.map(toLine), this.maxTokens(maxTokens), view.page.nonce);
    return { facts: facts.slice(0, lines.length), lines };
  },
};

const MAX_PROFILE_TOKENS = 100;

/** The actor's profile, as Discord shows it to every member of the server. */
export const profileLoader: ContextLoader<readonly LinePiece[] | null> = {
  maxItems: 10,
  maxTokens: (total) => Math.min(MAX_PROFILE_TOKENS, total / 10),
  nothing: null,
  async load({ request, view, maxTokens }) {
    const profile = request && view.people.profile();
    if (!profile) return this.nothing;
    const roles = profile.roles.slice(0, this.maxItems);
    const name = view.page.displayNames.of({ id: view.request.actor, name: profile.name });
    const toLine = (count: number): LinePiece[] => [
      { name },
      " has the roles ",
      ...roles.slice(0, count).flatMap((role, index): LinePiece[] => [...(index === 0 ? [] : [", "]), { name: role }]),
    ];
    for (let count = roles.length; count > 0; count -= 1)
      if (fitFacts([toLine(count)], this.maxTokens(maxTokens), view.page.nonce).length > 0) return toLine(count);
    return this.nothing;
  },
};

/** The starter has the same id as the thread: it is in the thread if that is a post, otherwise in the parent channel. */
async function readStarter(messages: readonly Message[], channel: ChannelView, view: View): Promise<Message | null> {
  const { thread, parentId, kind } = channel.channel;
  if (!thread) return null;
  const id = channel.channel.id as string as MessageId;
  const own = messages.find(({ message_id }) => message_id === id) ?? (await channel.message(id));
  if (own || parentId === null || kind === "private_thread") return own ?? null;
  try {
    return (await (await view.channels.open(parentId)).message(id)) ?? null;
  } catch (error) {
    if (error instanceof EarshotError && error.code === "not_found") return null;
    throw error;
  }
}

const PAGE = 100;
/** Maximum pages fetched; replies to old messages need separate pages. */
const MAX_PAGES = 5;

/** Follows the replies back, first in the cache, then page by page, because most of a chain is on one page. */
async function readReplyChain(
  asked: Message,
  atHand: readonly Message[],
  channel: ChannelView,
  maxMessages: number,
): Promise<ReplyChain> {
  const known = new Map<MessageId, Message>(atHand.map((message) => [message.message_id, message]));
  const chain: Message[] = [];
  const seen = new Set([asked.message_id]);
  let pages = 0;
  for (let at = asked; ; ) {
    const { reply_to: parent } = at;
    const end = (how: ReplyChain["end"]): ReplyChain => ({ messages: chain.toReversed(), end: how });
    if (!parent || seen.has(parent.message_id)) return end("start");
    if (parent.state === "deleted") return end("deleted");
    if (chain.length === maxMessages) return end("long");
    if (!known.has(parent.message_id)) {
      if (pages === MAX_PAGES) return end("long");
      pages += 1;
      const page = await channel.before(after(parent.message_id), { limit: PAGE });
      for (const message of page.messages) known.set(message.message_id, message);
    }
    const message = known.get(parent.message_id);
    if (!message) return end("absent");
    seen.add(message.message_id);
    chain.push(message);
    at = message;
  }
}

/** A page before this id ends with the message itself. */
function after(id: MessageId): MessageId {
  return String(BigInt(id) + 1n) as MessageId;
}
