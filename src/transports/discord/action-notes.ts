import type { MessageId, UserId } from "../../domain/ids.ts";
import { toMessageLink } from "../../domain/text/message-link.ts";
import { STILL_KNOWS } from "../../domain/text/still-knows.ts";
import { type ActionDescription, type ActionPlace, toDisclosureLines } from "../kit/describe-action.ts";
import { packBlocks } from "./pack-blocks.ts";

/** The longest text there can be needs about a dozen, unless much of it has to be spelled out. */
const MAX_NOTES = 20;

/** Everything that would be done, as notes for the actor. Null when so much in it is hidden that nobody would read it through. */
export function toActionNotes(action: ActionDescription, expiresAt: number): string[] | null {
  const head = [
    "**Nothing has been done yet.**",
    describeDeed(action),
    `You can decide until <t:${Math.floor(expiresAt / 1_000)}:T>.`,
    ...(action.hidden > 0 ? [warnOf(action.hidden)] : []),
    ...toDisclosureLines(action, toPlaceWords),
    ...(action.hasStartedOver ? [STILL_KNOWS] : []),
  ];
  const { texts, titles } = action;
  const toTitle = (index: number) =>
    titles?.[index] ?? (texts.length > 1 ? `Message ${index + 1} of ${texts.length}` : null);
  const blocks = texts.map((text, index) => ({ title: toTitle(index), text }));
  const notes = packBlocks(head.join("\n"), blocks);
  return notes.length > MAX_NOTES ? null : notes;
}

/** In words for the actor. */
export function toPlaceWords(place: ActionPlace): string {
  if (place.kind === "own_dm") return "your direct messages with me";
  return place.kind === "channel" ? `<#${place.channelId}>` : `my direct messages with ${toMentions(place.recipients)}`;
}

function describeDeed(action: ActionDescription): string {
  const { kind, place, target } = action;
  const where = toPlaceWords(place);
  const message = target === null ? "a message" : toLink(place, target);
  switch (kind) {
    case "send":
      return describeSend(action);
    case "react":
      return `This reaction would be added in ${where}, to ${message}.`;
    case "edit":
      return `This text would take the place of ${message} in ${where}. Nobody would be pinged.`;
    case "delete":
      return `This message in ${where} would be deleted: ${message}`;
    case "thread":
      return `This thread would be started in ${where}${target === null ? "" : `, from ${message}`}. Nobody would be pinged.`;
    case "typing":
      return `I would be shown as typing in ${where}.`;
  }
}

function describeSend({ texts, target, pinged, place }: ActionDescription): string {
  const what = texts.length === 1 ? "This message" : `These ${texts.length} messages`;
  const reply = target === null ? "" : `, in reply to ${toLink(place, target)}`;
  const pings = pinged.length === 0 ? "Nobody would be pinged." : `This would ping ${toMentions(pinged)}.`;
  return `${what} would be sent to ${toPlaceWords(place)}${reply}. ${pings}`;
}

function warnOf(hidden: number): string {
  const what = hidden === 1 ? "1 character in it" : `${hidden} characters in it`;
  return `:warning: ${what} cannot be seen, or would change how the rest reads. It is written out here, like ⟨U+200B⟩.`;
}

function toMentions(people: readonly UserId[]): string {
  return people.map((id) => `<@${id}>`).join(" ");
}

function toLink({ channelId, guildId, web }: ActionPlace, messageId: MessageId): string {
  return toMessageLink({ guildId, channelId, messageId }, web);
}
