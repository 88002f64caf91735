/** Words that say nothing about what a message is about, question words among them, without accents. */
const LISTS = {
  en: `a about above after again against all am an and any anybody anyone anything are arent as at be because been before being below
    between both but by can cant cannot could couldnt did didnt do does doesnt doing dont down during each few for from further had
    hadnt has hasnt have havent having he her here hers herself him himself his how however i if in into is isnt it its itself just
    let me more most my myself no nor not of off on once only or other our ours ourselves out over own same she should shouldnt so
    some somebody someone something such than that the their theirs them themselves then there these they this those through to too
    under until up very was wasnt we were werent what when where whether which while who whom whose why will with wont would wouldnt
    you your yours yourself yourselves
    http https www`,
  es: `el la los las un una unos unas de del al a ante con contra desde en entre hacia hasta para por segun sin sobre tras y e o u ni
    que quien quienes cual cuales cuando cuanto cuanta cuantos donde como porque pero si no se me te nos os le les lo mi tu su mis tus
    sus nuestro nuestra este esta estos estas ese esa esos esas eso esto aquel aquella aqui alli ahi muy mas menos ya tambien solo
    es son era eran fue fueron ser estar esta estan estaba hay habia ha han he hemos haber tiene tienen tenia yo ella ellos ellas
    nosotros usted ustedes algo alguien nadie nada todo todos toda todas otro otra dijo dijeron sabe`,
  pt: `o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com sem sobre entre ate desde e ou nem mas que
    quem qual quais quando quanto onde como porque se nao sim me te lhe lhes nos vos meu minha teu tua seu sua seus suas nosso nossa
    este esta isto esse essa isso aquele aquela aquilo aqui ali la muito mais menos ja tambem so eu ele ela eles elas voce voces
    e sao era eram foi foram ser estar esta estao estava ha havia tem tinha ter algo alguem ninguem nada tudo todos toda todas outro
    outra disse disseram sabe`,
  fr: `le la les l un une des du de d au aux a dans en sur sous avec sans pour par entre vers chez et ou ni mais que qu qui quoi quel
    quelle quels quelles quand combien ou comment pourquoi parce si ne pas n plus se s me m te t nous vous lui leur y je j tu il elle
    ils elles on mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces ca c est sont etait etaient ete etre fut a ont
    avait avaient avoir ai as tres aussi deja tout tous toute toutes autre autres quelque quelqu personne rien dit ici la`,
  de: `der die das den dem des ein eine einen einem einer eines und oder aber denn weil dass ob wenn als wie wo wann warum wieso wer
    wen wem wessen was welche welcher welches welchen wohin woher in im ins an am auf aus bei beim mit nach von vom zu zum zur uber
    unter vor hinter neben zwischen fur gegen ohne um durch bis seit nicht kein keine keinen nur auch noch schon sehr so ich du er sie
    es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein meine dein deine sein seine ihre unser unsere euer ist sind war waren
    bin bist sein hat haben hatte hatten habe wird werden wurde wurden kann konnen hier dort da dies diese dieser dieses alle alles
    jemand niemand etwas nichts gibt`,
  ru: `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из
    ему теперь когда даже ну ли если уже или ни быть был него до вас вам ведь там потом себя ничего ей может они тут где есть надо
    ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет кто этот того потому этого какой какая какие какое
    почему зачем куда откуда сколько этом эта это эти мой моя наш ваш чтобы при об нас про кого кому чей`,
  pl: `i w we z ze na do o u po od dla przez przy nad pod za bez oraz a ale lub albo czy ze ktory ktora ktore ktorzy kto kogo komu co
    czego czemu gdzie kiedy jak jaki jaka jakie dlaczego ile skad dokad nie tak tylko tez juz jeszcze bardzo jest sa byl byla bylo
    byli byc ma maja mial to ten ta te tego tej tym tych ja ty on ona ono my wy oni mnie mi cie ci go mu jej ich im sie swoj moj moja
    twoj jego nasz wasz tu tam ktos cos nikt nic wszystko wszyscy jesli gdy bo`,
  tr: `ve veya ile ama fakat icin gibi kadar de da ki mi mu bu su o bir her cok daha en ne neden nicin nasil nerede nereye nereden
    kim kimin kime kimi hangi hangisi kac zaman ben sen biz siz onlar bana sana ona bize size onlara benim senin onun bizim sizin
    var yok degil evet hayir mi ise diye sonra once olan oldu olarak sey biri kimse hicbir burada orada`,
  it: `il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla dai in nel nella nei
    nelle su sul sulla sui con per tra fra e ed o ma che chi cui quale quali quando quanto quanti dove come perche se non si mi ti ci
    vi lo ne io tu lui lei noi voi loro mio mia tuo tua suo sua nostro vostro questo questa questi queste quello quella quelli qui li
    molto piu meno gia anche solo e sono era erano essere stato stata ha hanno aveva avere ho qualcosa qualcuno nessuno niente tutto
    tutti tutta altre altro detto`,
  nl: `de het een en of maar want omdat dat die deze dit als dan toen wanneer waar waarom hoe wie wat welke welk wiens hoeveel in op aan
    bij met naar van voor over onder tussen door uit tot zonder tegen om te er niet geen ook nog al zeer heel ik jij je hij zij ze wij
    we jullie u mij me jou hem haar ons hen hun mijn jouw zijn onze is zijn was waren ben bent heeft hebben had hadden wordt worden
    werd kan kunnen hier daar iemand niemand iets niets alles alle`,
  ar: `في من الى على عن مع بعد قبل بين حتى منذ خلال عند لدى هذا هذه ذلك تلك هو هي هم نحن انا انت انتم الذي التي الذين ما ماذا متى اين
    كيف لماذا لم لن لا ليس كان كانت يكون هل او ام ثم قد لقد كل بعض غير اي ان اذا لكن بل كم مين شو ليش وين فين ايش`,
} as const;

export type QueryLanguage = keyof typeof LISTS;

const LANGUAGES = Object.keys(LISTS) as QueryLanguage[];
const STOP_WORDS: ReadonlyMap<QueryLanguage, ReadonlySet<string>> = new Map(
  LANGUAGES.map((language) => [language, new Set(LISTS[language].split(/\s+/u))]),
);

/** Of English alone: what is no word to search for in one language may be one in another. */
export function isStopWord(word: string): boolean {
  return isStopWordOf("en", word);
}

export function isStopWordOf(language: QueryLanguage, word: string): boolean {
  return STOP_WORDS.get(language)?.has(word) ?? false;
}

/** The language whose stop words are most of these words, folded; English unless another has clearly more. */
export function languageOf(words: readonly string[]): QueryLanguage {
  let [best, most] = ["en" as QueryLanguage, words.filter(isStopWord).length];
  for (const language of LANGUAGES) {
    const count = words.filter((word) => isStopWordOf(language, word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
