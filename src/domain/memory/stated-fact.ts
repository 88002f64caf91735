/** A fact as people state it about themselves. */
export interface StatedValue {
  readonly key: string;
  readonly value: string;
}

const FORMS: readonly { readonly key: string; readonly begins: RegExp }[] = [
  {
    key: "home",
    begins: /\b(?:i (?:now )?live|i(?:'m| am) (?:now )?living|i(?:'ve| have) moved|i moved) (?:in|to) /giu,
  },
  { key: "home", begins: /\bich (?:wohne|lebe) (?:jetzt )?in |\bj['’]habite (?:à|a|en|au) /giu },
  { key: "home", begins: /\b(?:yo )?vivo en |\b(?:eu )?(?:moro|vivo) em /giu },
  { key: "allergy", begins: /\bi(?:'m| am) allergic to /giu },
  { key: "languages", begins: /\bi speak /giu },
  { key: "likes", begins: /\bi (?:like|love) /giu },
  { key: "preference", begins: /\bi prefer /giu },
];
/** The end of a statement, and the start of another. */
const END = /[.!?;,\n]|\s(?:and|but|und|aber|y|pero|et|mais|e|mas) (?:i|my|ich|mein|yo|mi|je|mon|eu|meu)\b/iu;

/**
 * Facts that people state about themselves, each with a key: "I live in Lisbon" is `home: Lisbon`. The key follows from the text alone, so
 * it discloses nothing more.
 */
export function listStatedFacts(text: string): StatedValue[] {
  return FORMS.flatMap(({ key, begins }) =>
    [...text.matchAll(begins)].flatMap((found) => {
      const rest = text.slice(found.index + found[0].length);
      const value = rest.slice(0, END.exec(rest)?.index).trim();
      return value === "" ? [] : [{ key, value }];
    }),
  );
}
