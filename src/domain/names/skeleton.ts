import { BoundedMap } from "../bounded-map.ts";

/** The agent's own name is in every operation, and the same people come again and again. */
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
  const plain = toLatin(name).normalize("NFKC").normalize("NFD").replace(INVISIBLE, "");
  const latin = toLatin(toLatin(plain).toLowerCase());
  // Pairs of letters that look like one: "rn" like m, "vv" like w.
  return latin
    .replaceAll(/[\s\u2800]+/gu, "")
    .replaceAll("m", "rn")
    .replaceAll("w", "vv");
}

/** Not the marks of other scripts, which are letters of their own. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}]/gu;

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
