/** Discord's limit for one message. */
const LONGEST_MESSAGE = 2_000;

const FENCE = "```";

/**
 * Cuts a long text into messages, at the best place near the end of each: between paragraphs, lines, sentences, words, and in any case between
 * user-perceived characters. A code block that must be cut is closed and opened again, so that each part stands for itself.
 */
export function splitText(text: string, most = LONGEST_MESSAGE): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  let reopening = "";
  while (rest !== "") {
    const room = most - reopening.length;
    if (rest.length <= room) {
      parts.push(reopening + rest);
      break;
    }
    const end = cutPosition(rest, room - FENCE.length - 1, reopening !== "");
    const piece = reopening + rest.slice(0, end).trimEnd();
    rest = rest.slice(end).replace(/^[ \t]*\n|^ +/, "");
    const open = openFence(piece);
    reopening = open === null ? "" : `${FENCE}${open}\n`;
    parts.push(open === null ? piece : `${piece}\n${FENCE}`);
  }
  return parts.filter((part) => part.trim() !== "");
}

/** Where to cut: after the last good break within the room, a code block being kept whole if it began in the second half. */
function cutPosition(text: string, room: number, insideFence: boolean): number {
  const window = text.slice(0, room);
  const lastFence = window.lastIndexOf(`\n${FENCE}`);
  if (!insideFence && lastFence > room / 2 && openFence(window) !== null) return lastFence + 1;
  for (const breaks of [/\n\n/g, /\n/g, /[.!?…。！？]["')\]]*\s/g, /\s/g]) {
    const last = [...window.matchAll(breaks)].at(-1);
    if (last && last.index + last[0].length > room / 2) return last.index + last[0].length;
  }
  return graphemeBoundary(text, room);
}

/** The last place up to `room` that tears no character apart; a monster that alone fills the room is torn between code points. */
function graphemeBoundary(text: string, room: number): number {
  let boundary = 0;
  for (const { index } of new Intl.Segmenter().segment(text.slice(0, room + 64))) {
    if (index > room) break;
    boundary = index;
  }
  if (boundary > 0) return boundary;
  const code = text.charCodeAt(room - 1);
  return code >= 0xd800 && code <= 0xdbff ? room - 1 : room;
}

/** The language of the code block that is still open at the end, "" for none given; null when all are closed. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const [, language = ""] of text.matchAll(/^```([\w+-]{0,20})/gm)) open = open === null ? language : null;
  return open;
}
