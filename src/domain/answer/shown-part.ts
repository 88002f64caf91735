/** Whole constructs, each to its end, or to the end of the text while it is open. */
const CONSTRUCTS = new RegExp(
  [
    String.raw`\\[\s\S]?`,
    "```[\\s\\S]*?(?:```+|$)",
    "(?<ticks>`+)[\\s\\S]*?(?:(?<!`)\\k<ticks>(?!`)|$)",
    // A horizontal rule, and the rows of a table.
    String.raw`(?<=^|\n)[ \t]*(?:\*{3,}|_{3,})[ \t]*(?=\n|$)`,
    String.raw`(?<=^|\n)[ \t]*\|(?!\|)[^\n]*(?:\n[ \t]*\|[^\n]*)*`,
    String.raw`\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]\([^()]*(?:\([^()]*\)[^()]*)*(?:\)|$)`,
    String.raw`(?<cited>\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*(?:\]|[\s\S]*)|【[^】]*(?:】|$))`,
    String.raw`https?:\/\/[^\s<>\]]*[^\s<>\].!?…,;:)*_~|"'。！？]`,
    // Emphasis begins before a word and ends after one. An underscore within a word is none.
    String.raw`(?<mark>(?<!\*)\*{1,3}(?!\*)|(?<![\p{L}\p{N}_])_{1,3}(?!_)|~~|\|\|)(?=\S)(?:[\s\S]*?(?<=\S)\k<mark>(?![*_])|[\s\S]*)`,
  ].join("|"),
  "giu",
);
/** These stand for constructs in a text of the same length. A citation belongs to the sentence before it. */
const CITED = "\u{e000}";
const OTHER = "x";
const ENDED = /[.!?…][*_~|]+$/u;
const CLOSERS = "[\"'”’»)）」』】]";
/** Ends a sentence or a line, with the citations that belong to it; what comes next has to be there. Some signs need no space afterwards. */
const BOUNDARY = new RegExp(
  String.raw`(?:[.!?…।॥؟۔։።]${CLOSERS}*(?:\s*${CITED}+)*(?=\s)|[。！？｡](?:${CLOSERS}*(?:\s*${CITED}+)*)(?!${CLOSERS})|(?<=\S)(?=\s*\n))(?!\s*(?:$|${CITED}))`,
  "gu",
);
/** Titles and initials before a name, and numbers of a list; other abbreviations are recognised by the small letter that follows. */
const ABBREVIATION =
  /(?:^|[\s.(])(?:[Dd]r|Mr|Mrs|Ms|[Pp]rof|St|[Nn]o|[Nn]r|vs|Sra?|Fig|\p{Lu})\.$|(?:^|\n)[ \t]*\d+\.$/u;
const MAX_ABBREVIATION_LENGTH = 40;

/** An unfinished answer up to its last whole sentence or line outside of open code, links, citations, bold text or tables. A longer text shows at least as much. */
export function shownPart(text: string): string {
  let end = 0;
  for (const { 0: mark, index } of mask(text).matchAll(BOUNDARY)) {
    const before = text.slice(Math.max(0, index + 1 - MAX_ABBREVIATION_LENGTH), index + 1);
    const at = index + mark.length;
    const isAbbreviation = mark.startsWith(".") && (ABBREVIATION.test(before) || /^\s*\p{Ll}/u.test(text.slice(at)));
    if (!isAbbreviation) end = at;
  }
  return text.slice(0, end);
}

function mask(text: string): string {
  return text.replaceAll(CONSTRUCTS, (written, ...found) => {
    const groups: Readonly<Record<string, string | undefined>> = found.at(-1);
    if (groups["cited"] !== undefined) return CITED.repeat(written.length);
    // Bold text may be a sentence of its own.
    return OTHER.repeat(written.length - 1) + (groups["mark"] !== undefined && ENDED.test(written) ? "." : OTHER);
  });
}
