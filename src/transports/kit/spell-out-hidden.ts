/** A text without hidden characters. */
export interface SpelledOutText {
  readonly text: string;
  /** Number of spelled-out characters. */
  readonly hidden: number;
}

/**
 * Matches characters that are invisible or change how the rest is read: controls, direction marks, joiners, fillers, private and unassigned
 * characters, and more stacked accents than any language uses. Emoji are matched whole, because they contain invisible characters. Compiled
 * on first use, because the list of all emoji is slow to build.
 */
const hiddenPattern = () =>
  /(?<emoji>\p{RGI_Emoji})|(?<hidden>[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t]]|(?<=\p{M}{3})\p{M})\k<hidden>*/gv;

/** Long runs of empty lines, even with spaces, could push the rest out of sight. */
const LONG_BREAK = /\n(?:[\p{Zs}\t]*\n){4,}/gu;

/** Separates backticks, so that they cannot end a code block. */
export const COMPANION = "\u200b";

/**
 * Spells out hidden characters, as ⟨U+202E⟩, and shortens long runs of line breaks to a count or to ⏎ between spaces. Backticks are
 * separated by an invisible character, so that the text cannot end its code block.
 */
export function spellOutHidden(text: string): SpelledOutText {
  let hidden = 0;
  const shown = text
    .replace(hiddenPattern(), (run, emoji: string | undefined, first: string | undefined) => {
      if (emoji !== undefined || first === undefined) return run;
      const count = run.length / first.length;
      hidden += count;
      const code = (first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      return `⟨U+${code}${count > 1 ? `×${count}` : ""}⟩`;
    })
    .replace(LONG_BREAK, (run) =>
      /[^\n]/.test(run) ? `${run.slice(0, -1).replaceAll("\n", "⏎")}\n` : `⟨${run.length} line breaks⟩\n`,
    )
    .replace(/`(?=`)/g, `\`${COMPANION}`);
  return { text: shown, hidden };
}
