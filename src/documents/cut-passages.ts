/** A part of a text under one heading. */
export interface Cut {
  readonly headings: readonly string[];
  readonly firstLine: number;
  readonly lastLine: number;
  readonly text: string;
}

/** About two hundred words: what a person would quote. */
const MAX_PASSAGE_LENGTH = 1_200;
const MAX_HEADING_LENGTH = 200;

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** A line that can be underlined to become a heading: neither list, quotation, table nor indented code. */
const PLAIN = /^ {0,3}(?![-*+>|#]|\d+[.)])\S/;

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Cuts a text at its headings, if it is Markdown, and long parts at blank lines where there are any. */
export function cutPassages(text: string, isMarkdown: boolean): Cut[] {
  const lines = text.split(/\r\n|\r|\n/).map((line, index) => ({ number: index + 1, text: line }));
  const cuts: Cut[] = [];
  const path: (string | undefined)[] = [];
  let section: Line[] = [];
  const end = () => {
    const headings = path.flatMap((heading) => heading || []);
    for (const part of cutSection(section)) cuts.push({ headings, ...part });
    section = [];
  };
  const begin = (level: number, title: string) => {
    end();
    path.length = level - 1;
    path[level - 1] = toHeading(title);
  };
  let fence = "";
  let isFrontMatter = isMarkdown && lines[0]?.text === "---";
  for (const [index, line] of lines.entries()) {
    const fenced = isMarkdown ? toFence(line.text, fence) : null;
    if (isFrontMatter) {
      section.push(line);
      if (index === 0 || line.text !== "---") continue;
      isFrontMatter = false;
      end();
    } else if (fenced !== null) {
      fence = fenced;
      section.push(line);
    } else if (!isMarkdown || fence !== "") section.push(line);
    else {
      const [, marks = "", title = ""] = HEADING.exec(line.text) ?? [];
      const underline = UNDERLINE.exec(line.text)?.[1];
      const [before, above] = [section.at(-1), section.at(-2)];
      const isUnderlined = underline && before && PLAIN.test(before.text) && !above?.text.trim();
      if (marks !== "") begin(marks.length, title);
      else if (isUnderlined && before.number === line.number - 1) {
        section.pop();
        begin(underline.startsWith("=") ? 1 : 2, before.text);
      } else section.push(line);
    }
  }
  end();
  return cuts;
}

/** The fence that is open after a line which opens or closes one ("" for none); null for any other line. */
function toFence(text: string, open: string): string | null {
  const [, marks = "", rest = ""] = FENCE.exec(text) ?? [];
  if (marks === "") return null;
  if (open === "") return marks.startsWith("`") && rest.includes("`") ? null : marks;
  const isClosing = marks.startsWith(open) && rest.trim() === "";
  return isClosing ? "" : null;
}

function toHeading(title: string): string {
  return title.trim().slice(0, MAX_HEADING_LENGTH).toWellFormed();
}

function* cutSection(section: readonly Line[]): Generator<Omit<Cut, "headings">> {
  let part: Line[] = [];
  let length = 0;
  for (const line of section.flatMap(splitLine)) {
    if (length + line.text.length > MAX_PASSAGE_LENGTH && part.length > 0) {
      const kept = keepUntilBlank(part);
      yield* toPart(part.slice(0, kept));
      part = part.slice(kept);
      length = part.reduce((sum, { text }) => sum + text.length + 1, 0);
      // The text since the last blank line may be too long together with this line.
      if (length + line.text.length > MAX_PASSAGE_LENGTH) {
        yield* toPart(part);
        part = [];
        length = 0;
      }
    }
    part.push(line);
    length += line.text.length + 1;
  }
  yield* toPart(part);
}

/** How many lines to keep together: up to the last blank line, if that is not near the beginning. */
function keepUntilBlank(part: readonly Line[]): number {
  const blank = part.findLastIndex(({ text }) => text.trim() === "");
  return blank > part.length / 3 ? blank : part.length;
}

function splitLine({ number, text }: Line): Line[] {
  const pieces: Line[] = [];
  for (let at = 0; at < Math.max(1, text.length); at += MAX_PASSAGE_LENGTH)
    pieces.push({ number, text: text.slice(at, at + MAX_PASSAGE_LENGTH).toWellFormed() });
  return pieces;
}

/** Without blank lines around it; nothing for what is blank altogether. */
function* toPart(part: readonly Line[]): Generator<Omit<Cut, "headings">> {
  const isFull = ({ text }: Line) => text.trim() !== "";
  const first = part.findIndex(isFull);
  const full = part.slice(first, part.findLastIndex(isFull) + 1);
  const [from, to] = [full[0], full.at(-1)];
  if (first === -1 || !from || !to) return;
  yield { firstLine: from.number, lastLine: to.number, text: full.map(({ text }) => text).join("\n") };
}
