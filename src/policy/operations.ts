import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import { covers } from "./grant.ts";
import type { Client, Label, Operation } from "./operation.ts";

/** A client's own request to act for somebody. */
export interface OpenRequest {
  readonly actor: UserId;
  readonly channelId: ChannelId;
  readonly messageId?: MessageId;
}

export interface Operations {
  /** For a client whose grant names the actor. Throws `forbidden` otherwise, `not_found` for a place the actor cannot see. */
  open(client: Client, request: OpenRequest, label: Label): Promise<Operation>;
  /** For a message that addresses the agent: its author asks, and reads the answer where it was asked. */
  openFor(client: Client, message: Message, label: Label): Operation;
  /** Throws `not_found` when there is none of that id for this client, or it has expired. */
  find(id: string, client: Client): Operation;
  /** Whether this client was given an operation that began with this message. */
  beganWith(messageId: MessageId, client: Client): boolean;
}

export interface OperationsDeps {
  readonly directory: Directory;
  readonly clock: Clock;
  /** Unguessable. */
  mintId(): string;
}

const LIFETIME = 15 * 60_000;
const MOST_OPEN = 10_000;

export function createOperations({ directory, clock, mintId }: OperationsDeps): Operations {
  const open = new Map<string, Operation>();
  /** How many of them began with a message, by client and message. */
  const begun = new Map<string, number>();
  const keyOf = ({ client, origin }: Operation) => `${client.name} ${origin.messageId}`;

  function keep(operation: Operation): Operation {
    for (const each of open.values()) {
      if (each.expiresAt > clock.now() && open.size < MOST_OPEN) break;
      open.delete(each.id);
      const others = (begun.get(keyOf(each)) ?? 1) - 1;
      if (others > 0) begun.set(keyOf(each), others);
      else begun.delete(keyOf(each));
    }
    open.set(operation.id, operation);
    begun.set(keyOf(operation), (begun.get(keyOf(operation)) ?? 0) + 1);
    return operation;
  }

  function begin(client: Client, { actor, channelId, messageId }: OpenRequest, label: Label): Operation {
    const guildId = directory.channel(channelId)?.guildId ?? null;
    const origin = { guildId, channelId, messageId: messageId ?? null };
    return keep({
      id: mintId(),
      client,
      actor,
      origin,
      destination: channelId,
      label,
      expiresAt: clock.now() + LIFETIME,
    });
  }

  return {
    async open(client, request, label) {
      const { actors } = client.grant;
      if (actors !== "anyone" && !actors.includes(request.actor)) {
        throw new EarshotError("forbidden", "This client is not granted to act for that person.");
      }
      await directory.learn(request.actor, request.channelId);
      if (
        !covers(client.grant, directory.channel(request.channelId)) ||
        !directory.canView(request.actor, request.channelId)
      ) {
        throw new EarshotError("not_found", "There is no such channel, or that person cannot see it.");
      }
      return begin(client, request, label);
    },
    openFor: (client, message, label) =>
      begin(client, { actor: message.author.id, channelId: message.channel_id, messageId: message.message_id }, label),
    find(id, client) {
      const operation = open.get(id);
      if (operation && operation.client.name === client.name && operation.expiresAt > clock.now()) return operation;
      throw new EarshotError("not_found", "There is no such operation, or it has expired.");
    },
    beganWith: (messageId, client) => begun.has(`${client.name} ${messageId}`),
  };
}
