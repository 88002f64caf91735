import { BoundedMap } from "../bounded-map.ts";
import { foldBare } from "../search/keywords.ts";

/** A name as written and as people type it. */
export interface NameForms {
  /** As written, except for case, width and invisible characters. */
  readonly exact: string;
  /** Letters and digits only, without accents: "sarah" for "★Sarah★". Empty for a name without any. */
  readonly bare: string;
  /** Its words, also of "AntMaz" and "thune3". Empty if there is only one. */
  readonly words: readonly string[];
}

export function toForms(name: string): NameForms {
  const isPlain = PLAIN.test(name);
  const visible = isPlain ? name : name.normalize("NFKC").replaceAll(INVISIBLE, "");
  const parts = visible.replaceAll(isPlain ? PLAIN_SEAM : SEAM, " ").match(isPlain ? PLAIN_WORD : WORD) ?? [];
  const words = parts.map(isPlain ? toLower : toLetters);
  const bare = words.join("");
  return {
    exact: visible.toLowerCase().replaceAll(/\s+/gu, " ").trim(),
    bare,
    words: words.length > 1 ? words : [],
  };
}

/** Maps letters that look alike to one letter: "r00t" and "root", "siikah" and "silkah" become equal. */
export function toLookalike(bare: string): string {
  let alike = "";
  for (const letter of bare) alike += LOOKALIKES.get(letter) ?? letter;
  return alike;
}

/** Joiners, direction marks, variation selectors and the like. */
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Variation_Selector}]|[\u115f\u1160\u3164]/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Between "Ant" and "Maz", and before the number at the end of a word. */
const SEAM = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N}+(?![\p{L}\p{N}]))/gu;
/** Faster patterns for ASCII names, which most names are. */
const PLAIN = /^[ -~]*$/;
const PLAIN_WORD = /[A-Za-z0-9]+/g;
const PLAIN_SEAM = /(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9]+(?![A-Za-z0-9]))/g;

/** Letters that Unicode does not decompose: those with strokes, and the small capitals of decorated names. */
const LETTERS = toTable(
  "ł:l ø:o đ:d ð:d ħ:h ŧ:t ı:i æ:ae œ:oe þ:th ŋ:n",
  "ᴀ:a ʙ:b ᴄ:c ᴅ:d ᴇ:e ꜰ:f ɢ:g ʜ:h ɪ:i ᴊ:j ᴋ:k ʟ:l ᴍ:m ɴ:n ᴏ:o ᴘ:p ʀ:r ꜱ:s ᴛ:t ᴜ:u ᴠ:v ᴡ:w ʏ:y ᴢ:z",
);

const LOOKALIKES = toTable(
  "0:o 1:l i:l 3:e 4:a 5:s 7:t 8:b",
  "а:a в:b е:e к:k м:m н:h о:o р:p с:c т:t у:y х:x ѕ:s і:l ј:j ԁ:d һ:h",
  "α:a ο:o ρ:p ν:v υ:u ι:l κ:k τ:t ε:e",
);

function toTable(...lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(lines.flatMap((line) => line.split(" ").map((pair) => pair.split(":") as [string, string])));
}

function toLower(word: string): string {
  return word.toLowerCase();
}

function toLetters(word: string): string {
  const folded = foldBare(word);
  if (!/[^\0-\x7f]/.test(folded)) return folded;
  let letters = "";
  for (const letter of folded) letters += LETTERS.get(letter) ?? letter;
  return letters;
}

/** Cached: the agent's own name is in every operation, and the same people recur. */
const known = new BoundedMap<string, string>({ maxEntries: 1_000 });

/**
 * The same string for names that look alike (as the skeleton of Unicode TR 39): ignores case, width, style, accents, spaces and invisible
 * characters, and maps letters of other scripts to the Latin ones that they look like. For comparison only: it may merge names that a careful
 * reader can tell apart, which only costs one of them a number.
 */
export function toSkeleton(name: string): string {
  const before = known.use(name);
  if (before !== undefined) return before;
  const skeleton = skeletonOf(name);
  known.set(name, skeleton);
  return skeleton;
}

function skeletonOf(name: string): string {
  // Some letters do not look like their Unicode equivalent: ϲ does not look like σ.
  const plain = toLatin(name).normalize("NFKC").normalize("NFD").replace(UNSEEN, "");
  const latin = toLatin(toLatin(plain).toLowerCase());
  // Pairs of letters that look like one: "rn" like m, "vv" like w.
  return latin
    .replaceAll(/[\s\u2800]+/gu, "")
    .replaceAll("m", "rn")
    .replaceAll("w", "vv");
}

/** Not the marks of other scripts, which are letters of their own. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}]/gu;

/** For each Latin letter the characters that look like it, upper and lower case separately: Greek Ν is an N, ν is a v. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "АаΑαɑᴀᎪ⍺ӕ",
  b: "ВвΒβЬьʙᏴᏏᖯƀ",
  c: "СсϹϲᴄᏟⲤⲥ",
  d: "ԀԁᴅᎠᏧđð",
  e: "ЕеΕεЄєᴇᎬҽɛ℮",
  f: "ҒғꜰϜƒք",
  g: "ɡɢᏀԌցɠ",
  h: "НнΗҺһհʜᎻᏂħ",
  i: "ІіΙιıɪᎥӀӏⅠ",
  j: "ЈјϳյᎫᴊ",
  k: "КкΚκᴋᏦқ",
  l: "ʟᏞⅬլłǀ∣|",
  m: "МмΜᴍᎷϺ",
  n: "ΝηпոռɴղŋИи",
  o: "ОоΟοσօОᴏഠ০୦٥۵〇øθ",
  p: "РрΡρᴘᏢþ",
  q: "ԚԛզգɊ",
  r: "ГгЯяʀᎡᏒᴦ",
  s: "ЅѕΣꜱᏚՏƽ",
  t: "ТтΤτᴛᎢŧ",
  u: "υսᴜՍՄцμʋ",
  v: "νѴѵᴠᏙ",
  w: "ԜԝωшᴡᎳաɯ",
  x: "ХхΧχҲҳ᙭",
  y: "УуΥγүҮʏᎽჯყ",
  z: "ΖᴢᏃȥ",
  l1: "1iIl",
  o0: "0o",
};

const LATIN = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, alike]) =>
    [...alike].map((one): [string, string] => [one, letter.charAt(0)]),
  ),
);

function toLatin(text: string): string {
  let latin = "";
  for (const letter of text) latin += LATIN.get(letter) ?? letter;
  return latin;
}
