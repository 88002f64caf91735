/** English words that say nothing about what a message is about, question words among them; and what every address has. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any anybody anyone anything are arent as at be because been before being below
  between both but by can cant cannot could couldnt did didnt do does doesnt doing dont down during each few for from further had
  hadnt has hasnt have havent having he her here hers herself him himself his how however i if in into is isnt it its itself just
  let me more most my myself no nor not of off on once only or other our ours ourselves out over own same she should shouldnt so
  some somebody someone something such than that the their theirs them themselves then there these they this those through to too
  under until up very was wasnt we were werent what when where whether which while who whom whose why will with wont would wouldnt
  you your yours yourself yourselves
  http https www`.split(/\s+/),
);

/** With these a request begins: "show me where …", "please look for …". Further on they are words like others. */
const REQUESTS: ReadonlySet<string> = new Set(
  "find finding search searching look looking show tell give get list remind please recall remember".split(" "),
);

/** In a question these speak of the talk itself, not of what it is about: "what did we say about …". */
const SPEAKING: ReadonlySet<string> = new Set(
  "say says said saying talked talking discuss discussed discussing mention mentioned mentioning speak spoke".split(
    " ",
  ),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

export function isRequest(word: string): boolean {
  return REQUESTS.has(word);
}

export function isSpeaking(word: string): boolean {
  return SPEAKING.has(word);
}
