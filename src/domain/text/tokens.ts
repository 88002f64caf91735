/**
 * An upper estimate of the number of tokens in a text, made without a vocabulary. Running text is counted at rates above those measured
 * with o200k_base. Other text counts by its bytes: no tokenizer makes more tokens of it.
 */
export function estimateTokens(text: string): number {
  let total = 0;
  for (const piece of text.match(PIECE) ?? []) total += costOf(piece);
  return Math.ceil(total);
}

/** Each with an optional space before it: words (and their `'s`), capitals, punctuation, runs of other scripts with single spaces; digits; white space. */
const PIECE = / ?[A-Z]?[a-zÀ-ſ]+(?:'(?:[smtd]|re|ve|ll)\b)?| ?[A-Z]+| ?[!-/:-@[-`{-~]+|(?: ?[^ -~À-ſ\s])+|\d+|\s+/gu;

function costOf(piece: string): number {
  const last = piece.charCodeAt(piece.length - 1);
  if ((last >= 0x61 && last <= 0x7a) || (last >= 0xc0 && last <= 0x17f)) return costOfWord(piece);
  if (last >= 0x30 && last <= 0x39) return Math.ceil(piece.length / 3);
  if (last <= 0x20 && /\s/.test(piece)) return piece.length === 1 ? 1 : 1.5 + piece.length / 16;
  if (last < 0x20 || last > 0x7e) return costOfScript(piece);
  const sign = piece.trimStart();
  if (sign === sign.charAt(0).repeat(sign.length)) return 1 + (sign.length - 1) / 2;
  return 0.3 + sign.length * 0.7;
}

/** Long words cost more; so do words without a space before them, and rare letter pairs: keys, names, noise. */
function costOfWord(piece: string): number {
  const start = piece.charCodeAt(0) === 0x20 ? 1 : 0;
  const apostrophe = piece.indexOf("'");
  const end = apostrophe === -1 ? piece.length : apostrophe;
  let cost = Math.max(1, (start === 1 ? 0.1 : 0.9) + (end - start) * 0.2);
  if (piece.charCodeAt(start) > 0xff) cost += 1;
  for (let index = start + 1; index < end; index += 1)
    if (!isCommonPair(piece.charCodeAt(index - 1), piece.charCodeAt(index))) cost += 0.8;
  return cost;
}

/** Only the first letter of a word can be a capital. */
function isCommonPair(first: number, second: number): boolean {
  const row = (first < 0x61 ? first + 0x20 : first) - 0x61;
  const column = second - 0x61;
  return row < LETTERS && column < LETTERS && COMMON_PAIRS[row * LETTERS + column] === 1;
}

/** The letters that often follow each letter in languages with the Latin alphabet. */
const FOLLOWERS: Readonly<Record<string, string>> = {
  a: "bcdfghiklmnprstuvwyz",
  b: "aeiloru",
  c: "aehiklortu",
  d: "adeiorsuy",
  e: "abcdefgiklmnoprstvwxy",
  f: "aefiloru",
  g: "aehilnorsu",
  h: "aeiortu",
  i: "abcdefgklmnoprstvz",
  j: "aeou",
  k: "aeilos",
  l: "adefiklopstuy",
  m: "abeimopsuy",
  n: "acdefgiknostuvy",
  o: "abcdefghiklmnoprstuvwxy",
  p: "aehiloprstuy",
  q: "u",
  r: "abcdegiklmnorstuvy",
  s: "acehikmnopstuwy",
  t: "acehiloprstuwy",
  u: "abcdegilmnprst",
  v: "aeio",
  w: "aehinors",
  x: "pt",
  y: "eiost",
  z: "aeioz",
};

const LETTERS = 26;
/** The same by alphabet index: looking a pair up takes less time than counting the rest of its word. */
const COMMON_PAIRS = new Uint8Array(LETTERS * LETTERS);
for (const [first, followers] of Object.entries(FOLLOWERS))
  for (const second of followers)
    COMMON_PAIRS[(first.charCodeAt(0) - 0x61) * LETTERS + second.charCodeAt(0) - 0x61] = 1;

/** Tokens per character in running text of scripts that tokenizers know well, by Unicode range. The first match counts. */
const SCRIPTS: readonly { readonly from: number; readonly to: number; readonly rate: number }[] = [
  { from: 0x370, to: 0x3ff, rate: 0.65 }, // Greek
  { from: 0x400, to: 0x4ff, rate: 0.45 }, // Cyrillic
  { from: 0x530, to: 0x5ff, rate: 0.75 }, // Armenian, Hebrew
  { from: 0x600, to: 0x6ff, rate: 0.45 }, // Arabic
  { from: 0x900, to: 0x97f, rate: 0.5 }, // Devanagari
  { from: 0x980, to: 0xdff, rate: 0.8 }, // Bengali to Sinhala
  { from: 0xe00, to: 0xe7f, rate: 0.55 }, // Thai
  { from: 0x10a0, to: 0x10ff, rate: 0.8 }, // Georgian
  { from: 0x3100, to: 0x4dff, rate: 3 }, // Rare kana and ideographs
  { from: 0x3001, to: 0x9fff, rate: 1.1 }, // Kana and ideographs
  { from: 0xac00, to: 0xd7a3, rate: 0.9 }, // Hangul
];
/** Shorter runs do not count as running text. */
const MIN_RUN_LENGTH = 5;

function costOfScript(piece: string): number {
  let total = 0;
  let run = { script: scriptOf(0), length: 0, running: 0, bytes: 0 };
  const end = () => {
    total += run.script && run.length >= MIN_RUN_LENGTH ? run.running : run.bytes;
  };
  for (const character of piece) {
    const code = character.codePointAt(0) ?? 0;
    // A space is part of the word after it, but short words do not share a token.
    if (code === 0x20) {
      run.running += 0.5;
      run.bytes += 1;
      continue;
    }
    const script = scriptOf(code);
    if (script !== run.script) {
      end();
      run = { script, length: 0, running: 0, bytes: 0 };
    }
    run.length += 1;
    run.running += script?.rate ?? 0;
    run.bytes += bytesOf(code);
  }
  end();
  return total;
}

function scriptOf(code: number): (typeof SCRIPTS)[number] | undefined {
  return SCRIPTS.find(({ from, to }) => code >= from && code <= to);
}

/** In UTF-8; fewer for characters that every tokenizer has as one token: common quotes and dashes, emoji. */
function bytesOf(code: number): number {
  if ("‘’“”–—…•\ufe0f\u200d\u20e3\ufffd".includes(String.fromCodePoint(code))) return 1;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code < 0x10000) return 3;
  return code >= 0x1f1e6 && code <= 0x1faff ? 3 : 4;
}
