import type { Language } from "../../language/language.ts";

const MIN_ROOT_LENGTH = 4;

/** Other forms of a word: its beginning with another ending. None where the language has no endings or the word is too short. */
export function toWordForms(word: string, { endings }: Pick<Language, "endings">): string[] {
  if (endings.length === 0 || !/^[a-z]+$/.test(word) || word.length < MIN_ROOT_LENGTH) return [];
  const longest = endings
    .filter((ending) => word.endsWith(ending) && word.length - ending.length >= MIN_ROOT_LENGTH)
    .sort((a, b) => b.length - a.length)[0];
  const root = word.slice(0, word.length - (longest?.length ?? 0));
  return ["", ...endings].map((ending) => root + ending).filter((form) => form !== word);
}

const CYRILLIC = /^[а-яёіїєґ]+$/u;
const CYRILLIC_ENDING =
  /(?:иями|ями|ами|иях|иям|ием|ого|его|ому|ему|ыми|ими|ать|ять|ить|еть|ала|яла|ила|ела|али|яли|или|ели|ало|ило|ует|ают|яют|ает|яет|ишь|ешь|ия|ии|ию|ий|ие|ой|ей|ый|ая|яя|ую|юю|ое|ее|ые|ом|ем|ам|ям|ах|ях|ов|ев|ым|им|их|ых|ал|ил|ел|ет|ит|ут|ют|ат|ят|а|я|о|е|и|ы|у|ю|ь|й)$/u;
const ARABIC = /^\p{sc=Arabic}+$/u;
const ARABIC_PREFIX = /^(?:وال|بال|كال|فال|لل|ال|و)/u;
const ARABIC_SUFFIX = /(?:ها|ان|ات|ون|ين|يه|ية|ه|ة|ي)$/u;
const MIN_CYRILLIC_LENGTH = 3;
const MIN_ARABIC_LENGTH = 3;

/** The common stem of Russian or Arabic word forms; other words stay as they are. In Arabic also without the article and attached prefixes. */
export function toScriptStem(word: string): string {
  if (CYRILLIC.test(word)) {
    const stem = word.replace("ё", "е").replace(CYRILLIC_ENDING, "");
    return stem.length >= MIN_CYRILLIC_LENGTH ? stem : word;
  }
  if (!ARABIC.test(word)) return word;
  const bare = word.replaceAll("ى", "ي").replaceAll("ة", "ه");
  const open = keepIfLong(bare, bare.replace(ARABIC_PREFIX, ""));
  return keepIfLong(open, open.replace(ARABIC_SUFFIX, ""));
}

function keepIfLong(before: string, after: string): string {
  return after.length >= MIN_ARABIC_LENGTH ? after : before;
}
