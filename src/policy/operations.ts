import { hash } from "node:crypto";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, typedText } from "../domain/message.ts";
import type { Locale } from "../domain/time/date-order.ts";
import { shouldSkipContext } from "../domain/window/isolation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import { Label } from "../sources/label.ts";
import { locateChannel, refusePlace } from "./apply-rules.ts";
import type { Audit } from "./audit.ts";
import type { ConfinedLabels } from "./confined-labels.ts";
import { findActor } from "./find-named.ts";
import { LiveLabels } from "./live-labels.ts";
import { type Lookups, tooManyLookups } from "./lookups.ts";
import type { Client, Destination, Operation, Origin, Purpose } from "./operation.ts";
import { OperationEffects } from "./operation.ts";
import { hasOutage, outage } from "./outage.ts";
import type { Rules } from "./rules.ts";

/** A client's own request to act for a person. */
export interface OpenRequest {
  readonly actor: UserId;
  /** The channel of the request. A person who alone reads the answer may ask without a channel: that counts as a direct message. */
  readonly channelId?: ChannelId;
  readonly messageId?: MessageId;
  /** Decides the order of day and month in numeric dates. */
  readonly locale?: Locale | undefined;
  readonly purpose?: Purpose;
  /** Only the actor will read the answer. */
  readonly isPrivate?: boolean;
  /** The channel in which the answer will be repeated, by name, mention or id. */
  readonly for?: string | undefined;
  /** The client's effects other than the answer always wait for the actor, because the client also knows content that was not read here. */
  readonly asksFirst?: boolean;
  /** Forbids effects in Discord, even requests for confirmation. */
  readonly isSilent?: boolean;
}

interface Opening extends OpenRequest, Pick<Origin, "parentMessageId"> {
  readonly channelId: ChannelId;
  readonly isFromNowhere?: boolean;
  readonly isIsolated?: boolean;
}

export interface Operations {
  /**
   * For a client whose grant names the actor. Throws `forbidden` otherwise, `not_found` for a place that the actor cannot see
   * (`rate_limited` after too many of those), or a message that is not theirs. With a label, earlier reads under it count for this
   * operation, too; a confined client always uses its own label.
   */
  open(client: Client, request: OpenRequest, label?: Label): Promise<Operation>;
  /** For a message that addresses the agent: its author is the actor, and the answer goes to the same channel. */
  openFor(client: Client, message: Message): Operation;
  /** Throws `not_found` if this client has no such operation, or it has expired. */
  find(id: string, client: Client): Operation;
  /** From now on only the actor reads the answer. Irreversible. Safe to repeat. */
  narrow(operation: Operation): void;
  /** Ends it: no more reads or effects. Safe to repeat. */
  close(operation: Operation): void;
  /** Ends the operations of these clients, even those with calls in progress. */
  endOf(clients: readonly string[]): void;
  /** Drops the texts of this author from the labels of all operations. */
  forgetWordsOf(authorId: UserId): void;
  /** The person whom a client names, by id or displayed name; see `findActor`. */
  findActor(client: Client, asked: string): Promise<UserId>;
  /** Whether this client was given an operation that began with this message. */
  beganWith(messageId: MessageId, client: Client): boolean;
  /** Whether any client was given such an operation. */
  hasBegun(messageId: MessageId): boolean;
}

export interface OperationsDeps {
  readonly directory: Directory;
  readonly rules: Rules;
  readonly audit: Pick<Audit, "note">;
  readonly clock: Clock;
  readonly confined: Pick<ConfinedLabels, "of">;
  readonly lookups: Pick<Lookups, "charge" | "chargeName">;
  mintId(): string;
  /** One message, as the bot sees it; undefined if it does not exist. */
  message(channelId: ChannelId, messageId: MessageId): Promise<Message | undefined>;
  /** The DM with a person, opened if needed. */
  openDm(userId: UserId): Promise<ChannelId>;
}

const NONCE_DIGITS = 15n;
const LIFETIME_MS = 15 * 60_000;

export function createOperations(deps: OperationsDeps): Operations {
  const { directory, clock, mintId, audit } = deps;
  const kept = new OpenOperations(clock);
  const labels = new LiveLabels();

  function keep(operation: OpenOperation): Operation {
    audit.note({ kind: "operation", row: toRow(operation) }, { isAhead: operation.client.postsAnswers });
    labels.add(operation.label);
    // Operations of the agent are not looked up by id: their callers and pending confirmations refer to them.
    if (!operation.client.postsAnswers) kept.add(operation);
    return operation;
  }

  function begin(client: Client, request: Opening, label = new Label()): Operation {
    const { actor, channelId, messageId, parentMessageId, locale, purpose = "answer", isPrivate = false } = request;
    const channel = directory.channel(channelId);
    const guildId = channel?.guildId ?? null;
    const threadId = channel?.thread ? channelId : null;
    const now = clock.now();
    return keep({
      id: mintId(),
      client,
      actor,
      origin: { guildId, channelId, threadId, messageId: messageId ?? null, parentMessageId },
      locale,
      purpose,
      destination: isPrivate
        ? { kind: "actor", channelId: request.isFromNowhere ? null : channelId }
        : { kind: "channel", channelId },
      for: request.for ?? null,
      isAlwaysPrivate: isPrivate || (channel?.kind === "dm" && channel.recipients.includes(actor)),
      asksFirst: (request.asksFirst ?? false) || client.grant.signedIn === true,
      isIsolated: request.isIsolated ?? false,
      isSilent: request.isSilent ?? false,
      label: client.grant.confined ? deps.confined.of(client.name) : label,
      effects: new OperationEffects(),
      nonce: toNonce(mintId()),
      openedAt: now,
      expiresAt: now + LIFETIME_MS,
    });
  }

  /** Text typed by the actor counts as their own words. A request with text by others, such as a forward or a preview, counts as read. */
  function beginWith(client: Client, request: OpenRequest, message: Message, label?: Label): Operation {
    const { message_id: messageId, reply_to } = message;
    const channelId = request.channelId ?? message.channel_id;
    const parentMessageId = reply_to?.message_id ?? null;
    const isIsolated = shouldSkipContext(typedText(message));
    const operation = begin(client, { ...request, channelId, messageId, parentMessageId, isIsolated }, label);
    if (message.parts.some(({ kind }) => kind !== "typed")) operation.label.addMessage(message, clock.now());
    return operation;
  }

  return {
    findActor: ({ grant, name }, asked) =>
      findActor(asked, { grant, rules: deps.rules, charge: () => deps.lookups.chargeName(name) }, directory),
    async open(client, request, label) {
      if (client.admit) await client.admit();
      const { actor, messageId } = request;
      const { actors } = client.grant;
      if (actors !== "anyone" && !actors.includes(actor)) {
        throw new EarshotError("forbidden", "This client is not granted to act for that person.");
      }
      if (request.channelId === undefined) {
        if (!request.isPrivate)
          throw new EarshotError("invalid", "channel_id: is needed unless the answer is private.");
        const channelId = await deps.openDm(actor);
        return begin(client, { ...request, channelId, parentMessageId: null, isFromNowhere: true }, label);
      }
      const { channelId } = request;
      await requireVisible(client, actor, channelId, deps);
      if (messageId === undefined) return begin(client, { ...request, channelId, parentMessageId: null }, label);
      const message = await deps.message(channelId, messageId);
      if (message?.author.id !== actor) {
        throw new EarshotError("not_found", "There is no such message, or that person did not write it.");
      }
      return beginWith(client, request, message, label);
    },
    openFor: (client, message) => beginWith(client, { actor: message.author.id }, message),
    find(id, client) {
      const operation = kept.find(id);
      if (operation?.client.name === client.name) return operation;
      throw new EarshotError("not_found", "There is no such operation, or it has expired.");
    },
    narrow({ id }) {
      const operation = kept.get(id);
      if (!operation || operation.destination.kind === "actor") return;
      operation.destination = { kind: "actor", channelId: operation.origin.channelId };
      const row = { operation_id: id, name: "narrowed", detail_json: "{}", happened_at: clock.now() };
      audit.note({ kind: "event", row });
    },
    close: (operation) => kept.close(operation),
    endOf: (clients) => kept.endOf(clients),
    forgetWordsOf: (authorId) => labels.forgetWordsOf(authorId),
    beganWith: (messageId, client) => kept.beganWith(messageId, client.name),
    hasBegun: (messageId) => kept.beganWith(messageId),
  };
}

/** Throws `not_found` for a channel that client or person may not see. */
async function requireVisible(
  { grant }: Client,
  actor: UserId,
  channelId: ChannelId,
  { directory, rules, lookups }: Pick<OperationsDeps, "directory" | "rules" | "lookups">,
): Promise<void> {
  const isVisible = () =>
    refusePlace({ grant, rules }, locateChannel(directory, channelId)) === null && directory.canView(actor, channelId);
  const isCharged = lookups.charge(actor, isVisible());
  // An error would reveal whether the channel is known, so a failed lookup counts as absent.
  if (isCharged || directory.channel(channelId))
    await directory.learn(actor, channelId).catch((error: unknown) => {
      if (!(error instanceof EarshotError)) throw error;
    });
  if (isVisible()) return;
  if (!isCharged) throw tooManyLookups();
  if (hasOutage(directory, { grant, rules, actor, home: null }) || directory.isHeldBack) throw outage();
  throw new EarshotError("not_found", "There is no such channel, or that person cannot see it.");
}

/** Digits take fewer tokens than letters. */
function toNonce(id: string): string {
  const number = hash("sha256", id, "buffer").readBigUInt64BE() % 10n ** NONCE_DIGITS;
  return String(number).padStart(Number(NONCE_DIGITS), "0");
}

function toRow({ id, client, actor, origin, purpose, destination, openedAt, expiresAt }: Operation) {
  return {
    id,
    client: client.name,
    actor_id: actor,
    guild_id: origin.guildId,
    channel_id: origin.channelId,
    thread_id: origin.threadId,
    message_id: origin.messageId,
    parent_message_id: origin.parentMessageId,
    purpose,
    destination: destination.kind === "actor" ? "actor" : destination.channelId,
    opened_at: openedAt,
    expires_at: expiresAt,
  };
}

type OpenOperation = Operation & { destination: Destination; expiresAt: number };

const MAX_OPEN = 10_000;
const MAX_OPEN_PER_CLIENT = 2_000;

/** Operations that clients name by id. Beyond MAX_OPEN the oldest end; a client beyond its own maximum loses its own oldest. */
class OpenOperations {
  readonly #clock: Clock;
  /** The oldest first. Not a BoundedMap: one that expires during a call can still be narrowed, and each client has a maximum of its own. */
  readonly #open = new Map<string, OpenOperation>();
  readonly #counts = new Map<string, number>();
  /** The number of those that began with a message, by message and client. */
  readonly #begun = new Map<MessageId, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(operation: OpenOperation): void {
    const { name } = operation.client;
    for (const each of this.#open.values()) {
      if (each.expiresAt > this.#clock.now() && this.#open.size < MAX_OPEN) break;
      this.#drop(each);
    }
    const isFull = (this.#counts.get(name) ?? 0) >= MAX_OPEN_PER_CLIENT;
    const oldest = isFull && this.#open.values().find(({ client }) => client.name === name);
    if (oldest) this.#drop(oldest);
    this.#open.set(operation.id, operation);
    this.#count(operation, 1);
  }

  /** Also one that has expired, as long as nothing has taken its place. */
  get(id: string): OpenOperation | undefined {
    return this.#open.get(id);
  }

  find(id: string): OpenOperation | undefined {
    const operation = this.#open.get(id);
    return operation && operation.expiresAt > this.#clock.now() ? operation : undefined;
  }

  close({ id }: Pick<Operation, "id">): void {
    const operation = this.#open.get(id);
    if (!operation) return;
    operation.expiresAt = Math.min(operation.expiresAt, this.#clock.now());
    this.#drop(operation);
  }

  endOf(clients: readonly string[]): void {
    const ended = [...this.#open.values()].filter(({ client }) => clients.includes(client.name));
    for (const operation of ended) this.close(operation);
  }

  /** Without a client: whether any was given an operation that began with the message. */
  beganWith(messageId: MessageId, client?: string): boolean {
    const counts = this.#begun.get(messageId);
    return client === undefined ? counts !== undefined : (counts?.has(client) ?? false);
  }

  #drop(operation: OpenOperation): void {
    this.#open.delete(operation.id);
    this.#count(operation, -1);
  }

  #count({ client, origin: { messageId } }: Operation, by: number): void {
    change(this.#counts, client.name, by);
    if (messageId === null) return;
    const counts = this.#begun.get(messageId) ?? new Map<string, number>();
    change(counts, client.name, by);
    if (counts.size > 0) this.#begun.set(messageId, counts);
    else this.#begun.delete(messageId);
  }
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
