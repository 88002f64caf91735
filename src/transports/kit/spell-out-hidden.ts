/** A text in which nothing is hidden from its reader. */
export interface SpelledOutText {
  readonly text: string;
  /** How many hidden characters were spelled out. */
  readonly hidden: number;
}

/**
 * Matches characters that are invisible or change how the rest is read: controls, direction marks, joiners, fillers, private and unassigned characters, and
 * accents piled higher than in any language. Emoji are matched whole, since they contain invisible characters. Compiled on first use, because the list of all
 * emoji takes a while.
 */
const hiddenPattern = () =>
  /(?<emoji>\p{RGI_Emoji})|(?<hidden>[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t]]|(?<=\p{M}{3})\p{M})\k<hidden>*/gv;

/** Long runs of empty lines could push the rest out of sight, also where they hold spaces. */
const LONG_BREAK = /\n(?:[\p{Zs}\t]*\n){4,}/gu;

/** Stands between backticks, so that they cannot end a code block. */
export const COMPANION = "\u200b";

/**
 * Writes out what is hidden, as ⟨U+202E⟩, and where there are many line breaks counts them, or writes them as ⏎ between spaces. Backticks are held apart by something invisible, so that
 * nothing can end the code block in which it is shown.
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
