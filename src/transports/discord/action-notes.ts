import type { MessageId, UserId } from "../../domain/ids.ts";
import type { ActionDescription, ActionPlace } from "../kit/describe-action.ts";
import { COMPANION } from "../kit/spell-out-hidden.ts";

const MAX_NOTE_LENGTH = 2_000;
/** In less room than this no block is begun. */
const MIN_ROOM = 200;
/** The longest text there can be needs about a dozen, unless much of it has to be spelled out. */
const MAX_NOTES = 20;
const FENCE = "```";
/** Of a hidden character that is spelled out, such as ⟨U+200B×30⟩. */
const MAX_MARK_LENGTH = 24;

/** Everything that would be done, as notes for the actor. Null when so much in it is hidden that nobody would read it through. */
export function toActionNotes(action: ActionDescription, expiresAt: number): string[] | null {
  const head = [
    "**Nothing has been done yet.**",
    action.kind === "send" ? describeSend(action) : describeReaction(action),
    `You can decide until <t:${Math.floor(expiresAt / 1_000)}:T>.`,
    ...(action.hidden > 0 ? [warnOf(action.hidden)] : []),
  ];
  const notes = pack(head.join("\n"), action.texts);
  return notes.length > MAX_NOTES ? null : notes;
}

/** In words for the actor. */
export function toPlaceWords(place: ActionPlace): string {
  if (place.kind === "own_dm") return "your direct messages with me";
  return place.kind === "channel" ? `<#${place.channelId}>` : `my direct messages with ${toMentions(place.recipients)}`;
}

function describeSend({ texts, target, pinged, place }: ActionDescription): string {
  const what = texts.length === 1 ? "This message" : `These ${texts.length} messages`;
  const reply = target === null ? "" : `, in reply to ${toLink(place, target)}`;
  const pings = pinged.length === 0 ? "Nobody would be pinged." : `This would ping ${toMentions(pinged)}.`;
  return `${what} would be sent to ${toPlaceWords(place)}${reply}. ${pings}`;
}

function describeReaction({ target, place }: ActionDescription): string {
  return `This reaction would be added in ${toPlaceWords(place)}${target === null ? "" : `, to ${toLink(place, target)}`}.`;
}

function warnOf(hidden: number): string {
  const what = hidden === 1 ? "1 character in it" : `${hidden} characters in it`;
  return `:warning: ${what} cannot be seen, or would change how the rest reads. It is written out here, like ⟨U+200B⟩.`;
}

function toMentions(people: readonly UserId[]): string {
  return people.map((id) => `<@${id}>`).join(" ");
}

function toLink({ channelId, guildId }: ActionPlace, messageId: MessageId): string {
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

/** The beginning of a text as a code block within the room, and what is left of the text. */
function takeBlock(text: string, room: number): { block: string; rest: string } {
  const end = cut(text, room - 2 * (FENCE.length + 1));
  // Discord does not show empty lines at the ends of a block.
  const shown = text.slice(0, end).replace(/^\n+|\n+$/g, (run) => "⏎".repeat(run.length));
  return { block: `${FENCE}\n${shown}\n${FENCE}`, rest: text.slice(end) };
}

/** Behind a line if that is not too early, else where nothing is torn apart: no character, nothing written out, no backtick from its companion. */
function cut(text: string, most: number): number {
  if (text.length <= most) return text.length;
  const line = text.lastIndexOf("\n", most - 1) + 1;
  if (line > most / 2) return line;
  const opened = text.lastIndexOf("⟨", most - 1);
  const isWithin = opened > most - MAX_MARK_LENGTH && text.indexOf("⟩", opened) >= most;
  const end = isWithin && opened > 0 ? opened : most;
  const code = text.charCodeAt(end - 1);
  const isTorn = (code >= 0xd800 && code <= 0xdbff) || text.charAt(end) === COMPANION;
  return isTorn ? end - 1 : end;
}
