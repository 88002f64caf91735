import type { ChannelId } from "../../domain/ids.ts";
import { MAX_SHOWN_SOURCES, type ShownOperation } from "../../domain/rpc/rpc-methods.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Operation } from "../../policy/operation.ts";

export type ShownSourceKind = ShownOperation["read"]["sources"][number]["kind"];

/** By source type in the audit. */
export const SOURCE_KINDS: Readonly<Record<string, ShownSourceKind>> = {
  discord_message: "message",
  discord_channel: "channel",
  discord_thread: "channel",
  discord_guild: "server",
  memory_fact: "fact",
  docs: "document",
  crm: "profile",
};

/** Describes an operation to its client: results, calls and effects, which the client knows already. */
export function showOperation(
  operation: Operation,
  gate: { readonly toldIn: Gate["toldIn"]; readonly confirmations: Pick<Gate["confirmations"], "pending"> },
): ShownOperation {
  const sources = gate.toldIn(operation).flatMap(({ type, id, scope }) => {
    const kind = SOURCE_KINDS[type];
    return kind ? [{ kind, id, channel_id: kind === "message" ? (scope.id as ChannelId) : null }] : [];
  });
  const counts = { message: 0, channel: 0, server: 0, fact: 0, document: 0, profile: 0 };
  for (const { kind } of sources) counts[kind] += 1;
  const waiting = gate.confirmations
    .pending(operation.actor, { inPerson: true })
    .filter((one) => one.operation === operation);
  return {
    actor: operation.actor,
    private: operation.destination.kind === "actor",
    expires_at: toTime(operation.expiresAt),
    read: { counts, sources: sources.slice(-MAX_SHOWN_SOURCES) },
    waiting: waiting.map(({ id, tool, action, expiresAt }) => ({
      confirmation_id: id,
      tool,
      action: action.kind,
      channel_id: "channelId" in action ? action.channelId : null,
      expires_at: toTime(expiresAt),
    })),
    done: operation.effects.done.map(({ kind, channelId, messageId }) => {
      return { action: kind, channel_id: channelId, message_id: messageId };
    }),
  };
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
