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
  /** By which dates in numbers are read. */
  readonly locale?: Locale | undefined;
  readonly purpose?: Purpose;
  /** The actor alone will read the answer. */
  readonly isPrivate?: boolean;
  /** The channel in which the answer will be repeated, by name, mention or id. */
  readonly for?: string | undefined;
  /** The client's effects elsewhere always wait for the actor, because the client also knows things that were not read here. */
  readonly asksFirst?: boolean;
  /** Nothing may be done on Discord, including asking for a confirmation. */
  readonly isSilent?: boolean;
}

interface Opening extends OpenRequest, Pick<Origin, "parentMessageId"> {
  readonly channelId: ChannelId;
  readonly isFromNowhere?: boolean;
  readonly isIsolated?: boolean;
}

export interface Operations {
  /**
   * For a client whose grant names the actor. Throws `forbidden` otherwise, `not_found` for a place that the actor cannot see (`rate_limited`
   * where too many were asked for), or a message that is not theirs. With a label, what was read before under it counts for this operation too; a confined client has one label of
   * its own, whatever is given here.
   */
  open(client: Client, request: OpenRequest, label?: Label): Promise<Operation>;
  /** For a message that addresses the agent: its author asks, and reads the answer where it was asked. */
  openFor(client: Client, message: Message): Operation;
  /** Throws `not_found` when there is none of that id for this client, or it has expired. */
  find(id: string, client: Client): Operation;
  /** From now on the actor alone reads the answer. There is no way back. Safe to repeat. */
  narrow(operation: Operation): void;
  /** Ends it: nothing more is read or done within it. Safe to repeat. */
  close(operation: Operation): void;
  /** Ends the operations of these clients, also those within which something is being done. */
  endOf(clients: readonly string[]): void;
  /** Forgets the text of this author in everything that any operation has read. */
  forgetWordsOf(authorId: UserId): void;
  /** The person whom a client names, by id or as Discord shows them; see `findActor`. */
  findActor(client: Client, asked: string): Promise<UserId>;
  /** Whether this client was given an operation that began with this message. */
  beganWith(messageId: MessageId, client: Client): boolean;
  /** Whether any client was. */
  hasBegun(messageId: MessageId): boolean;
}

export interface OperationsDeps {
  readonly directory: Directory;
  readonly rules: Rules;
  readonly audit: Pick<Audit, "note">;
  readonly clock: Clock;
  readonly confined: Pick<ConfinedLabels, "of">;
  readonly lookups: Pick<Lookups, "charge" | "chargeName">;
  /** Unguessable. */
  mintId(): string;
  /** One message, as the bot sees it; undefined when there is none. */
  message(channelId: ChannelId, messageId: MessageId): Promise<Message | undefined>;
  /** The DM with a person, opened as needed. */
  openDm(userId: UserId): Promise<ChannelId>;
}

const NONCE_DIGITS = 15n;
const LIFETIME_MS = 15 * 60_000;
const MAX_OPEN = 10_000;
const MAX_OPEN_PER_CLIENT = 2_000;

type OpenOperation = Operation & { destination: Destination; expiresAt: number };

export function createOperations(deps: OperationsDeps): Operations {
  const { directory, clock, mintId, audit } = deps;
  /** The oldest first. Not a BoundedMap: one that expires during a call can still be narrowed, and each client has a maximum of its own. */
  const open = new Map<string, OpenOperation>();
  const held = new Map<string, number>();
  const labels = new LiveLabels();
  /** How many of them began with a message, by message and client. */
  const begun = new Map<MessageId, Map<string, number>>();

  function keep(operation: OpenOperation): Operation {
    const { name, postsAnswers } = operation.client;
    labels.add(operation.label);
    audit.note({ kind: "operation", row: toRow(operation) }, { isAhead: postsAnswers });
    // The agent's operations are not looked up by id: their callers and pending confirmations hold them.
    if (postsAnswers) return operation;
    for (const each of open.values()) {
      if (each.expiresAt > clock.now() && open.size < MAX_OPEN) break;
      drop(each);
    }
    const isFull = (held.get(name) ?? 0) >= MAX_OPEN_PER_CLIENT;
    const oldest = isFull && open.values().find(({ client }) => client.name === name);
    if (oldest) drop(oldest);
    open.set(operation.id, operation);
    change(held, name, 1);
    changeBegun(operation, 1);
    return operation;
  }

  /** Whether a place can be asked about would tell whether it is known: what cannot be asked about counts as absent. */
  async function learn(actor: UserId, channelId: ChannelId): Promise<void> {
    try {
      await directory.learn(actor, channelId);
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
    }
  }

  function drop(operation: Operation): void {
    open.delete(operation.id);
    change(held, operation.client.name, -1);
    changeBegun(operation, -1);
  }

  function close({ id }: Operation): void {
    const operation = open.get(id);
    if (!operation) return;
    operation.expiresAt = Math.min(operation.expiresAt, clock.now());
    drop(operation);
  }

  function changeBegun({ client, origin: { messageId } }: Operation, by: number): void {
    if (messageId === null) return;
    const counts = begun.get(messageId) ?? new Map<string, number>();
    change(counts, client.name, by);
    if (counts.size > 0) begun.set(messageId, counts);
    else begun.delete(messageId);
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
      asksFirst: request.asksFirst ?? false,
      isIsolated: request.isIsolated ?? false,
      isSilent: request.isSilent ?? false,
      label: client.grant.confined ? deps.confined.of(client.name) : label,
      effects: new OperationEffects(),
      nonce: toNonce(mintId()),
      openedAt: now,
      expiresAt: now + LIFETIME_MS,
    });
  }

  /** Text typed by the actor counts as their own words. A request that contains other people's text, such as a forward or a preview, counts as read. */
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
      const isVisible = () =>
        refusePlace({ grant: client.grant, rules: deps.rules }, locateChannel(directory, channelId)) === null &&
        directory.canView(actor, channelId);
      const isCharged = deps.lookups.charge(actor, isVisible());
      if (isCharged || directory.channel(channelId)) await learn(actor, channelId);
      if (!isVisible()) {
        if (!isCharged) throw tooManyLookups();
        const isCutOff = hasOutage(directory, { grant: client.grant, rules: deps.rules, actor, home: null });
        if (isCutOff || directory.isHeldBack) throw outage();
        throw new EarshotError("not_found", "There is no such channel, or that person cannot see it.");
      }
      if (messageId === undefined) return begin(client, { ...request, channelId, parentMessageId: null }, label);
      const message = await deps.message(channelId, messageId);
      if (message?.author.id !== actor) {
        throw new EarshotError("not_found", "There is no such message, or that person did not write it.");
      }
      return beginWith(client, request, message, label);
    },
    openFor: (client, message) => beginWith(client, { actor: message.author.id }, message),
    find(id, client) {
      const operation = open.get(id);
      if (operation && operation.client.name === client.name && operation.expiresAt > clock.now()) return operation;
      throw new EarshotError("not_found", "There is no such operation, or it has expired.");
    },
    narrow({ id }) {
      const operation = open.get(id);
      if (!operation || operation.destination.kind === "actor") return;
      operation.destination = { kind: "actor", channelId: operation.origin.channelId };
      const row = { operation_id: id, name: "narrowed", detail_json: "{}", happened_at: clock.now() };
      audit.note({ kind: "event", row });
    },
    close,
    endOf(clients) {
      for (const operation of [...open.values()].filter(({ client }) => clients.includes(client.name)))
        close(operation);
    },
    forgetWordsOf: (authorId) => labels.forgetWordsOf(authorId),
    beganWith: (messageId, client) => begun.get(messageId)?.has(client.name) ?? false,
    hasBegun: (messageId) => begun.has(messageId),
  };
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** Digits take a model fewer tokens than letters do. */
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
