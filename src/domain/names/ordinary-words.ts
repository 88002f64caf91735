/**
 * Words that are not meant as a short or misspelt name: common English words and chat expressions. Without words that are also given names (will,
 * may, mark).
 */
const ORDINARY = new Set(
  `a an the this that these those here there where when why how what which who whom whose
  i me my mine myself you your yours yourself he him his himself she her hers herself it its itself
  we us our ours ourselves they them their theirs themselves one ones someone somebody something anyone anybody anything
  everyone everybody everything noone nobody nothing none all any both each few many more most much other others some such several
  and or but nor so yet if then else than because although though while until unless since
  of at by for with about against between into through during before after above below to from up down in out on off over under
  again further once only own same too very just also even still ever never always often sometimes maybe perhaps
  am is are was were be been being do does did doing done have has had having can cant could should would shall might must
  not dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt shouldnt havent hasnt hadnt
  im ive ill id youre youve hes shes its were theyre thats whats lets
  go goes going gone went get gets got getting make makes made making take takes took taken say says said saying
  see sees saw seen know knows knew think thinks thought want wants wanted need needs needed try tries tried use uses used
  find finds found give gives gave tell tells told ask asks asked work works worked call called keep kept let put set seem
  feel come came look looks looked wait stop start run show help please
  good bad great fine nice new old big small long short high low right wrong left next last first second own early late
  true false sure real really actually probably possible anyway otherwise however instead
  now today tomorrow yesterday tonight morning evening night day days week month year time times hour minute soon later ago
  thing things way stuff people person man men woman guy guys girl boy folks team user users member members admin channel thread
  message messages server chat group room question answer error problem issue fun cool funny
  well ok okay k kk yes no nope hi hey hello bye goodbye thanks thank thx ty np welcome sorry pls plz
  lol lmao rofl omg wtf btw imo imho idk brb afk away wow`
    .split(/\s+/u)
    .filter(Boolean),
);

/** What is longer is compared with no pattern. */
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

/** Expects lower case, without apostrophes. */
export function isOrdinaryWord(word: string): boolean {
  return ORDINARY.has(word) || (word.length <= MAX_SOUND_LENGTH && SOUND.test(word));
}
