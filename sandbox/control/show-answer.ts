import { setTimeout as sleep } from "node:timers/promises";
import { toApiMessage } from "../render/messages.ts";
import type { AttachmentRecord, InteractionAnswer, InteractionRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { ControlError } from "./control-error.ts";

const WITHOUT_TEXT = /^(image|audio|video)\//;

/** A message with the text of its files, and as Discord's JSON. */
export function showMessage(world: World, message: MessageRecord): object {
  return {
    message_id: message.id,
    channel_id: message.channelId,
    text: message.content,
    files: (message.more?.attachments ?? []).map(showFile),
    ephemeral: message.more?.ephemeralFor !== undefined,
    message: toApiMessage(world, message, { viewerId: message.authorId }),
  };
}

/**
 * The bot's answer to an interaction: its message once it has content, the modal that it shows, or its suggestions. A bot that only acknowledges a press without a
 * message gets until the timeout to send one. Throws `timeout` when nothing came.
 */
export async function showAnswer(world: World, interaction: InteractionRecord, timeoutMs: number): Promise<object> {
  const { id: interaction_id } = interaction;
  const end = new AbortController();
  const timeout = sleep(timeoutMs, null, { ref: false, signal: end.signal }).catch(() => null);
  const first = await Promise.race([interaction.answered, timeout]);
  const message = first && isPending(first) ? await Promise.race([interaction.spoken, timeout]) : null;
  end.abort();
  const said = message ?? (first?.kind === "message" ? first.message : null);
  if (said) return { kind: "message", interaction_id, ...showMessage(world, said) };
  if (first?.kind === "modal") return { kind: "modal", interaction_id, modal: first.modal };
  if (first?.kind === "choices") return { kind: "choices", interaction_id, choices: first.choices };
  if (first?.kind === "updated") return { kind: "acknowledged", interaction_id };
  if (first?.kind === "failed") throw new ControlError(504, "timeout", `${first.reason}.`);
  const problem = first ? "The bot is thinking, and said nothing" : "The bot did not answer";
  throw new ControlError(504, "timeout", `${problem} within ${timeoutMs / 1000} s.`);
}

/** Whether a message may follow. */
function isPending({ kind }: InteractionAnswer): boolean {
  return kind === "deferred" || kind === "updated";
}

function showFile({ filename: name, contentType, bytes }: AttachmentRecord): object {
  if (WITHOUT_TEXT.test(contentType ?? "")) return { name, text: null };
  return { name, text: new TextDecoder().decode(typeof bytes === "function" ? bytes() : bytes) };
}
