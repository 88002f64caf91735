/** Discord's limit for one message. */
export const MAX_MESSAGE_CHARACTERS = 2_000;

/**
 * Every link in a text, verbatim, as Discord would make it clickable: bare, in angle brackets, in `[text](…)`; also invites without a scheme,
 * and mail addresses and telephone numbers in angle brackets. Where clients parse a link in two ways both are returned, and where they disagree
 * about its end the longer one. Links in code count as well, because clients also disagree about where code ends.
 */
export function extractLinks(text: string): string[] {
  return [...new Set(findLinks(text).flatMap(({ readings }) => readings))];
}

/** Like `extractLinks`, with each link also without trailing punctuation, which is rarely meant. For collecting known links. */
export function extractLinksWithTrimmed(text: string): string[] {
  return [...new Set(findLinks(text).flatMap(({ readings, shortest }) => [...readings, shortest]))];
}

/**
 * Defangs links that are not known: `hxxps://evil[.]example/…`. A link is known when all its readings are, character by character. If only the punctuation
 * after it makes it unknown, a space is put between them. A link too long for one message is never known: part of it would be another link.
 */
export function defangLinks(text: string, isKnown: (link: string) => boolean): string {
  const fits = (link: string) => link.length <= MAX_MESSAGE_CHARACTERS && isKnown(link);
  let result = limitMaskedLinks(text);
  // Changing one link may have changed a reading of another.
  for (let next = defangOnce(result, fits); next !== result; next = defangOnce(result, fits)) result = next;
  return result;
}

/** A message with more than 100 `[text](…)` links is hostile. Each takes time to parse; a space before the bracket turns it into plain text. */
function limitMaskedLinks(text: string): string {
  return text.split("](").length > MAX_MASKED ? text.replaceAll("](", "] (") : text;
}

const MAX_MASKED = 100;

interface Link {
  readonly start: number;
  readonly end: number;
  /** The text that makes it a link, usually the scheme. */
  readonly opening: string;
  readonly readings: readonly string[];
  readonly shortest: string;
}

/** The start of a link. After `[text](` any scheme counts, and a backslash before a character is ignored. A defanged link does not match. */
const OPENING = new RegExp(
  [
    String.raw`(?:https?|ftp|steam|discord)\\?:(?=\\?[/\\])`,
    String.raw`(?<=\]\(\s*<?)(?!hxxps?\\?:)[a-z][a-z\d+.-]*\\?:(?=[^\s)])`,
    String.raw`(?<=<)(?!hxxps?\\?:)[^: <>]{1,40}:(?=/[^ >]+>)`,
    "(?<=<)(?:mailto|tel|sms):(?=[^ >]+>)",
    String.raw`(?<=<)[^\s<>@[\]]+@(?=[^\s<>@]+>)`,
    String.raw`(?<=<)\+(?=\d[^<>]*>)`,
    String.raw`discord(?:\.(?:gg|gift|new)|(?:app)?\.com/(?:invite|gifts|template))/(?=[\w-])`,
  ].join("|"),
  "gi",
);

/** Longer than any Discord message. */
const MAX_LINK_LENGTH = 4_096;

/** Punctuation that may follow a link without being part of it. */
const PUNCTUATION = ".,:;!?`'\"()[]{}<>*_~|«»‹›“”‘’…。，、；：！？（）「」『』【】《》〈〉";

/** All links in order, each with all its readings. */
export function findLinks(text: string): Link[] {
  const links: Link[] = [];
  // Most messages have no sign of a link; looking for an opening takes ten times as long.
  if (!/[:/]|[^<]@|<\+/.test(text)) return links;
  for (let link = nextLink(text, 0); link; link = nextLink(text, link.end)) links.push(link);
  return links;
}

function defangOnce(text: string, isKnown: (link: string) => boolean): string {
  let result = text;
  for (let link = nextLink(result, 0); link; ) {
    let from = link.end;
    if (!link.readings.every(isKnown)) {
      const apart = separateLink(result, link, isKnown);
      const opening = defangOpening(link.opening);
      from = apart === null ? link.start + opening.length : link.start;
      result =
        apart ?? result.slice(0, link.start) + opening + breakHost(result.slice(link.start + link.opening.length));
    }
    link = nextLink(result, from);
  }
  return result;
}

function nextLink(text: string, from: number): Link | null {
  OPENING.lastIndex = from;
  for (let match = OPENING.exec(text); match; match = OPENING.exec(text)) {
    const link = readLink(text, match.index, match[0]);
    if (link) return link;
  }
  return null;
}

/** Null when nothing follows the opening. */
function readLink(text: string, start: number, opening: string): Link | null {
  const before = text.slice(Math.max(0, start - 16), start);
  const behind = text.slice(start, start + MAX_LINK_LENGTH);
  // Not every client ends a link at an unusual space.
  const run = /^[^ \t\n\v\f\r<]*/.exec(behind.slice(opening.length))?.[0] ?? "";
  const bare = opening + trimEnd(run, before);
  const angled = before.endsWith("<") ? /^[^ >]*(?=>)/.exec(behind)?.[0] : undefined;
  const masked = isMasked(text, start) ? readTarget(behind, before.endsWith("<")) : undefined;
  const readings = [...new Set([bare, angled, masked])]
    .filter((reading) => reading !== undefined)
    .filter((reading) => /[^/\\]/.test(reading.slice(opening.length)));
  if (readings.length === 0) return null;
  const shortest = opening + withoutPunctuation(bare.slice(opening.length).split(/\s/, 1)[0] ?? "");
  const end = start + Math.min(...readings.map(({ length }) => length));
  return { start, end, opening, readings, shortest };
}

/** Removes what every client cuts off: some punctuation, one `)` opened before the link, and the end of bold, spoiler, `<…>` and the like. Punctuation before a `)` stays. */
function trimEnd(run: string, before: string): string {
  const closing = [...(/[*_~|`<]{1,12}$/.exec(before)?.[0] ?? "")].map((sign) => (sign === "<" ? ">" : sign));
  let end = run.length;
  let isClosed = false;
  let mayTrim = true;
  for (; end > 0; end -= 1) {
    const last = run.charAt(end - 1);
    if (closing.includes(last)) {
      closing.splice(closing.indexOf(last), 1);
      mayTrim = true;
    } else if (last === ")" && !isClosed && isUnopened(run.slice(0, end))) {
      isClosed = true;
      mayTrim = false;
    } else if (!mayTrim || !".,:;\"']".includes(last)) break;
  }
  return run.slice(0, end);
}

function isUnopened(text: string): boolean {
  return text.split("(").length < text.split(")").length;
}

function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && PUNCTUATION.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Whether `](` precedes it, with optional white space and `<`. */
function isMasked(text: string, start: number): boolean {
  let index = text.charAt(start - 1) === "<" ? start - 1 : start;
  while (/\s/.test(text.charAt(index - 1))) index -= 1;
  return text.endsWith("](", index);
}

/** The target of `[text](…)`, up to the closing bracket: brackets inside may contain spaces, a backslash escapes the next character. */
function readTarget(behind: string, isAngled: boolean): string {
  const lastClose = behind.lastIndexOf(")");
  let index = 0;
  while (index < behind.length && !/[\s)]/.test(behind.charAt(index))) {
    if (behind.charAt(index) === "\\") index += 2;
    else if (behind.charAt(index) === "(" && index < lastClose) index = behind.indexOf(")", index) + 1;
    else index += 1;
  }
  const target = behind.slice(0, index);
  return isAngled && target.endsWith(">") ? target.slice(0, -1) : target;
}

/** The text with a space after the link, if that leaves no unknown reading; otherwise null. */
function separateLink(text: string, link: Link, isKnown: (link: string) => boolean): string | null {
  for (const reading of [link.shortest, ...link.readings].filter(isKnown)) {
    const close = /^[>)]+/.exec(text.slice(link.start + reading.length))?.[0] ?? "";
    for (const end of [reading.length + close.length, reading.length]) {
      const apart = `${text.slice(0, link.start + end)} ${text.slice(link.start + end)}`;
      if (readLink(apart, link.start, link.opening)?.readings.every(isKnown)) return apart;
    }
  }
  return null;
}

function defangOpening(opening: string): string {
  if (/^https?\\?:$/i.test(opening)) return opening.replace(/tt/i, "xx");
  if (opening.endsWith("/")) return opening.replace(".", "[.]");
  return `${opening.slice(0, -1)}[${opening.slice(-1)}]`;
}

/** Brackets the last dot of the host, if the text begins with one. */
function breakHost(text: string): string {
  const host = /^[/\\]+[^\s/\\?#<>()[\]]*/.exec(text)?.[0] ?? "";
  const dot = [...host.matchAll(/(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu)].at(-1)?.index;
  return dot === undefined ? text : `${text.slice(0, dot)}[.]${text.slice(dot + 1)}`;
}
