import { type MessageId, toId } from "../../domain/ids.ts";
import { guessFact } from "../../domain/memory/guess-fact.ts";
import type { OwnRequest } from "../../gate/memory/own-facts.ts";
import type { FilledForm } from "../../ports/discord.ts";
import type { Form } from "../../ports/form.ts";
import { SHARE_CHOICES } from "./command-menu.ts";

const MAX_KEY_LENGTH = 100;
const MAX_VALUE_LENGTH = 2_000;

/** The form in which a person names a fact from their own message and chooses its audience. */
export function toRememberForm(messageId: MessageId, text: string): Form {
  const { key, value } = guessFact(text);
  return {
    id: `remember:${messageId}`,
    title: "Remember this",
    fields: [
      { id: "key", label: "What it is called, such as: time zone", value: key, most: MAX_KEY_LENGTH },
      { id: "value", label: "What is remembered", value: cut(value), most: MAX_VALUE_LENGTH, isLong: true },
      { id: "share", label: "Who may hear it", value: "private", choices: SHARE_CHOICES },
    ],
  };
}

/** Null for another form. The author of the message must still be checked. */
export function toRememberRequest({ id, form, fields, channelId, guildId }: FilledForm): OwnRequest | null {
  const messageId = toId<MessageId>(/^remember:(\d{1,20})$/.exec(form)?.[1]);
  if (!messageId) return null;
  const share = fields.get("share");
  return {
    key: fields.get("key") ?? "",
    value: fields.get("value") ?? "",
    visibility: share === "project" || share === "org" ? share : "private",
    channelId,
    guildId,
    typedIn: id,
    said: { channelId, messageId },
  };
}

/** As many whole words as fit into the field; characters if there are hardly any spaces. */
function cut(text: string): string {
  if (text.length <= MAX_VALUE_LENGTH) return text;
  const words = text.slice(0, MAX_VALUE_LENGTH + 1).replace(/\s*\S*$/u, "");
  return words.length > MAX_VALUE_LENGTH / 2 ? words : text.slice(0, MAX_VALUE_LENGTH).replace(/[\ud800-\udbff]$/, "");
}
