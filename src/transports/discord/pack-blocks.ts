import { COMPANION } from "../kit/spell-out-hidden.ts";

/** A text to show in full. Hidden characters are already spelled out. */
export interface TitledText {
  /** Shown outside of its block; null for none. */
  readonly title: string | null;
  readonly text: string;
}

const MAX_NOTE_LENGTH = 2_000;
/** With less room, no block is started. */
const MIN_ROOM = 200;
const FENCE = "```";
/** Maximum length of a spelled-out hidden character, such as ⟨U+200B×30⟩. */
const MAX_MARK_LENGTH = 24;

/** The texts in code blocks, in order, in as few notes as possible. */
export function packBlocks(head: string, texts: readonly TitledText[]): string[] {
  const notes = splitHead(head);
  let note = notes.pop() ?? "";
  for (const { title: name, text } of texts) {
    let title = name === null ? "" : `${name}:\n`;
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
      title = name === null ? "" : `${name}, continued:\n`;
    }
  }
  return [...notes, note];
}

/** Paragraphs that fit into a note each, in as few notes as possible. */
export function packParagraphs(head: string, paragraphs: readonly string[]): string[] {
  const notes: string[] = [];
  let note = head;
  for (const text of paragraphs) {
    if (note.length + text.length + 2 > MAX_NOTE_LENGTH) {
      notes.push(note);
      note = text;
    } else note = `${note}\n\n${text}`;
  }
  return [...notes, note];
}

/** Splits between words into pieces that fit into a note. A piece that continues a line begins with …, so that it is not formatted like
 * the start of a line. */
function splitHead(head: string): string[] {
  const pieces: string[] = [];
  let rest = head;
  while (rest.length > MAX_NOTE_LENGTH) {
    const end = Math.max(rest.lastIndexOf("\n", MAX_NOTE_LENGTH), rest.lastIndexOf(" ", MAX_NOTE_LENGTH));
    const at = end > 0 ? end : MAX_NOTE_LENGTH;
    pieces.push(rest.slice(0, at));
    rest = rest[at] === "\n" ? rest.slice(at + 1) : `…${rest.slice(at)}`;
  }
  return [...pieces, rest];
}

/** The start of a text as a code block within the room, and the rest of the text. */
function takeBlock(text: string, room: number): { block: string; rest: string } {
  const end = cut(text, room - 2 * (FENCE.length + 1));
  // Discord does not show empty lines at the ends of a block.
  const shown = text.slice(0, end).replace(/^\n+|\n+$/g, (run) => "⏎".repeat(run.length));
  return { block: `${FENCE}\n${shown}\n${FENCE}`, rest: text.slice(end) };
}

/** Cuts after a line break if that is late enough, else between units: characters, spelled-out characters, backticks with their
 * companion. */
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
