import type { ChannelId, GuildId, MessageId, UserId } from "../../domain/ids.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { Action, Confirmation } from "../../policy/confirmations.ts";
import type { Directory } from "../../ports/directory.ts";
import { spellOutHidden, takeBlock } from "../kit/spell-out-hidden.ts";

const MAX_NOTE_LENGTH = 2_000;
/** In less room than this no block is begun. */
const MIN_ROOM = 200;
/** The longest text there can be needs about a dozen, unless much of it has to be written out. */
const MAX_NOTES = 20;

type Places = Pick<Directory, "channel">;

/**
 * Everything that would be done, to the byte, as notes for the actor. Null when so much in it is hidden that nobody would read it through.
 */
export function describeAction({ action, operation, expiresAt }: Confirmation, places: Places): string[] | null {
  const messages = action.kind === "send" ? splitText(action.text) : [action.emoji];
  const visible = messages.map(spellOutHidden);
  const hidden = visible.reduce((sum, one) => sum + one.hidden, 0);
  const where = {
    place: describePlace(action.channelId, operation.actor, places),
    guildId: places.channel(action.channelId)?.guildId ?? null,
  };
  const head = [
    "**Nothing has been done yet.**",
    action.kind === "send" ? describeSend(action, messages.length, where) : describeReaction(action, where),
    `You can decide until <t:${Math.floor(expiresAt / 1_000)}:T>.`,
    ...(hidden > 0 ? [warnOf(hidden)] : []),
  ];
  const notes = pack(
    head.join("\n"),
    visible.map(({ text }) => text),
  );
  return notes.length > MAX_NOTES ? null : notes;
}

/** In words for the actor. */
export function describePlace(channelId: ChannelId, actor: UserId, places: Places): string {
  const channel = places.channel(channelId);
  if (channel?.kind !== "dm") return `<#${channelId}>`;
  if (channel.recipients.includes(actor)) return "your direct messages with me";
  return `my direct messages with ${toMentions(channel.recipients)}`;
}

interface Where {
  readonly place: string;
  readonly guildId: GuildId | null;
}

function describeSend(action: Extract<Action, { kind: "send" }>, count: number, where: Where): string {
  const { text, replyTo, mentions } = action;
  const what = count === 1 ? "This message" : `These ${count} messages`;
  const reply = replyTo === null ? "" : `, in reply to ${toLink(action, replyTo, where)}`;
  const pinged = mentions.filter((id) => text.includes(`<@${id}>`) || text.includes(`<@!${id}>`));
  const pings = pinged.length === 0 ? "Nobody would be pinged." : `This would ping ${toMentions(pinged)}.`;
  return `${what} would be sent to ${where.place}${reply}. ${pings}`;
}

function describeReaction(action: Extract<Action, { kind: "react" }>, where: Where): string {
  return `This reaction would be added in ${where.place}, to ${toLink(action, action.messageId, where)}.`;
}

function warnOf(hidden: number): string {
  const what = hidden === 1 ? "1 character in it" : `${hidden} characters in it`;
  return `:warning: ${what} cannot be seen, or would change how the rest reads. It is written out here, like ⟨U+200B⟩.`;
}

function toMentions(people: readonly UserId[]): string {
  return people.map((id) => `<@${id}>`).join(" ");
}

function toLink({ channelId }: Action, messageId: MessageId, { guildId }: Where): string {
  return `https://discord.com/channels/${guildId ?? "@me"}/${channelId}/${messageId}`;
}

/** The texts in code blocks, one behind the other, in as few notes as will hold them. Where there are several each is numbered, outside of its block. */
function pack(head: string, texts: readonly string[]): string[] {
  const notes: string[] = [];
  let note = head;
  for (const [index, text] of texts.entries()) {
    let title = texts.length > 1 ? `Message ${index + 1} of ${texts.length}:\n` : "";
    for (let rest = text; rest !== ""; ) {
      let room = MAX_NOTE_LENGTH - note.length - title.length - 1;
      if (room < MIN_ROOM) {
        notes.push(note);
        note = "";
        room = MAX_NOTE_LENGTH - title.length - 1;
      }
      const taken = takeBlock(rest, room);
      note = `${note}${note === "" ? "" : "\n"}${title}${taken.block}`;
      rest = taken.rest;
      title = texts.length > 1 ? `Message ${index + 1} of ${texts.length}, continued:\n` : "";
    }
  }
  return [...notes, note];
}
