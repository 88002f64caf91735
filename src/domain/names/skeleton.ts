/**
 * What two names have in common that are easily taken for one another: case, width, style, accents, spaces and what cannot be seen do not count,
 * and letters of other scripts count as the Latin ones that they look like. For comparing only: it may merge names that a careful reader tells
 * apart, which costs those people no more than a number.
 */
export function toSkeleton(name: string): string {
  // Some letters look like another than the one that Unicode takes them for: ϲ is no σ to the eye.
  const plain = toLatin(name).normalize("NFKC").normalize("NFD").replace(UNSEEN, "");
  const latin = toLatin(toLatin(plain).toLowerCase());
  // Two letters that pass for one: "rn" for m, "vv" for w.
  return latin
    .replaceAll(/[\s\u2800]+/gu, "")
    .replaceAll("m", "rn")
    .replaceAll("w", "vv");
}

/** Marks of other scripts are letters of their own. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}]/gu;

/** For each Latin letter what looks like it, capitals apart from small letters: Greek Ν is an N, ν is a v. */
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
