/** The meaning of a cue word for its message. Bits that can be combined. */
export const QUESTION = 1;
export const GREETING = 2;
export const ACKNOWLEDGEMENT = 4;
export const SAYS_YOU = 8;
export const CONTINUATION = 16;

const WORDS: readonly (readonly [cue: number, words: string])[] = [
  // as the first word
  [
    QUESTION,
    "how what whats why where when who which can could does do did is are any anyone anybody has should would",
  ],
  [GREETING, "hi hey hello hiya greetings good yo anyone anybody"],
  [CONTINUATION, "and but or so also because cause cuz then which with plus"],
  // among the first words
  [
    ACKNOWLEDGEMENT,
    "yes yeah yep yup no nope ok okay thanks thank thx ty lol haha sure right cool great nice oh ah hm hmm np",
  ],
  [ACKNOWLEDGEMENT, "true agreed exactly same sorry"],
  // anywhere
  [SAYS_YOU, "you your youre u ur"],
];

const CUES = new Map<string, number>();
for (const [cue, words] of WORDS) for (const word of words.split(" ")) CUES.set(word, (CUES.get(word) ?? 0) | cue);

/** Expects lower case. */
export function cuesOf(word: string): number {
  return CUES.get(word) ?? 0;
}
