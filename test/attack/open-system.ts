import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import { describeMessage } from "../support/describe-world.ts";
import { type InProcessOptions, openInProcess } from "../support/in-process.ts";
import type { PlainMessage, PlainWorld } from "../support/plain-world.ts";
import { GUILD, smallWorld } from "../support/small-world.ts";

let minted = 1_460_000_000_000_000_000n;

export function openSystem(options: InProcessOptions = {}, world: PlainWorld = smallWorld()) {
  const system = openInProcess(world, options);
  const client = (grant: Partial<Grant> = {}, name = "brain") => ({ name, grant: { ...OPERATOR_GRANT, ...grant } });
  const open = (
    actor: string,
    channelId: string,
    grant: Partial<Grant> = {},
    more: Partial<OpenRequest> = {},
  ): Promise<Operation> =>
    system.operations.open(client(grant), { actor: actor as UserId, channelId: channelId as ChannelId, ...more });
  /** What came of it: a value, or an error by its code and words. */
  const call = (operation: Operation, name: string, args: object, wantsText = false) =>
    system.gate.callTool({ name, args, operation, wantsText }).then(
      ({ value, text }) => ({ ok: true as const, value: value as never as Record<string, unknown>, text }),
      (error: { code: string; message: string; retryAfter?: number }) => ({
        ok: false as const,
        code: error.code,
        message: error.message,
        retryAfter: error.retryAfter,
      }),
    );
  /** Somebody says something, and the gateway tells of it. */
  const say = (channelId: string, authorId: string, content: string, raw: Record<string, unknown> = {}) => {
    minted += 4_194_304n;
    const message: PlainMessage = {
      id: String(minted),
      authorId,
      content,
      edited: false,
      replyTo: null,
      file: false,
      raw,
    };
    world.messages.set(channelId, [...(world.messages.get(channelId) ?? []), message]);
    tell("MESSAGE_CREATE", channelId, message);
    return message;
  };
  const tell = (type: string, channelId: string, message: PlainMessage, more: object = {}) =>
    system.tell(type, {
      ...describeMessage(world, channelId, message),
      ...(channelId.startsWith("6") ? {} : { guild_id: GUILD }),
      ...more,
    });
  const remove = (channelId: string, id: string) => {
    world.messages.set(
      channelId,
      (world.messages.get(channelId) ?? []).filter((one) => one.id !== id),
    );
    system.tell("MESSAGE_DELETE", { id, channel_id: channelId, guild_id: GUILD });
  };
  /** Everything that a client of this grant is told from now on. */
  const listen = (grant: Partial<Grant>, name = "brain") => {
    const told: { name: string; payload: unknown; operation_id?: string }[] = [];
    system.discord.listen((event) => {
      const heard = system.clientEvents.toClientEvent(event, client(grant, name));
      if (heard) told.push(heard);
    });
    return told;
  };
  return { ...system, world, client, open, call, say, tell2: tell, remove, listen };
}

export type { MessageId };
