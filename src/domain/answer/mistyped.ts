import { editDistance } from "../names/edit-distance.ts";
import { isKnownWord } from "./known-words.ts";

/** How people type in a hurry. */
const CHAT_SPELLINGS: Readonly<Record<string, string>> = {
  ...{ waht: "what", wat: "what", wht: "what", whta: "what", wut: "what", hwat: "what", waat: "what", wot: "what" },
  ...{ wehn: "when", whne: "when", whn: "when", wen: "when", wher: "where", wehre: "where", whre: "where" },
  ...{
    hwo: "how",
    whoo: "who",
    wich: "which",
    whcih: "which",
    wy: "why",
    didd: "did",
    dose: "does",
    teh: "the",
    th: "the",
  },
  ...{
    wats: "what's",
    wots: "what's",
    whos: "who's",
    wheres: "where's",
    whens: "when's",
    whats: "what's",
    whys: "why",
  },
  ...{ hows: "how's", whatd: "what did", whered: "where did", whod: "who did", howd: "how did", whyd: "why did" },
  ...{ abt: "about", bout: "about", abot: "about", u: "you", ur: "your", r: "are", ya: "you", y: "why", n: "and" },
  ...{
    pls: "please",
    plz: "please",
    plss: "please",
    pleas: "please",
    cuz: "because",
    coz: "because",
    bc: "because",
    cos: "because",
  },
  ...{
    tmrw: "tomorrow",
    tmr: "tomorrow",
    tmw: "tomorrow",
    tomoz: "tomorrow",
    tdy: "today",
    tday: "today",
    ystd: "yesterday",
  },
  ...{
    yest: "yesterday",
    yday: "yesterday",
    tonite: "tonight",
    "2nite": "tonight",
    "2day": "today",
    "2moro": "tomorrow",
  },
  ...{ rn: "right now", wk: "week", wknd: "weekend", mins: "minutes", hrs: "hours", msg: "message", msgs: "messages" },
  ...{
    ppl: "people",
    sb: "somebody",
    smth: "something",
    sth: "something",
    any1: "anyone",
    some1: "someone",
    every1: "everyone",
  },
  ...{
    gimme: "give me",
    lemme: "let me",
    dya: "do you",
    wanna: "want to",
    gonna: "going to",
    gotta: "have to",
    hav: "have",
  },
  ...{
    hv: "have",
    im: "i'm",
    ive: "i've",
    dont: "don't",
    didnt: "didn't",
    isnt: "isn't",
    wasnt: "wasn't",
    doesnt: "doesn't",
  },
  ...{
    wont: "won't",
    cant: "can't",
    havent: "haven't",
    hasnt: "hasn't",
    arent: "aren't",
    thats: "that's",
    theres: "there's",
  },
  ...{
    thre: "there",
    ther: "there",
    thier: "their",
    sed: "said",
    sayd: "said",
    sez: "says",
    tel: "tell",
    vs: "versus",
  },
  ...{
    summerize: "summarize",
    summerise: "summarise",
    recomend: "recommend",
    recomended: "recommended",
    definately: "definitely",
  },
};

/** Words that tell what kind of question it is, and about which time. */
const ASKING =
  `what when where which whose many much does about said says tell think thinks recommend recommended suggest suggested
  decide decided announce announced mention mentioned promise promised suppose supposed yesterday today tomorrow tonight morning
  afternoon evening weekend month monday tuesday wednesday thursday friday saturday sunday latest recent recently summary summarize
  summarise recap catch missed happened happening anything anyone someone everyone everybody message messages channel thread people
  remember forget please thanks because bringing actually currently finally heavy often large`.split(/\s+/u);

const MIN_LENGTH = 4;
const MIN_LENGTH_FOR_EDITS = 5;
const MIN_LENGTH_FOR_TWO_EDITS = 8;

/** An English question with chat spellings written out, and the words that ask spelt right. Names and what is asked about stay. */
export function repairSpelling(text: string): string {
  return text
    .replaceAll(/(?<=\s)4(?=\s+(?:the|a|an|me|my|us|our|this|that|it)(?![\p{L}]))/giu, "for")
    .replaceAll(/(?<![\p{L}\p{N}_@#<:-])[\p{L}\p{N}][\p{L}\p{N}']*/gu, (written, at: number) =>
      repairWord(written, at === 0),
    );
}

export function isChatSpelling(word: string): boolean {
  return Object.hasOwn(CHAT_SPELLINGS, word);
}

function repairWord(written: string, isFirst: boolean): string {
  const lower = written.toLowerCase();
  const chat = isChatSpelling(lower) ? CHAT_SPELLINGS[lower] : undefined;
  if (chat !== undefined) return written.length < 3 && written !== lower ? written : chat;
  // What is written with a capital may be a name.
  if ((written !== lower && !isFirst) || lower.length < MIN_LENGTH || isKnownWord(lower)) return written;
  const maxEdits = lower.length < MIN_LENGTH_FOR_TWO_EDITS ? 1 : 2;
  const close = ASKING.map((word) => ({ word, edits: editDistance(lower, word, maxEdits) }))
    .filter(({ word, edits }) => edits <= maxEdits && isLikely(lower, word))
    .sort((a, b) => a.edits - b.edits);
  const [best] = close;
  return best && best.edits > 0 ? best.word : written;
}

/** In short words a letter more or less makes another word; swapped letters and missing vowels do not. */
function isLikely(typed: string, meant: string): boolean {
  if (typed[0] !== meant[0]) return false;
  if (Math.min(typed.length, meant.length) > MIN_LENGTH_FOR_EDITS) return true;
  if (Math.min(typed.length, meant.length) === MIN_LENGTH_FOR_EDITS && typed.length !== meant.length) return true;
  if (withoutVowels(typed) === withoutVowels(meant)) return true;
  return typed.length === meant.length && [...typed].sort().join("") === [...meant].sort().join("");
}

function withoutVowels(word: string): string {
  return word.replaceAll(/[aeiou]/gu, "");
}
