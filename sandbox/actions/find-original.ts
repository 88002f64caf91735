import { MessageReferenceType } from "discord-api-types/v10";
import type { MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { type Place, readsHistory, requirePlace } from "./access.ts";
import { cannotForwardUnread, cannotReplyUnread, type FormProblem, invalidForm, unknownMessage } from "./errors.ts";
import type { ReferenceDraft } from "./message-draft.ts";
import { SPEECH } from "./speech.ts";

/** The message that is replied to or forwarded; undefined if a reply may be sent without it. */
export function findOriginal(
  world: World,
  actor: string,
  { place, reference }: { place: Place; reference: ReferenceDraft },
): MessageRecord | undefined {
  if (reference.type === MessageReferenceType.Forward) return findForwarded(world, actor, reference);
  if (reference.channelId !== undefined && reference.channelId !== place.channel.id) {
    throw wrongReference("MESSAGE_REFERENCE_CHANNEL_MISMATCH", "Replies must be in the same channel as the message");
  }
  if (!readsHistory(world, place, actor)) throw cannotReplyUnread();
  const original = place.channel.messages.get(reference.messageId);
  if (!original) {
    if (reference.failIfNotExists === false) return undefined;
    throw wrongReference("REPLIES_UNKNOWN_MESSAGE", "Unknown message");
  }
  if (!SPEECH.has(original.type)) {
    throw wrongReference("REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message");
  }
  return original;
}

function findForwarded(world: World, actor: string, reference: ReferenceDraft): MessageRecord {
  if (reference.channelId === undefined) throw wrongReference("BASE_TYPE_REQUIRED", "This field is required");
  const from = requirePlace(world, actor, reference.channelId);
  if (!readsHistory(world, from, actor)) throw cannotForwardUnread();
  const original = from.channel.messages.get(reference.messageId);
  if (!original) throw unknownMessage();
  if (!SPEECH.has(original.type) || original.more?.poll) {
    throw wrongReference("MESSAGE_REFERENCE_NOT_FORWARDABLE", "This message cannot be forwarded");
  }
  const application = world.applicationOf(actor);
  if (application && !application.privileged.messageContent && from.guild && original.authorId !== actor) {
    throw cannotForwardUnread();
  }
  return original;
}

function wrongReference(code: FormProblem["code"], message: string) {
  return invalidForm([{ path: ["message_reference"], code, message }]);
}
