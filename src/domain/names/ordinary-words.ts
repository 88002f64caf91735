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
  true false sure real really actually probably possibly possible seriously anyway anyways otherwise however instead
  now today tomorrow yesterday tonight morning evening night day days week month year time times hour minute soon later ago
  thing things way stuff people person man men woman guy guys girl boy folks team user users member members admin channel thread
  message messages server chat group room question answer error problem issue fun cool weird funny interesting perfect sweet
  well ok okay okey oki okie k kk yes yeah yea yah yep yup ya yeh no nah nope nay hi hey hello hiya bye goodbye
  thanks thank thx ty np welcome sorry pls plz oh ohh ooh ah ahh aha uh uhh uhm um umm hm hmm hmmm hmmmm mhm eh er err erm meh huh
  ha hah haha hahaha heh hehe heheh lol lmao rofl omg omfg wtf btw imo imho idk brb afk away wow ouch oops ugh argh bah phew
  ahem alright right agreed dunno whatever unfortunately`
    .split(/\s+/u)
    .filter(Boolean),
);

/** Expects lower case, without apostrophes. */
export function isOrdinaryWord(word: string): boolean {
  return ORDINARY.has(word);
}
