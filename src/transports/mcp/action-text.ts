import type { ChannelId, UserId } from "../../domain/ids.ts";
import { quoteName } from "../../domain/text/escape.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { Action, Confirmation } from "../../policy/confirmations.ts";
import type { Directory } from "../../ports/directory.ts";
import { spellOutHidden } from "../kit/spell-out-hidden.ts";

type Places = Pick<Directory, "channel">;

/** Everything that would be done, to the byte, as plain text for the actor. */
export function describeAction({ action, operation }: Confirmation, places: Places): string {
  const place = describePlace(action.channelId, operation.actor, places);
  if (action.kind === "react") {
    const reaction = spellOutHidden(action.emoji).text;
    return `Nothing has been done yet. This reaction would be added in ${place}, to the message ${action.messageId}:\n\n${quote(reaction)}`;
  }
  const texts = splitText(action.text).map(spellOutHidden);
  const hidden = texts.reduce((sum, one) => sum + one.hidden, 0);
  const what = texts.length === 1 ? "This message" : `These ${texts.length} messages`;
  const reply = action.replyTo === null ? "" : `, in reply to the message ${action.replyTo}`;
  const warning = `${hidden} characters in it cannot be seen, or would change how the rest reads; they are written out, like ⟨U+200B⟩.`;
  return [
    `Nothing has been done yet. ${what} would be sent to ${place}${reply}. ${describePings(action)}`,
    ...(hidden > 0 ? [warning] : []),
    ...texts.map(({ text }) => quote(text)),
  ].join("\n\n");
}

function describePlace(channelId: ChannelId, actor: UserId, places: Places): string {
  const channel = places.channel(channelId);
  if (!channel) return `the channel ${channelId}`;
  if (channel.kind !== "dm") return `#${quoteName(channel.name)} (${channelId})`;
  if (channel.recipients.includes(actor)) return "your direct messages with the bot";
  return `the bot's direct messages with ${channel.recipients.join(", ")}`;
}

function describePings({ text, mentions }: Extract<Action, { kind: "send" }>): string {
  const pinged = mentions.filter((id) => text.includes(`<@${id}>`) || text.includes(`<@!${id}>`));
  return pinged.length === 0 ? "Nobody would be pinged." : `This would ping ${pinged.join(", ")}.`;
}

/** Each line marked, so that nothing in it can pass for a sentence of ours. */
function quote(text: string): string {
  return text.replaceAll(/^/gm, "│ ");
}
