import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { foldBare } from "../search/keywords.ts";
import type { Pacer, Steps } from "../steps/pace.ts";

/** Created on first use, because it is slow. */
let segmenter: Intl.Segmenter | null = null;
const MAX_WORDS = 3;
/** A word that fewer of a conversation's messages have may occur there by chance. */
const MIN_SHARE = 1 / 5;

/** Scripts without spaces, whose words are short. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
/** Numbers, and Japanese function words. */
const NO_CONTENT = /\p{N}|^\p{Script=Hiragana}+$/u;

/**
 * Up to three topic words for each conversation, given as the words of its messages: used in several of its messages and rarely in other
 * conversations (tf-idf), in their most common spelling. None if no word stands out.
 */
export function* findTopicWords(
  conversations: readonly (readonly ReadonlyMap<string, string>[])[],
  ignored: ReadonlySet<string>,
  pacer: Pacer,
): Steps<string[][]> {
  const counted: ReadonlyMap<string, Count>[] = [];
  for (const conversation of conversations) counted.push(yield* countWords(conversation, ignored, pacer));
  const spread = new Map<string, number>();
  for (const words of counted) for (const word of words.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  return counted.map((words, index) => {
    const least = Math.max(2, (conversations[index]?.length ?? 0) * MIN_SHARE);
    return [...words]
      .filter(([, { messages }]) => messages >= least)
      .map(([word, { messages, forms }]) => ({
        form: commonest(forms),
        weight: messages * Math.log((1 + 2 * conversations.length) / (spread.get(word) ?? 1)),
      }))
      .sort((a, b) => b.weight - a.weight || (a.form < b.form ? -1 : 1))
      .slice(0, MAX_WORDS)
      .map(({ form }) => form);
  });
}

/** The cost of counting and scoring one word, in units of work. */
const WORD_COST = 100;

interface Count {
  messages: number;
  readonly forms: Map<string, number>;
}

function* countWords(
  conversation: readonly ReadonlyMap<string, string>[],
  ignored: ReadonlySet<string>,
  pacer: Pacer,
): Steps<Map<string, Count>> {
  const counts = new Map<string, Count>();
  for (const words of conversation) {
    for (const [word, form] of words) {
      if (ignored.has(word)) continue;
      const count = counts.get(word) ?? { messages: 0, forms: new Map<string, number>() };
      count.messages += 1;
      count.forms.set(form, (count.forms.get(form) ?? 0) + 1);
      counts.set(word, count);
    }
    // Includes the cost of scoring each word later.
    if (pacer.spend(WORD_COST * words.size)) yield;
  }
  return counts;
}

/** Content words: normalised form to written form. */
export function contentWordsIn(text: string): Map<string, string> {
  const words = new Map<string, string>();
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  for (const { segment, isWordLike } of segmenter.segment(text.replaceAll("’", "'"))) {
    if (!isWordLike || segment.length < 2) continue;
    if (segment.length < 4 && !SPACELESS.test(segment)) continue;
    const word = foldBare(segment).replaceAll("'", "");
    if (words.has(word) || NO_CONTENT.test(segment) || isOrdinaryWord(word) || FUNCTION_WORDS.has(word)) continue;
    words.set(word, segment);
  }
  return words;
}

function commonest(forms: ReadonlyMap<string, number>): string {
  return [...forms].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/** Function words of four letters and more, without accents: English beyond `isOrdinaryWord`, German, French, Spanish. */
const FUNCTION_WORDS = new Set(
  `across able along already among another around away back bring bringing brings brought done doesnt each else enough every
  gonna half hear heard into itll kind less like liked likes little lots mean means might mind near onto part plus quite rather
  sort thats theres theyll together upon wanna well whats whole with within without youll youre youve three four five seven eight nine hundred
  aber alles also auch beim damit dann dass dein deine dich diese dieser dieses doch dort durch eben eine einem einen einer eines
  etwas euch ganz gegen genau gerade habe haben hast hatte hier ihnen ihre ihren immer jetzt kann kannst mehr mein meine mich muss
  nach nicht nichts noch oder ohne schon sehr sein seine sich sind uber unter viel viele warum weil welche welcher wenn werden
  wieder wieso wird wurde
  alors aussi avait avec avoir bien cela cette ceux chez comme dans deja donc elle elles encore entre etait etre faire fait leur
  leurs mais meme merci notre nous parce peut plus pour quand quoi sans sont sous tous tout toute tres votre vous
  ahora algo alli aqui como cuando desde donde ella ellos entonces esta estas este esto estos gracias hacer hasta mucho muchos nada
  nosotros nunca otra otro para pero porque puede pues siempre sobre tambien tengo tiene toda todas todo todos ustedes`.split(
    /\s+/u,
  ),
);
