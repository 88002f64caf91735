import { compareIds, type MessageId, type UserId } from "../ids.ts";
import { type Interval, NEWEST, OLDEST } from "../intervals.ts";
import { type Message, typedText } from "../message.ts";
import { RisingIds } from "../rising-ids.ts";
import { withoutCode } from "../text/without-code.ts";
import { toMessageForm } from "./message-form.ts";
import { tidyQuestion } from "./question-kind.ts";

/** A question that was put to the agent, or what the agent answered: no evidence, because answers would come to quote answers. */
type Echo = "question" | "answer";

export function mentions(message: Message, botId: UserId): boolean {
  if (!message.content.includes(botId)) return false;
  const typed = withoutCode(typedText(message));
  return typed.includes(`<@${botId}>`) || typed.includes(`<@!${botId}>`);
}

/** `isDependent`: because of what else was said. */
type Decided = { readonly echo: Echo; readonly isDependent: boolean };

export interface EchoChange {
  /** Have become echoes, or are echoes no longer. */
  readonly turned: readonly bigint[];
  /** Replies to these are read differently than before: `questionFor` tells something else of them. */
  readonly relinked: readonly bigint[];
}

export interface EchoDeps {
  readonly botId: UserId;
  /** A message of the channel; undefined for one that is not seen. */
  read(id: bigint): Message | undefined;
  holds(id: bigint): boolean;
  /** Called for each message that comes, before it is read. */
  see?(message: Message): void;
}

const EVERYTHING: Interval = { from: OLDEST, to: NEWEST };

/** Which messages of one channel are echoes. Computed from the messages alone, so it is the same after a restart. */
export class Echoes {
  readonly #deps: EchoDeps;
  /** This one, and those that it was made over. */
  readonly #layers: readonly Echoes[];
  /** What each of the bot's messages replies to; null for nothing. */
  readonly #own = new Map<bigint, bigint | null>();
  /** The bot's replies, by what they reply to. */
  readonly #answers = new Map<bigint, Set<bigint>>();
  /** Replies of others, by what they reply to: to the bot, or to a message that is not held. */
  readonly #replies = new Map<bigint, Set<bigint>>();
  readonly #echoes = new Map<bigint, Decided>();
  readonly #ids = new RisingIds();

  constructor(deps: EchoDeps, below: Echoes | null = null) {
    this.#deps = deps;
    this.#layers = below ? [this, ...below.#layers] : [this];
  }

  static among(messages: readonly Message[], botId: UserId): Echoes {
    return new Echoes({ botId, read: () => undefined, holds: () => false }).over(messages);
  }

  /** Those of further messages of the channel as well. What is taken in here changes nothing below. */
  over(messages: readonly Message[] = []): Echoes {
    const seen = new Map<bigint, Message>();
    const { botId, read, holds } = this.#deps;
    const deps = {
      botId,
      read: (id: bigint) => seen.get(id) ?? read(id),
      holds: (id: bigint) => seen.has(id) || holds(id),
      see: (message: Message) => void seen.set(BigInt(message.message_id), message),
    };
    const echoes = new Echoes(deps, this);
    echoes.change([], messages);
    return echoes;
  }

  get size(): number {
    return this.#layers.reduce((sum, layer) => sum + layer.#ids.size, 0);
  }

  /** Those between two ids, both included, rising. Without those below. */
  between(interval: Interval): readonly bigint[] {
    return this.#ids.between(interval);
  }

  has(id: bigint): boolean {
    return this.of(id) !== null;
  }

  of(id: bigint): Echo | null {
    return this.#decided(id)?.echo ?? null;
  }

  /** By what was said in an interval alone: what is held beyond it depends on what others have read. */
  isWithin(id: bigint, interval: Interval): boolean {
    const decided = this.#decided(id);
    if (!decided?.isDependent) return decided !== undefined;
    const message = this.#deps.read(id);
    return message !== undefined && this.#toEcho(message, interval) !== null;
  }

  /** The question put to the agent that somebody's message replies to, be it by way of the agent's own answer. */
  questionFor({ reply_to }: Pick<Message, "reply_to">, interval = EVERYTHING): Message | undefined {
    if (!reply_to || this.size === 0) return undefined;
    const id = BigInt(reply_to.message_id);
    const question = this.of(id) === "answer" ? (this.#targetOf(id) ?? null) : id;
    if (question === null || !isIn(question, interval) || this.of(question) !== "question") return undefined;
    return this.isWithin(question, interval) ? this.#deps.read(question) : undefined;
  }

  /** Messages went, and others came; one that was edited did both. To be called when `read` reads the new ones. */
  change(gone: readonly Message[], come: readonly Message[]): EchoChange {
    const pending = new Set<bigint>();
    for (const message of come) this.#deps.see?.(message);
    for (const message of gone) this.#remove(message, pending);
    const isOwn = ({ author }: Message) => author.id === this.#deps.botId;
    for (const message of come) if (isOwn(message)) this.#addOwn(message, pending);
    const added = new Set(come.map(({ message_id }) => BigInt(message_id)));
    for (const message of come) if (!isOwn(message)) this.#add(message, added, pending);
    return this.#decide(pending, added);
  }

  clear(): void {
    for (const each of [this.#own, this.#answers, this.#replies, this.#echoes]) each.clear();
    this.#ids.clear();
  }

  /** The bot answers in replies, to commands and in direct messages. All else that it posts was confirmed by a person, word by word: evidence. */
  #toEcho(message: Message, interval: Interval): Echo | null {
    const { author, guild_id, kind, reply_to, parts } = message;
    const { botId } = this.#deps;
    if (kind === "system") return null;
    const isDirect = guild_id === null;
    if (author.id === botId) return isDirect || kind === "reply" || kind === "command" ? "answer" : null;
    // What people write in direct messages is evidence, and so are statements to the bot.
    if (isDirect) return null;
    const { id, target } = idsOf(message);
    const [isAnswered, isMentioned] = [this.#isAnswered(id, interval), mentions(message, botId)];
    const isByBot = target !== null && isIn(target, interval) && this.#targetOf(target) !== undefined;
    if (!isAnswered && !isMentioned && !isByBot && reply_to?.to_bot !== true) return null;
    const form = toMessageForm(typedText(message));
    // "@bot regatta date" asks for it. Without a mention a few words are a question if they were taken for one, and in a reply rather an answer.
    const isTaken = isMentioned || (isAnswered && reply_to === null);
    const isNamed = form === "names" && isTaken && parts.every((part) => part.kind === "typed");
    return form === "asks" || isNamed ? "question" : null;
  }

  #decide(pending: ReadonlySet<bigint>, added: ReadonlySet<bigint>): EchoChange {
    const [turned, relinked] = [new Set<bigint>(), new Set<bigint>()];
    for (const id of pending) {
      const before = this.#echoes.get(id)?.echo ?? null;
      const message = this.#deps.read(id);
      const echo = message ? this.#toEcho(message, EVERYTHING) : null;
      if (message && echo) {
        this.#echoes.set(id, { echo, isDependent: this.#toEcho(message, NOTHING) === null });
        this.#ids.add(id);
      } else if (this.#echoes.delete(id)) this.#ids.remove(id);
      if (before !== echo) turned.add(id);
      // What an answer says does not matter to its replies.
      if (before === echo && !(echo === "question" && added.has(id))) continue;
      relinked.add(id);
      for (const answer of this.#answers.get(id) ?? []) relinked.add(answer);
    }
    return { turned: [...turned], relinked: [...relinked] };
  }

  #addOwn(message: Message, pending: Set<bigint>): void {
    const { id, target } = idsOf(message);
    this.#own.set(id, target);
    if (target !== null) link(this.#answers, target, id);
    this.#ownChanged(id, target, pending);
  }

  #ownChanged(id: bigint, target: bigint | null, pending: Set<bigint>): void {
    pending.add(id);
    if (target !== null) pending.add(target);
    for (const layer of this.#layers) for (const reply of layer.#replies.get(id) ?? []) pending.add(reply);
  }

  #add(message: Message, added: ReadonlySet<bigint>, pending: Set<bigint>): void {
    const { id, target } = idsOf(message);
    const isToBot = target !== null && (message.reply_to?.to_bot === true || this.#targetOf(target) !== undefined);
    const isHeld = target !== null && (added.has(target) || this.#deps.holds(target));
    if (target !== null && (isToBot || !isHeld)) link(this.#replies, target, id);
    // Not the bot's: what replies to it need not be known.
    this.#replies.delete(id);
    if (isToBot || this.#isAnswered(id, EVERYTHING) || this.#echoes.has(id) || mentions(message, this.#deps.botId))
      pending.add(id);
  }

  #remove(message: Message, pending: Set<bigint>): void {
    const { id, target } = idsOf(message);
    if (this.#own.delete(id)) {
      if (target !== null) unlink(this.#answers, target, id);
      this.#ownChanged(id, target, pending);
    } else if (target !== null) unlink(this.#replies, target, id);
    if (this.#echoes.has(id)) pending.add(id);
  }

  #decided(id: bigint): Decided | undefined {
    return this.#inFirst((layer) => layer.#echoes.get(id));
  }

  /** What a message of the bot's replies to, null for nothing; undefined for one that is not the bot's. */
  #targetOf(id: bigint): bigint | null | undefined {
    return this.#inFirst((layer) => layer.#own.get(id));
  }

  #isAnswered(id: bigint, interval: Interval): boolean {
    const answers = this.#layers.flatMap((layer) => [...(layer.#answers.get(id) ?? [])]);
    return answers.some((answer) => isIn(answer, interval));
  }

  #inFirst<Value>(get: (layer: Echoes) => Value | undefined): Value | undefined {
    return this.#layers.map(get).find((value) => value !== undefined);
  }
}

const NOTHING: Interval = { from: NEWEST, to: OLDEST };

function isIn(id: bigint, { from, to }: Interval): boolean {
  return from <= id && id <= to;
}

function idsOf({ message_id, reply_to }: Message): { id: bigint; target: bigint | null } {
  return { id: BigInt(message_id), target: reply_to ? BigInt(reply_to.message_id) : null };
}

function link(links: Map<bigint, Set<bigint>>, from: bigint, to: bigint): void {
  links.set(from, (links.get(from) ?? new Set()).add(to));
}

function unlink(links: Map<bigint, Set<bigint>>, from: bigint, to: bigint): void {
  const known = links.get(from);
  if (known?.delete(to) && known.size === 0) links.delete(from);
}

export interface Unwanted {
  readonly agent: { readonly id: UserId; readonly name: string };
  readonly messageId: MessageId | null;
  readonly text: string;
}

/** Those of the messages that can be quoted, in the order of time: no echo, and neither the question nor a copy of it. */
export function evidenceAmong(messages: readonly Message[], { agent, messageId, text }: Unwanted): Message[] {
  const asked = tidyQuestion(text, agent).toLowerCase();
  const channels = [...Map.groupBy(messages, ({ channel_id }) => channel_id).values()];
  const evidence = channels.flatMap((some) => {
    const echoes = Echoes.among(some, agent.id);
    return some.filter(({ content, kind, message_id }) => {
      if (message_id === messageId || kind === "system" || echoes.has(BigInt(message_id))) return false;
      return asked === "" || tidyQuestion(content, agent).toLowerCase() !== asked;
    });
  });
  return evidence.sort((a, b) => compareIds(a.message_id, b.message_id));
}
