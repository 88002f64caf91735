import { ENGLISH } from "../../language/languages.ts";

/** Longer words are not compared with the pattern. */
const MAX_SOUND_LENGTH = 12;
/** Sounds rather than words, however long they are drawn: hmm, ahh, ehm, hahaha, yeaah, nooo, okie, oops, ugh, whoa. No given names (Noah, Hao). */
const SOUND = new RegExp(
  `^(?:${[
    "(?:ha){2,}h?|(?:he){2,}h?|hah?|heh?|hu+h|l+o+l+",
    "h+m+|m+h+m*|m{2,}|a+h+a*|o{2,}h+|oh+|u+h+m*|u+m+|e+h+m*|e+r+m*",
    "u+g+h+|a+r*g+h+|b+a+h+|m+e+h+|p+h+e+w+|o+u*ch|o+ops|w+h?oa+h?|wo+w|y+a+y+",
    "y+e+a+h*|y+eh|y+[eu]+p+|ya+h?|n+o{2,}|n+o+pe+|n+a+[hy]+|o+k+(?:ay|ey|ie?)?",
  ].join("|")})$`,
);

/** A common English word or chat expression, which is not meant as a short or misspelt name. Expects lower case, without apostrophes. */
export function isOrdinaryWord(word: string): boolean {
  return ENGLISH.common.has(word) || (word.length <= MAX_SOUND_LENGTH && SOUND.test(word));
}
