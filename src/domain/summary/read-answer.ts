import { singleLine } from "../text/escape.ts";
import { defangLinks } from "../text/links.ts";
import type { Bullet } from "./bullets.ts";
import { type ModelPrompt, NOTHING } from "./prompts.ts";
import { cutAtWord } from "./quote.ts";

const MAX_CITES = 8;
const MAX_BULLET_LENGTH = 280;
/** The rest of a longer answer is ignored. */
const MAX_ANSWER_LENGTH = 20_000;

const BULLET = /^\s*(?:[-*•–]|\d{1,2}[.)])\s+(.+)$/;
const CITATION = /\s*\[\s*(m\d{1,6}(?:\s*[,;]\s*m\d{1,6})*)\s*\]/gi;

/**
 * Parses the bullets of a model's answer. Unknown handles are ignored, and so are lines without a known handle: a preface, an apology. Links that
 * are in no source are defanged. Null when no usable bullet is left, which is not the same as a model that found nothing (an empty list).
 */
export function readAnswer(
  answer: string,
  { cites, links }: ModelPrompt,
  { maxBullets, focus }: { maxBullets: number; focus?: string },
): Bullet[] | null {
  if (focus !== undefined && answer.trim().replace(/\.$/, "") === NOTHING) return [];
  const bullets = answer
    .slice(0, MAX_ANSWER_LENGTH)
    .split(/\r?\n/)
    .flatMap((line) => readLine(line, cites) ?? [])
    .slice(0, maxBullets)
    .map(({ text, cites: own }) => ({ text: defangLinks(text, (link) => links.has(link)), cites: own }));
  return bullets.length === 0 ? null : bullets;
}

function readLine(line: string, cites: ModelPrompt["cites"]): Bullet | null {
  const said = BULLET.exec(singleLine(line).replaceAll(/ +/g, " "))?.[1];
  if (said === undefined) return null;
  const handles = [...said.matchAll(CITATION)].flatMap(([, list = ""]) => list.toLowerCase().split(/\s*[,;]\s*/));
  const known = [...new Set(handles.flatMap((handle) => cites.get(handle) ?? []))].slice(0, MAX_CITES);
  const text = cutAtWord(said.replaceAll(CITATION, "").trim(), MAX_BULLET_LENGTH);
  return known.length === 0 || !/[\p{L}\p{N}]/u.test(text) ? null : { text, cites: known };
}
