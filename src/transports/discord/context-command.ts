import type { MessageId } from "../../domain/ids.ts";
import type { ToolCall } from "../../gate/call/tool-call.ts";
import type { Invocation, Note } from "../../ports/discord.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import type { CommandCalls } from "./command-calls.ts";
import { MAX_NOTE_LENGTH, toTurn } from "./message-lines.ts";

const BEFORE = 10;

/** Shows the messages right before a message, visible to the invoking person only. */
export async function showContext(
  { invocation, messageId }: { readonly invocation: Invocation; readonly messageId: MessageId },
  manner: Pick<ToolCall, "signal" | "onProgress">,
  calls: CommandCalls,
): Promise<Note> {
  const names = calls.displayNames();
  const operation = await calls.openPrivately(invocation);
  const args = { message_id: messageId, before: BEFORE, after: 0 };
  const { messages } = await calls.call(getMessageContext, args, { operation, ...manner });
  const earlier = messages.filter(({ message_id }) => message_id !== messageId).toReversed();
  const [first] = earlier;
  if (!first) return { text: "Nothing was said here before this." };
  const title = `What led up to this, [from here on](${first.link}):`;
  const room = Math.floor((MAX_NOTE_LENGTH - title.length) / earlier.length) - 1;
  return { text: [title, ...earlier.map((message) => toTurn(message, room, names))].join("\n") };
}
