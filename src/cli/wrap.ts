/** How many columns the lines of commands have at most. */
const MAX_COLUMNS = 100;

/** Breaks a line that is too long between words; what follows is indented further, below the text after a time. A word that is longer than a line stays whole. */
export function wrapLine(line: string): string[] {
  if (line.length <= MAX_COLUMNS) return [line];
  const [first = "", time = ""] = /^ *(\d{4}-\S+ \S+Z {2})?/.exec(line) ?? [];
  const hang = " ".repeat(time === "" ? first.length + 4 : first.length);
  return joinWords(line.slice(first.length).split(" "), { first, hang });
}

/** The words in lines; each stays whole, also one with spaces in it. */
export function joinWords(words: readonly string[], { first, hang }: { first: string; hang: string }): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(first + word);
    else if (last.length + 1 + word.length <= MAX_COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(hang + word);
  }
  return lines;
}
