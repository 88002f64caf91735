import type { QueryLanguage } from "./stop-words.ts";

/**
 * Endings of nouns, adjectives and verbs that often change, without accents. The other forms of a word are its beginning with another of them.
 * English has its own stems, Russian and Arabic theirs by their script.
 */
const ENDINGS: Partial<Readonly<Record<QueryLanguage, readonly string[]>>> = {
  es: [
    ..."a e o as es os ar er ir ado ada ados adas ido ida idos idas ando iendo".split(" "),
    ..."aron ieron amos emos imos an en aba aban ia ian cion ciones mente ito ita".split(" "),
  ],
  pt: [
    ..."a e o as es os ar er ir ado ada ados adas ido ida idos idas ando endo indo".split(" "),
    ..."aram eram iram amos emos imos am em ou eu iu ava avam ia iam cao coes mente inho inha".split(" "),
  ],
  fr: "e s es ee ees er ir re ez ent ant ions ons ait aient ais a ai ment tion tions eur eurs euse aux al".split(" "),
  de: "e n en er es em ern s st t te ten tet et end ung ungen lich liche lichen chen isch".split(" "),
  pl: [
    ..."a e i o u y ie ia em om ow ach ami ego emu ej ych ymi im".split(" "),
    ..."ac ic yc al ala alo ali aly il ila ilo ili y la lo li ly".split(" "),
  ],
  tr: [
    ..."i u a e in un da de ta te dan den tan ten lar ler lari leri larin lerin larda lerde ya ye yi yu nin nun".split(
      " ",
    ),
    ..."di du ti tu dim tim iyor uyor mis mus acak ecek mak mek si su im um imiz umuz".split(" "),
  ],
  it: [
    ..."a e i o are ere ire ato ata ati ate ito ita iti ite uto uta uti ute ando endo".split(" "),
    ..."ano ono avano iamo zione zioni mente ino ina hi he".split(" "),
  ],
  nl: "e en s t te ten de den er ers ing ingen je jes tje tjes lijk lijke ende".split(" "),
};
const MIN_ROOT_LENGTH = 4;

/** Other forms of a word of the language; none where the language has no endings here or the word is too short. */
export function toWordForms(word: string, language: QueryLanguage): string[] {
  const endings = ENDINGS[language];
  if (!endings || !/^[a-z]+$/.test(word) || word.length < MIN_ROOT_LENGTH) return [];
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

/** What Russian or Arabic forms of a word have in common; other words stay as they are. Of Arabic also without the article and what is written with it. */
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
