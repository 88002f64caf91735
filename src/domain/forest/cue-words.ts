/** What a cue word says about its message. Bits that can be combined. */
export const ASKS = 1;
export const GREETS = 2;
export const ACKNOWLEDGES = 4;
export const SAYS_YOU = 8;
export const GOES_ON = 16;

const WORDS: readonly (readonly [cue: number, words: string])[] = [
  // as the first word
  [ASKS, "how what whats why where when who which can could does do did is are any anyone anybody has should would"],
  [GREETS, "hi hey hello hiya greetings good yo anyone anybody"],
  [GOES_ON, "and but or so also because cause cuz then which with plus"],
  // among the first words
  [
    ACKNOWLEDGES,
    "yes yeah yep yup no nope ok okay thanks thank thx ty lol haha sure right cool great nice oh ah hm hmm np",
  ],
  [ACKNOWLEDGES, "true agreed exactly same sorry"],
  // anywhere
  [SAYS_YOU, "you your youre u ur"],
];

const CUES = new Map<string, number>();
for (const [cue, words] of WORDS) for (const word of words.split(" ")) CUES.set(word, (CUES.get(word) ?? 0) | cue);

/** Expects lower case. */
export function cuesOf(word: string): number {
  return CUES.get(word) ?? 0;
}
