/** A text as a person can judge it. */
export interface SpelledOutText {
  readonly text: string;
  /** How many characters were written out because nobody would have seen them. */
  readonly hidden: number;
}

/**
 * What cannot be seen, or changes how the rest is read: controls, direction marks, joiners, fillers, private and unassigned characters, and
 * accents piled higher than any language does. Emoji are looked at whole, since invisible characters belong into them.
 */
const HIDDEN =
  /(?<emoji>\p{RGI_Emoji})|(?<hidden>[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t]]|(?<=\p{M}{3})\p{M})\k<hidden>*/gv;

/** So many empty lines could push the rest out of sight. */
const LONG_BREAK = /\n{5,}/g;
/** Of what is written out. */
const MAX_MARK_LENGTH = 24;

const FENCE = "```";
/** Stands between backticks. */
const COMPANION = "\u200b";

/**
 * Writes out what is hidden, as ⟨U+202E⟩, and counts line breaks where there are many. Backticks are held apart by something invisible, so that
 * nothing can end the code block in which it is shown.
 */
export function spellOutHidden(text: string): SpelledOutText {
  let hidden = 0;
  const shown = text
    .replace(HIDDEN, (run, emoji: string | undefined, first: string | undefined) => {
      if (emoji !== undefined || first === undefined) return run;
      const count = run.length / first.length;
      hidden += count;
      const code = (first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      return `⟨U+${code}${count > 1 ? `×${count}` : ""}⟩`;
    })
    .replace(LONG_BREAK, (run) => `⟨${run.length} line breaks⟩\n`)
    .replace(/`(?=`)/g, `\`${COMPANION}`);
  return { text: shown, hidden };
}

/** The beginning of a visible text as a code block within the room, and what is left of the text. */
export function takeBlock(text: string, room: number): { block: string; rest: string } {
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
