import { enAnswers } from "./en-answers.ts";
import { begins, type Language, NAME, somewhere, wholly, wordSet } from "./language-words.ts";

const POLITE = "(?:(?:please|pls|can you|could you|would you|will you|hey|ok|okay|so)[, ]+)*";
/** What may come before the word that asks. */
const LEAD = `(?:(?:and|so|but|ok|okay|hey|um+|wait|well|sorry|remember|btw)[, ]+|(?:do|does|can|could|did|would) (?:you|anyone|anybody|someone|somebody|we) (?:know|remember|tell|say|remind|find out|look up|recall)(?: me| us)? |any(?:one|body)?(?: idea| clue)? |(?:tell|remind) me |i forgot |no idea |quick question[:,]? )*`;
const SAY =
  "say|says|said|saying|write|wrote|written|writing|post|posted|posting|think|thinks|thinking|mention|mentioned|tell|told|talk|talked|talking|share|shared|answer|answered|reply|replied|ask|asked|suggest|suggested|propose|proposed|recommend|recommended|announce|announced|report|reported|claim|promise|promised|decide|decided|want|wanted|complain|joke|comment|up to|working on|planning|on about|going on about|nominate|nominated";
const DO =
  "do|doing|done|make|making|made|build|building|buy|bought|bring|bringing|order|ordered|see|seen|saw|find|found|eat|ate|lose|lost|break|broke|need|needs|have|got|get|plan|try|fix|fixed|print|paint|learn|learned|read|use|like|study|record|measure|measured|borrow|sell|cook|bake|play|drop|forget|win";
const ADVERB = "(?:just |ever |actually |really |last |recently |also |again |even |already |been )*";
const ABOUT = `(?: (?:anything|something|much|us|me))?(?: (?:about|on|regarding|re|concerning|of|for|that|in))?(?: (?<topic>.+))?`;
const BOT = String.raw`(?<name>(?:the |any |other |all )*(?:bots?|ais?|machines)|<@!?\d+>|@?[\p{L}\p{N}_.-]+)`;
const UNIT = "(?:minutes?|hours?|days?|weeks?|months?)";
const COUNT = "(?:\\d+|a|an|one|two|three|four|five|six|seven|ten|few|a few|couple of|a couple of)";
const HERE = "(?:here|with us|(?:on|in) (?:this|the|our) (?:server|community|discord))";
const WEEKDAY = "(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)";

export const en: Language = {
  code: "en",
  marks: wordSet(
    "a an the is are was were what when where who why how which did does do you your my we our they about and of to it that this have has can could would should please any there here with from not me thanks hello hi hey on for at",
  ),
  says: enAnswers,
  asks: {
    thanks: wordSet(
      "thanks thank thx ty tysm tnx thankyou cheers ta ok okay okey oki k kk cool nice great perfect awesome lovely brilliant amazing excellent lol lmao haha hahaha hehe rofl yay np gotcha understood noted alright fine wow neat sweet yep yup yes yeah nope no roger bye goodbye goodnight gn cya good ace legend fair aha oh ah right sorry nevermind nvm hm hmm welcome omg omfg damn dang whoa woah wtf ikr lit based nailed correct true yea ye yas yess agreed ouch oops whoops rip pog gg kudos bravo props yikes phew interesting ttyl tty brb later peace np nw bless spot impressive aight ight word bet noice thanku thanx thnx tks appreciated appreciate",
    ),
    greetings: wordSet(
      "hi hello hey hiya heya yo sup howdy morning evening afternoon greetings hallo hullo gm wassup whatsup heyo hihi ello oi ahoy salut yoo hellooo heyy",
    ),
    fillers: wordSet(
      "you u so much a lot very bunch many again man mate bot buddy friend pal dude everyone everybody all guys folks there then now the for that this is was it its help helps helped helpful answer good day to really well done job one work i me my see will do sounds and but how are what's whats up going today doing dear works worked makes sense enough never mind worries problem no got know im i'm bad fast quick your youre you're the best exactly what needed wanted information info appreciate appreciated explaining explanation telling looking later night have new star life saver lifesaver savior literally just what i'll that's thats thatll cheers then ok oki sir chief boss captain anyway anyways fun funny clever smart bit on to love loved like it's we lot made my day we're in keep up great nice stuff point interesting know never forget about talk soon see ya around take care cool story bro true story",
    ),
    help: wholly(
      `${POLITE}help(?: me)?(?: please| pls| out)?`,
      "what (?:can|do|could) (?:you|u|this bot|earshot|this thing)(?: even| actually)? (?:do|help(?: me)? with|offer|know)(?: for (?:me|us))?(?: here)?",
      "what are (?:you|your (?:commands|features|abilities|skills|functions))(?: for| good for| able to do| capable of)?",
      "who are you|who (?:made|built|created|wrote|programmed) you|what(?:'s| is) your (?:purpose|job|function|name)|introduce yourself",
      "are you (?:a |an )?(?:bot|ai|human|person|real|robot|machine|llm|chatgpt|model)(?: person)?",
      "how (?:do|does|can|should) (?:i|we|you|this|it|one)(?: bot| thing)? (?:use (?:you|this|earshot|it)|work|ask you|talk to you)(?: here)?",
      "what (?:(?:kind|sort|type)s? of )?(?:questions? |things? |stuff )?(?:should|could|can|do) i (?:ask|use)(?: you)?(?: for| about)?(?: here)?",
      "can (?:you|u) (?:see|read|access|hear|view|look at|look into|search)(?: all| my| our| the| private| other| everyone's| people's| everything| in| any)*(?: (?:dms?|direct messages?|private messages?|pms?|messages?|channels?|chats?|threads?|files?|pictures?|images?|everything|history|conversations?))*(?: here| too)?",
      "(?:do|does|will) (?:you|u|it|earshot|this bot) (?:store|save|keep|record|log|share|leak|sell|spy on|track|read|remember)(?: all| my| our| the| private| everything| any)*(?: (?:dms?|messages?|data|chats?|conversations?|everything|stuff|questions?|us|me|what (?:i|we|people) (?:say|write|type|post|ask)))*",
      "(?:how|what) (?:do|does|can|should) (?:i|we|you|u|one|people) (?:use|ask|talk to|work with|call|summon|ping|command|do with|type)(?: (?:you|u|this|it|the bot|this bot|earshot))?(?: for| with| about)?(?: here)?",
      "what (?:all )?(?:can|could|may|should) (?:i|we) (?:ask|use)(?: you| u| this bot| earshot)?(?: for| about)?(?: here)?",
      "(?:so )?(?:what|how) (?:is|are|does) (?:this|that|you|u|it)(?: bot| thing| even| actually)* (?:do|work|for)(?: for (?:me|us))?|what (?:are|r) (?:you|u)|how (?:you|u) work|help me out|i need help|any commands|what commands(?: (?:do you have|are there|can i use))?|what(?:'s| is) an? earshot|who(?:'s| is) earshot",
      "(?:your |list |show )*(?:commands|usage|instructions|manual|features|options)|what(?:'s| is) (?:this bot|earshot|this thing)(?: for)?|how does this work",
    ),
    imperative: begins(
      `${POLITE}(?:(?:just|quickly|now) )?(?:(?:tell|show|give|send|get|remind|help|teach|inform|update) (?:me|us|him|her|them|everyone|everybody)|tell everyone|find (?:me|out|the|all|any|every|what|when|where|who|my|our|his|her|their|messages)|search|look (?:up|for|into)|list (?!of|is|was|are)|show (?:the|all|what|who|every|my|our|messages|posts)|summ?ari[sz]e|recap(?!:)|catch (?:me|us) up|fill (?:me|us) in|bring (?:me|us) up|get me up|explain|describe|quote|translate|remind|remember|memori[sz]e|note (?:down|that)|make a note|take a note|keep in mind|don'?t forget|forget (?!about it)|let (?:me|us) know|check (?:if|whether|when|what|who|where|the|for|our|my)|write (?:me|us|a|an|down)|gimme|copy (?:everything|all|the)|make up (?:a|an|some)|make (?:me|us|a) (?:a )?(?:summary|list|note)|(?:can|could|would|will) (?:you|u)|i(?:'d| would)? (?:need|want|wanna|like) (?:to (?:know|see|find|hear)|you to|a summary))`,
    ),
    remember: new RegExp(
      String.raw`^${POLITE}(?:remember|memori[sz]e|note(?: down)?|make a note|take a note|save|store|keep in mind|don'?t forget|write down|jot down|keep)(?: (?:for me|this|please|for later|of the fact))*(?::|,| that| -)?(?! (?:when|how|where|who|what|why|if)\b) (?<what>.+)$`,
      "iu",
    ),
    forget: new RegExp(
      `^${POLITE}(?:forget|erase|delete|remove|unlearn|stop remembering|don'?t remember)(?: (?:about|what you (?:know|remember|have)(?: stored| saved)?(?: about| on)?|the fact(?: that| about)?|that))* (?<what>.+)$`,
      "iu",
    ),
    act: new RegExp(
      `^${POLITE}(?:(?:post|pin|unpin|announce|edit|rename) (?:a|an|the|this|that|it|in|to|my|your|our|["“:]|<)|send (?!me |us ).+ (?:to|in|into) |send (?:a|an|this|that|it)(?!\\p{L})|(?:tell|ask) (?!me |us )(?:\\S+ ){1,6}(?:that|to|if|whether) |(?:ping|dm|remind|notify|warn) (?!me |us )(?:\\S+ ){1,6}(?:that|to|about|of) |react(?: with| to|$)|put an? .*(?:under|on|below) |(?:correct|change|fix) .* you (?:posted|wrote|said|sent)|(?:start|open|create|make) (?:a|an|another|the) (?:\\p{L}+ ){0,2}(?:thread|poll|event|channel|role|post|invite)|(?:kick|ban|mute|invite) (?:<|@|him|her|them))`,
      "iu",
    ),
    aboutMe: somewhere(
      "what (?:all |else |exactly )?(?:do|does|did|have) (?:you|earshot|u)(?: all)? (?:know|remember|remembered|stored?|saved?|kept|keep|have|got)(?: stored| saved| remembered| on file)? (?:about|on|of) me",
      "(?:which|what) (?:facts|things|data|info|information) .*(?:about|on) me",
      "(?:anything|something) (?:stored|saved|remembered|known) (?:about|on) me",
      "do you (?:know|remember) (?:anything about )?me",
      "my (?:saved |stored |remembered )?facts",
      "who am i(?= again$|$)",
    ),
    askedYou:
      /(?:what|which questions?)(?: else| all| exactly)? (?:did|have|had|'ve) i (?:just |last |already |ever |even |been )*ask(?:ed|ing)? (?:of )?(?:you|u|earshot)(?: (?:about|on|regarding) (?<topic>.+?))?(?: today| yesterday| earlier| before| last)*$|^(?:show me |list )?my (?:last |latest |recent |previous |earlier |own )*questions?(?: (?:to|for) you)?$/iu,
    bots: [
      new RegExp(String.raw`\b(?:have|did|do|had) you\b.*\b(?:discuss|debat|argu)\w* (?<topic>.+?) with ${BOT}`, "iu"),
      new RegExp(
        String.raw`\byour?\b.*\b(?:talk|chat|convers|discuss|spoke|speak|exchange|argu|debat)\w*\b.*?\b(?:with|to|between you and) ${BOT}(?: (?:about|on|regarding) (?<topic>.+))?$`,
        "iu",
      ),
      new RegExp(
        String.raw`\byou and ${BOT} .*?\b(?:talk|chat|discuss|say|speak|convers|argu)\w*(?: (?:about|on))?(?: (?<topic>.+))?$`,
        "iu",
      ),
    ],
    catchUp: somewhere(
      "catch (?:me|us) up|catch[- ]?up|fill (?:me|us) in|bring (?:me|us) up|up to speed|up to date",
      "(?:what|anything|did|much|have|what've) ?(?:did |have |had |has )?(?:i|we) (?:really )?(?:miss|missed)",
      "summ?ari[sz]e|summary|tl;? ?dr|recap|highlights|overview|digest",
      "what(?:'s| is| has| have| was|s)?(?: everyone| everybody| people| y'all| they| you all)?(?: been)? (?:going on|happening|talking about|discussed|discussing|chatting about|being discussed|being talked about|new|cooking)",
      "what(?:'s| is) (?:up|the (?:latest|news|state of things|status|buzz|word))(?= here| in| with everyone|$)",
      "what happened(?! (?:to|with|when|if|after|before) )|what'?s happened|anything (?:new|happening|happen|interesting)|any (?:news|updates?)",
      "(?:give (?:me|us) )?(?:the |a )?(?:g[ie]st|rundown|run-down|lowdown|tldr|short version|quick version|nutshell|main points|key points|bullet points|cliff ?notes|headlines)(?: of| on| for|$)",
      "(?:did )?(?:anything|something|much|a lot|stuff) (?:good |big |exciting |important |interesting |cool |worth knowing |else )?(?:happen(?:ed|ing)?|go(?:ing)? on|worth (?:knowing|reading)|i should know|to catch up on)",
      "anything (?:important|big|exciting|good|cool|urgent|notable|relevant|useful)(?= in | here| on | today| since| from|$)",
      "what (?:have|has|are|were|did) (?:people|everyone|everybody|they|you all|folks|you guys|y'all|the others|everyone else) (?:been )?(?:on about|up to|talking about|talk about|discussing|discuss|saying|say|chatting about|doing|do)(?= today| here| lately| in | this | since| while|$)",
      "while (?:i|we) (?:was|were|'ve been|have been)|(?:since|after) i (?:left|went|was gone)|(?:since|from) when i (?:left|was)",
      "(?:just )?(?:got|came|come|coming|am|i'm) back(?: home| online| from [\\p{L} ]+)?[,:.! ]+(?:what|anything|any|so)",
      "(?:was|been|i've been|have been|i was) (?:out|busy|asleep|sleeping|travelling|traveling|afk|sick|ill|at work|on holiday|on vacation|working|in meetings|at school)(?! (?:of|there|here))",
      "what(?:'s| is| has|s)? (?:been )?(?:the )?(?:talk|chatter|conversation|discussion|drama|vibe|mood|action|topic)s?(?: (?:today|here|about|in|been about|lately))+|what(?:'s| is) everyone (?:up to|on about|doing)|what(?:'s| is|s) (?:good|popping|poppin|hot|the tea|the haps|crackin)(?= |$)",
      "i(?:'ve| have|'m| was| am)? (?:been )?(?:away|gone|offline|asleep|just back|under a \\w+)",
    ),
    latest: somewhere(
      "(?:latest|last|newest|most recent|recent) (?:few |couple of |\\d+ |five |ten |three )?(?:messages|posts|lines)",
      "what(?:'s| is)? (?:just )?(?:happened|going on|happening|being said)(?: here)? (?:just|right) now",
      "what just happened|what was just said",
    ),
    person: [
      new RegExp(
        String.raw`\bwhat(?:'s|s|'d|'ve)?(?: else| exactly| all| stuff| things)?(?: did| has| have| had| does| do| is| was| were| didd?| dose)? ${NAME} ${ADVERB}(?:${SAY})(?![\p{L}])${ABOUT}$`,
        "iu",
      ),
      new RegExp(String.raw`\b(?:did|has|have|had|does|do) ${NAME} ${ADVERB}(?:${SAY})(?![\p{L}])${ABOUT}$`, "iu"),
      new RegExp(
        String.raw`\b${NAME}(?:'s|s')? (?:very )?(?:last|latest|newest|most recent|recent|previous|first) (?:message|post|word|comment|update)s?(?: (?:about|on|in|here)(?: (?<topic>.+))?)?$`,
        "iu",
      ),
      new RegExp(
        String.raw`\b(?:messages?|posts?|anything(?: new| else| recent)?|something|news|words|quotes?|everything|updates?) (?:from|by|of) ${NAME}${ABOUT}$`,
        "iu",
      ),
      new RegExp(String.raw`\bwhen did ${NAME} (?:last )?(?:${SAY}|speak)(?![\p{L}])${ABOUT}$`, "iu"),
      new RegExp(
        String.raw`\b${NAME}(?:'s|s') (?:opinion|opinions|take|view|views|thoughts|stance|position|advice|suggestion|idea|ideas|plans?)${ABOUT}$`,
        "iu",
      ),
      new RegExp(String.raw`\b(?:according to|quote) ${NAME},? ?(?<topic>.*)$`, "iu"),
      new RegExp(
        `^(?:find |show me |list )?(?<name>my)(?: last| latest| recent| own)? (?:messages?|posts?)${ABOUT}$`,
        "iu",
      ),
    ],
    deeds: [
      new RegExp(
        String.raw`\bwhat(?:'s|s)?(?: kind of [\p{L}]+| [\p{L}]+)?(?: did| has| is| was| does) ${NAME} ${ADVERB}(?<topic>(?:${DO})(?![\p{L}]).*)$`,
        "iu",
      ),
    ],
    me: wordSet("i me my myself"),
    pronouns: wordSet("he she they him her them his their hers theirs"),
    notNames: wordSet(
      "who what when where why how which we you it one people everyone anyone someone somebody anybody nobody all is was the this that there",
    ),
    thread: somewhere("(?:this|the|that) (?:thread|post)", "in (?:the )?thread", "thread so far"),
    aboutMessage: somewhere(
      "what(?:'s| is| was|s)? (?:this|that|it)(?: message| one| post)?(?: all)?(?: about| mean| for| referring to)?",
      "what does (?:this|that|it) (?:mean|refer to)",
      "what led (?:up )?to (?:this|that|it)(?: message| one| post)?",
      "what (?:came|happened|was said) (?:before|after|around)",
      "(?:more |the )?context",
      "explain (?:this|that)|what are they (?:talking|on) about",
    ),
    myFact: new RegExp(
      String.raw`^${LEAD}(?:what(?:'s|s| is| are| was)? |where(?:'s| is| are)? |when(?:'s| is)? |which(?: is)? |who(?:'s| is)? )?my (?!last|latest|messages?|posts?)(?<what>[\p{L}\p{N}' -]+?)(?: is| are| again| called| please)*$`,
      "iu",
    ),
    theirFact: new RegExp(
      String.raw`^${LEAD}(?:what(?:'s|s| is| are)?|where(?:'s|s| is| are)?|when(?:'s| is)?|which(?: is)?) (?:the (?:name|colour|color|age|size|type|kind) of )?${NAME}(?:'s|s'|s) (?<what>[\p{L}\p{N}' -]+?)$`,
      "iu",
    ),
    held: [
      new RegExp(
        String.raw`^${LEAD}(?:what|which) (?<what>[\p{L}\p{N}' -]+?) (?:does|do|has|have) ${NAME} (?:have|hold|got)(?: now| ${HERE})?$`,
        "iu",
      ),
      new RegExp(
        `^${LEAD}(?:does|do|has|have) ${NAME} (?:have|hold|got) (?:.{1,60} )?(?<what>roles?)(?: ${HERE})?$`,
        "iu",
      ),
      new RegExp(`^${LEAD}(?:what|which) (?<what>time ?zone|city|town|country) (?:is|am) ${NAME} in$`, "iu"),
    ],
    joined: [
      new RegExp(
        `^${LEAD}(?:when|how long ago|(?:on )?(?:what|which) da(?:y|te)) did ${NAME} (?:first )?(?:join|become a member)(?: us| ${HERE}| (?:this|the|our) (?:server|community|discord))?$`,
        "iu",
      ),
      new RegExp(
        `^${LEAD}(?:since when (?:is|am|has|have)|(?:for )?how long (?:has|have)) ${NAME} (?:already )?(?:been )?(?:a member(?: of (?:this|the|our) (?:server|community))?|${HERE})$`,
        "iu",
      ),
    ],
    aboutPerson: [
      new RegExp(`^${LEAD}who(?:'s|s| is) ${NAME}(?: again| here| please)*$`, "iu"),
      new RegExp(`^${LEAD}who ${NAME} is$`, "iu"),
      new RegExp(
        `^${LEAD}what(?: all| else| exactly)?(?: (?:do|can|could) (?:you|u|we) (?:know|remember|tell (?:me|us)|say)|(?:'s| is) (?:known|remembered)) (?:about|of) ${NAME}$`,
        "iu",
      ),
      new RegExp(
        `^${POLITE}(?:tell (?:me|us)|do you (?:know|remember))(?: (?:more|a bit|a little|something|anything|everything|all|what|you|is|do|we|know|known))* about ${NAME}$`,
        "iu",
      ),
    ],
    sharedFacts: somewhere(
      "(?:what|which|any|anything) .*(?:know|remember(?:ed)?|stored|saved|facts?) (?:about|on|for|of|by) (?:the |this |our )?(?:project|server|community|team|us|place|whole server)",
      "(?:project|server|shared|saved|stored|remembered) facts?",
      "what(?:'s| is) (?:remembered|stored|saved|known)(?! about (?!(?:this|the|our) ))(?: here| about .+)?",
    ),
    needsModel: [
      somewhere(
        "(?:tell|give|know|say|make|crack|got|have)(?: me| us)?(?: a| an| another| some| any| one)* ?(?:good |bad |dad |funny |short |silly |boat )*(?:jokes?|riddles?|puns?|stor(?:y|ies)|poems?|haikus?|limericks?|rap|fun facts?|compliment|roast)",
        "(?:write|compose|draft|generate|create|invent|rewrite|rephrase|paraphrase|improve|proofread|imagine|draw|design|code|sing|make up)(?: me| us| up)? (?:a|an|some|my|this|the|another|something|code)",
        "translat(?:e|ion)|how do (?:you|i) say .+ in [\\p{L}]+",
        "square root|to the power of|\\d (?:plus|minus) \\d|multiplied by|divided by|percent of|\\d+ ?% of",
      ),
      somewhere(
        "(?<!what |when |where |who |how |which )(?:should|shall) (?:i|we)|what should (?:i|we|one) (?:do|say|cook|buy|watch|eat|wear|learn|name|call|write|give|play|think)|is it (?:ok|okay|worth|good|bad|safe|wrong|better|best|healthy|normal) (?:to|if)|what(?:'s| is) the best (?:way to|movie|film|book|song|game|phone|car|laptop)",
        "your (?:opinion|favou?rite|thoughts|advice|feelings?|mood|dreams?)|what do you think|what would you",
        "do you (?:like|love|feel|believe|dream|want|prefer|enjoy|eat|sleep|exist|think)",
        "are you (?:conscious|sentient|alive|happy|sad|ok|okay|smart|single|sure|bored|tired|lonely)",
        "(?:give|any|got|some|need)(?: me| us)?(?: some| any| good)* (?:advice|tips|ideas|suggestions|inspiration|recommendations)",
        "recommend(?: me| us)?(?: a| an| some)?(?: good| nice)? (?:movie|film|book|song|series|show|game|restaurant|podcast|anime|recipe|album)",
        "roll (?:a |the |some )?(?:die|dice|d\\d+)|flip a coin|pick a (?:number|card)|random (?:number|word|fact)|play (?:a game|chess|hangman|trivia)",
        "pros and cons|which is better|what(?:'s| is) better",
      ),
      somewhere(
        "(?:capital|population|president|prime minister|king|queen|currency|gdp|flag|anthem|area|language) of",
        "(?:who|when|what year) (?:was |did .+ )?(?:invented?|discovered?|founded|painted the (?:mona|sistine|starry|scream|last supper)|composed|born)(?: .+)?|won the (?:world|nobel|super|oscars?|election|olympics)",
        "(?:tallest|largest|biggest|longest|fastest|deepest|highest|richest|oldest|smallest) .+ (?:in the world|on earth|ever|in history|alive|in the universe)",
        "meaning of life|speed of (?:light|sound)|boiling point|freezing point|distance (?:to|between|from)|how far (?:away )?is the (?:moon|sun|earth)|how old is the (?:universe|earth|sun)|photosynthesis|black holes?|quantum|relativity|evolution|dinosaurs?|world war|roman empire|stock price|bitcoin|exchange rate|horoscope|lottery|solar system|galaxy|homework",
        "how (?:do|can|should|to) ?(?:i|you|we|one)? (?:cook|boil|lose weight|get rich|become|learn (?:to|how)|invest|meditate|sleep better|make friends|quit|solve|prove)",
        "explain (?!this|that|what|why|how we|our)[\\p{L}]+|define|definition of|synonyms? (?:of|for)|antonym|rhymes? with|how do you spell",
        "who is the (?:president|prime minister|king|queen|pope|richest)|what year is it|what(?:'s| is) the time",
      ),
      begins("solve|calculate|compute|convert"),
    ],
    wanted: [
      [
        somewhere(
          "where (?:did|have|was|were|has) .*(?:discuss|talk|said|say|decide|mention|post|writ|announc|chat)\\w*",
        ),
        "said",
      ],
      [
        begins(
          `${LEAD}(?:when(?:'s|s)?|what time|what day|which day|what date|which date|until when|till when|by when|since when|at what time|how (?:soon|late|early)|what(?:'s|s| is| was) the (?:date|time|deadline|day|[\\p{L}]+ date|schedule|[\\p{L}]+ deadline))`,
        ),
        "when",
      ],
      [begins(`${LEAD}(?:who(?:'s|se|m|s)?|which (?:person|member|of us|people)|by whom)`), "who"],
      [
        begins(
          `${LEAD}(?:where(?:'s|s)?|in which (?:channel|room|place|drawer)|which (?:room|place|drawer|shelf|hall|street|pub|bar))`,
        ),
        "where",
      ],
      [
        somewhere(
          "what(?:'s|s| is| was| are)? .*(?:called|named)",
          "what(?:'s|s| is| was)? the (?:[\\p{L}]+ )?name (?:of|for)|what(?:'s|s| is| was) .+ name",
          "what (?:did|do) (?:we|they|you) (?:call|name) .+",
        ),
        "name",
      ],
      [
        somewhere(
          "how (?:many|much|long|old|big|far|tall|heavy|deep|often|thick|large|wide|high|fast|warm|cold|hot|strong|small|loud|accurate)",
          "what(?:'s|s| is| was| were| are)? (?:the |our |a )?(?:[\\p{L}]+ )?(?:price|cost|costs|number|temperature|temp|size|length|width|ratio|percentage|score|result|total|amount|weight|depth|speed|limit|fee|fees|budget|salary|count|range|height)",
          "(?:what|which) (?:size|number|ratio|temperature|percentage|price|version|angle|voltage|speed|setting|place did)",
        ),
        "how_many",
      ],
      [begins(`${LEAD}(?:why|how come|what(?:'s| is| was) the reason|for what reason)`), "why"],
      [
        begins(
          "(?:(?:and|so|but|hey)[, ]+)*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|am|isn't|aren't|wasn't|didn't|doesn't|don't|hasn't|haven't|won't)(?! (?:you|anyone|anybody|someone|somebody) (?:know|remember|tell|remind|find|show|search|recommend))",
        ),
        "yes_no",
      ],
    ],
    latestState: somewhere(
      "still|now|currently|current|latest|final|finally|in the end|end up|ended up|settled?(?: on)?|decided?|decision|agreed?|any ?more|actual|actually|these days|change[ds]?|moved|instead|official(?:ly)?|or not|after all",
    ),
    recent: somewhere(
      "just|earlier|today|this (?:morning|afternoon|evening)|recently|a (?:minute|moment|second|while|bit) ago|(?:minutes?|hours?) ago|right now|tonight|so far|so far today",
    ),
    here: somewhere("in (?:here|this (?:channel|room|chat))", "here$"),
    times: [
      [somewhere("earlier today|today"), "today"],
      [somewhere("this morning"), "this morning"],
      [somewhere("this (?:afternoon|evening)"), "today"],
      [somewhere("(?:the )?day before yesterday"), "the day before yesterday"],
      [somewhere("yesterday(?: (?:morning|afternoon|evening))?|last night"), "yesterday"],
      [somewhere("(?:last|this|the past|past) (?:week|month|weekend|year)"), "$&"],
      [somewhere(`(?:in |over |during |within |for )?the (?:last|past) ${COUNT} ${UNIT}`), "$&"],
      [somewhere(`${COUNT} ${UNIT} ago`), "$&"],
      [somewhere(`last ${WEEKDAY}`), "$&"],
      [somewhere(`since (?:yesterday|${WEEKDAY}|this morning|last (?:week|night|month))`), "$&"],
    ],
    follow: {
      stillTrue: wholly(
        "(?:and |but |so |wait |ok )*(?:is|was|are) (?:that|this|it|those|they)(?: all)? (?:still |really |actually )*(?:true|right|correct|valid|the case|current|up to date|accurate|the plan|happening|on|final|certain|sure|official|so|planned)(?: now| anymore| today| though)?",
        "(?:and |but |so )*(?:still|really|sure|you sure|are you sure|is that so|for sure|confirmed|has (?:that|it|this) changed(?: since)?|did (?:that|it|this) change|any (?:change|changes|updates?|news)(?: (?:on|about|to|since)(?: (?:that|it|this|then))?)?|(?:and )?(?:since|after) then|what happened (?:since|then|next|after that)|and (?:now|after(?: that)?|then)|(?:is there )?(?:anything|something) (?:newer|more recent)|(?:what(?:'s| is) )?the latest(?: on (?:that|it|this))?)",
      ),
      more: wholly(
        "(?:show |give |got )*(?:me )?(?:some |any )?more(?: please| of (?:that|those|it)| results| messages)?",
        "(?:is there |was there )?(?:any(?:thing|one|body)|some(?:thing|one|body)|who|where|when) else(?: (?:said|wrote|mentioned)(?: (?:it|that|about it|something))?| was there| is there)?|(?:any|show) (?:other|others)(?: ones| results| messages)?|(?:and )?what else(?: is there| was said)?|next(?: one| page)?|any ?more|continue|go on|keep going|and more|others?|and the rest",
      ),
      whoSaidIt: wholly(
        "(?:and |so |wait |ok )*who (?:said|wrote|posted|told|is|was|asked|were)(?: (?:that|this|it|so|them|those))?(?: from| by)?|who's that(?: from)?|says who|by (?:who|whom)|whose (?:words|message) (?:is|are|was|were) (?:that|this|those)|who'?s saying that",
      ),
      whenWasIt: wholly(
        "(?:and |so |wait |ok )*when (?:was|did|were)(?: (?:that|this|it|they|he|she|those))?(?: (?:said|written|posted|sent|say (?:that|it|this)|write (?:that|it)|from))?|how (?:long|old)(?: ago)?(?: (?:was|is) (?:that|this|it)(?: said| posted)?)?",
      ),
      whereWasIt: wholly(
        "(?:and |so |wait |ok )*where (?:was|did|is|were)(?: (?:that|this|it|they|he|she))?(?: (?:said|written|posted|say (?:that|it|this)|from))?|(?:in )?(?:which|what) channel(?: (?:was|is) (?:that|it|this)(?: in)?)?|(?:(?:got|have|has|can i (?:get|have)|give me|send(?: me)?|show me|where(?:'s| is))? ?(?:a |the )?(?:link|source|url|original|message|quote|proof|receipts?))(?: please| to (?:it|that|this)| for (?:it|that|this))*|(?:jump|take me|bring me) (?:there|to it|to that)",
      ),
      why: wholly(
        "(?:but |and |so )*why(?: (?:is|was) (?:that|it))?(?: so| though| not)?|how come|(?:what(?:'s| is) the |more |give me )*context(?: please)?|what (?:came|happened|was said) (?:before|after)(?: (?:that|it|this))?",
      ),
      and: /^(?:(?:ok(?:ay)?|hm+|so|and|but|or)[, ]+)*(?:and|only|what about|how about|what abt|how abt|same for|same question for|also|or|but)[, ]+(?<what>.+)$/iu,
    },
    ignored: wordSet(
      "anyone anybody someone somebody everyone everybody people guys folks know knows knew idea clue please tell say said says find search show give get got remind recall remember discuss discussed discussion talk talked talking mention mentioned post posted write wrote message messages channel server thread exactly again actually really currently now still yet already ever also even like kind sort thing things stuff much many lot hey hi hello ok okay so well um uh right one ones going go gonna happen happened happening what's who's where's when's whats whos wheres whens does doing done make makes im ive id u ur pls plz anything something nothing everything yesterday today morning evening afternoon last week month year ago earlier recently just lately time day date long old big far often fast heavy tall deep thick large wide high warm cold hot strong small loud accurate about regarding supposed want wants wanted need needs sorry quick question wait use used end yet",
    ),
  },
};
