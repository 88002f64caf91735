import { begins, type Language, NAME, somewhere, wholly, wordSet } from "./language-words.ts";

const LEAD =
  "(?:(?:und|also|aber|ok|hey|sag mal|na)[, ]+|(?:weiß|weißt|wisst|kann|kannst) (?:jemand|du|ihr|irgendwer|mir jemand sagen)[, ]+)*";
const SAID = "gesagt|geschrieben|erzählt|gemeint|erwähnt|gepostet|vorgeschlagen|angekündigt|geantwortet|berichtet";
const ABOUT = "(?: (?:etwas|was|irgendwas))?(?: (?:über|zu|zum|zur|von|vom|wegen|zu dem|zu der) (?<topic>.+?))?";

export const de: Language = {
  code: "de",
  letters: /[äöüß]/iu,
  marks: wordSet(
    "der die das den dem des ein eine einen ist sind war waren wer was wann wo warum wieso weshalb wie welche welcher welches hat habe haben hast und oder nicht ich du wir ihr mir mich dir uns mein meine dein unser über von vom zum zur mit für auf bei nach im am heute gestern bitte danke kannst kann gibt es sich noch schon denn hier jemand worum geht",
  ),
  asks: {
    thanks: wordSet(
      "danke dankeschön dankesehr vielen dank super toll klasse prima ok okay okey alles klar gut perfekt verstanden jo ja jep nein nö genau tschüss tschau top cool geil sehr spitze passt",
    ),
    greetings: wordSet("hallo hi hey moin servus grüß gruß tag morgen abend grüezi huhu guten na"),
    fillers: wordSet(
      "dir euch ihnen gott schön guten gute nacht mal so viel sehr bot earshot alle zusammen leute für die das hilfe antwort und wie geht geht's gehts es dir heute erstmal auch dann nochmal bis später ich weiß wiedersehen auf",
    ),
    help: wholly(
      "hilfe(?: bitte)?|hilf mir(?: bitte)?|was (?:kannst|machst|tust|weißt|bist) du(?: alles| hier| so| eigentlich)*|wer bist du|wie (?:funktionierst du|funktioniert (?:das|der bot)|benutze ich dich|geht das)|bist du (?:ein )?(?:bot|mensch|ki|roboter)|was kann (?:ich (?:dich )?fragen|der bot|man (?:dich )?fragen)|befehle|wobei kannst du (?:mir )?helfen|wofür bist du da",
    ),
    imperative: begins(
      "(?:(?:bitte|hey|ok|also)[, ]+)*(?:(?:sag|sage|erzähl|erzähle|zeig|zeige|gib|nenn|nenne|schick|erklär|erkläre|hilf) (?:mir|uns|bitte|mal|doch|allen)|(?:such|suche) (?:mir|uns|nach|mal|bitte|alle|alles|die|das|den)|(?:find|finde) (?:mir|uns|mal|bitte|heraus|raus|alle|die|das|den)|fass(?:e)? .*zusammen|bring (?:mich|uns) auf|erinner(?:e)? (?:mich|uns|alle)|merk(?:e)? dir|notier(?:e)?|vergiss|schau(?:e)? (?:mal|nach|bitte)|prüf(?:e)? (?:mal|ob|bitte)|liste? (?:mir|alle|mal|bitte)|übersetz(?:e)?|schreib(?:e)? (?:mir|uns|bitte)|(?:kannst|könntest|würdest) du|ich (?:möchte|will|würde gern(?:e)?) wissen)",
    ),
    remember:
      /^(?:bitte )?(?:merk(?:e)? dir(?: bitte)?|notier(?:e)?(?: dir)?|speicher(?:e)?|vergiss nicht)(?:,? dass|:|,)? (?<what>.+)$/iu,
    forget:
      /^(?:bitte )?(?:vergiss|lösche?|streiche?)(?: bitte)?(?: was du (?:über|von) .+ weißt)?(?:,? dass)? (?<what>.+)$/iu,
    act: /^(?:bitte |kannst du (?:bitte )?|könntest du (?:bitte )?)*(?:(?:poste|schick(?:e)?|sende|kündige|antworte|reagiere|pinne|bearbeite|benachrichtige|warne|frag(?:e)?|starte|eröffne|erstelle) (?!mir |uns |mich )\S|sag(?:e)? (?:allen|<|@|den )|.+ (?:posten|schicken|senden|ankündigen|anpinnen|erstellen|eröffnen|starten)$)/iu,
    aboutMe: somewhere(
      "was (?:weißt|hast|merkst) du (?:alles )?(?:über|von|dir über|dir von) mi(?:ch|r)(?: gespeichert| gemerkt)?",
      "(?:was|welche fakten) .*über mich",
      "wer bin ich$",
    ),
    askedYou:
      /(?:was|welche fragen) (?:habe|hab|hatte) ich dir?(?:ch)?(?: heute| gestern| vorhin| zuletzt| schon| alles| eigentlich)*(?: (?:über|zu|zum|zur|wegen|nach) (?<topic>.+?))? (?:gefragt|gestellt)$|^meine (?:letzten |bisherigen |früheren )*fragen(?: an dich)?$/iu,
    bots: [
      /(?:hast|habt|worüber hast|was hast) (?:du|ihr) .*mit (?:dem |der |den )?(?<name>(?:anderen )?bots?|<@!?\d+>|[\p{L}\p{N}_.-]+)(?: über (?<topic>.+?))? (?:geredet|gesprochen|besprochen|diskutiert|geplaudert)/iu,
      /dein(?:e|en|em)? (?:gespräch|gespräche|unterhaltung|unterhaltungen) mit (?:dem |der |den )?(?<name>(?:anderen )?bots?|<@!?\d+>|[\p{L}\p{N}_.-]+)(?: über (?<topic>.+))?/iu,
    ],
    catchUp: somewhere(
      "was (?:habe|hab) ich(?: hier| heute| alles)* verpasst|hab(?:e)? ich (?:etwas|was) verpasst|was (?:ist|war|gab es|gibt es|gibt's|gab's|geht|läuft)(?: hier| denn| heute| gestern| so)*(?: los| neues| passiert| ab)|fass(?:e)? .*zusammen|zusammenfassung|überblick|bring mich auf (?:den|den neuesten) stand|was gibt's neues|worum (?:geht|ging) es hier|worüber (?:wird|wurde|redet|reden) .*(?:gesprochen|geredet|ihr|alle|hier)",
    ),
    latest: somewhere(
      "(?:die )?(?:letzten|neuesten) (?:\\d+ |paar )?nachrichten|was wurde gerade (?:gesagt|geschrieben)",
    ),
    person: [
      new RegExp(
        `was (?:hat|hatte) ${NAME}(?: heute| gestern| gerade| zuletzt| alles| noch| denn)*${ABOUT}(?: heute| gestern| gerade)* (?:${SAID})`,
        "iu",
      ),
      new RegExp(`hat ${NAME}(?: heute| gestern| schon)*${ABOUT} (?:${SAID})`, "iu"),
      new RegExp(`was (?:sagt|sagte|schreibt|schrieb|meint|meinte|denkt|hält|findet) ${NAME}${ABOUT}$`, "iu"),
      new RegExp(`(?:nachrichten?|beiträge?|etwas) von ${NAME}${ABOUT}$`, "iu"),
      new RegExp(`${NAME} (?:letzte|neueste) nachricht(?:en)?(?<topic>)$`, "iu"),
    ],
    deeds: [new RegExp(`was (?:hat|macht|baut|bringt|braucht) ${NAME} ?(?<topic>.*)$`, "iu")],
    me: wordSet("ich mich mir meine"),
    pronouns: wordSet("er sie ihn ihm ihr"),
    notNames: wordSet(
      "wer was wann wo warum wie man es das die der den dem uns euch wir ihr jemand niemand alle heute gestern hier",
    ),
    thread: somewhere("(?:diesem|diesen|dieser|dem|im) thread|dieser beitrag"),
    aboutMessage: somewhere(
      "worum geht es (?:hier|da|dabei)|was (?:bedeutet|heißt|ist) (?:das|dies)|was war davor|(?:mehr )?kontext|zusammenhang",
    ),
    myFact: new RegExp(
      String.raw`^${LEAD}(?:was|wo|wann|welche[rs]?|wie) (?:ist|sind|war|lautet|heißt) mein(?:e|en|er)? (?<what>[\p{L}\p{N} -]+)$`,
      "iu",
    ),
    theirFact: new RegExp(
      String.raw`^${LEAD}(?:was|wo|wann|wie) (?:ist|sind|lautet|heißt) ${NAME}(?:s|') (?<what>[\p{L}\p{N} -]+)$`,
      "iu",
    ),
    held: [
      new RegExp(
        String.raw`^${LEAD}welche[nrs]? (?<what>[\p{L}\p{N} -]+?) (?:hat|habe|hab) ${NAME}(?: denn| gerade| hier)*$`,
        "iu",
      ),
      new RegExp(`^${LEAD}(?:hat|habe|hab) ${NAME} (?:.{1,60}[ -])?(?<what>rollen?)(?: hier)?$`, "iu"),
    ],
    joined: [
      new RegExp(
        `^${LEAD}wann (?:ist|bin) ${NAME} (?:hier |uns |(?:dem|diesem|unserem) server )?(?:beigetreten|dazugekommen|mitglied geworden)$`,
        "iu",
      ),
      new RegExp(
        `^${LEAD}(?:seit wann|wie lange) (?:ist|bin) ${NAME} (?:denn |eigentlich |schon )*(?:hier|dabei|bei uns|mitglied|auf (?:dem|diesem|unserem) server)$`,
        "iu",
      ),
    ],
    aboutPerson: [
      new RegExp(`^${LEAD}wer ist (?:denn |eigentlich )*${NAME}(?: nochmal)?$`, "iu"),
      new RegExp(`^${LEAD}wer ${NAME} ist$`, "iu"),
      new RegExp(
        `^${LEAD}was (?:weißt|kannst) du (?:mir |alles |so )*(?:über|von) ${NAME}(?: sagen| erzählen)?$`,
        "iu",
      ),
      new RegExp(`^${LEAD}was ist (?:alles )?über ${NAME} bekannt$`, "iu"),
      new RegExp(
        `^(?:bitte )?erzähle? (?:mir |uns )?(?:bitte |mal |etwas |was |mehr |alles )*(?:über|von) ${NAME}$`,
        "iu",
      ),
    ],
    sharedFacts: somewhere(
      "was (?:weißt|merkst) du .*(?:über|von) (?:das|dieses|dem|diesem|den|diesen)? ?(?:projekt|server|team)",
      "gespeicherte fakten",
    ),
    needsModel: [
      somewhere(
        "(?:erzähl|sag|kennst du|mach|schreib|erfinde|dichte)(?:e|st)?(?: mir| uns)?(?: du)?(?: einen| eine| ein| noch)* ?(?:guten |lustigen |kurzen |kleines )*(?:witz|witze|gedicht|geschichte|rätsel|haiku|lied|märchen|aufsatz|brief|code|programm)",
        "übersetz\\w*|was heißt .+ auf \\p{L}+|wurzel aus|plus|minus|geteilt durch|prozent von|hauptstadt|einwohner|bundeskanzler\\w*|präsident\\w* von|wer (?:hat|erfand) .*erfunden|soll(?:te)? ich|was soll(?:te)? ich|was (?:denkst|hältst|meinst) du|magst du|bist du (?:bewusst|glücklich|traurig)|dein(?:e)? (?:meinung|liebling\\p{L}*)|sinn des lebens|empfiehl mir|gib mir (?:einen )?(?:tipp|rat|tipps)|erklär\\w* (?:mir )?(?!das|dies)\\p{L}+|wie (?:koche|backe|lerne|werde) ich|rechne|berechne",
      ),
    ],
    wanted: [
      [somewhere("wie (?:heißt|heißen|nennt man|wird .+ genannt)|was ist der name"), "name"],
      [
        begins(
          `${LEAD}(?:wann|um wie ?viel uhr|bis wann|seit wann|ab wann|an welchem tag|was ist (?:die|der) (?:deadline|frist|termin))`,
        ),
        "when",
      ],
      [begins(`${LEAD}(?:wer|wem|wen|wessen|von wem|mit wem)`), "who"],
      [begins(`${LEAD}(?:wo|wohin|woher|in welche[mr])`), "where"],
      [
        somewhere(
          "wie ?viele?|wie (?:lang|lange|groß|alt|hoch|weit|schwer|tief|oft|warm|kalt|teuer|dick|breit|schnell)|was kostet",
        ),
        "how_many",
      ],
      [begins(`${LEAD}(?:warum|wieso|weshalb|weswegen)`), "why"],
      [
        begins(
          "(?:und |also )?(?:ist|sind|war|waren|hat|haben|kann|können|wird|werden|gibt es|darf|dürfen|muss|kommt|stimmt)",
        ),
        "yes_no",
      ],
    ],
    recent: somewhere("gerade|eben|vorhin|heute|heute (?:morgen|früh|mittag)|kürzlich|jetzt"),
    here: somewhere("hier$|in diesem (?:kanal|channel)"),
    times: [
      [somewhere("heute (?:morgen|früh)"), "this morning"],
      [somewhere("heute"), "today"],
      [somewhere("vorgestern"), "the day before yesterday"],
      [somewhere("gestern(?: (?:abend|morgen|nachmittag))?|letzte nacht"), "yesterday"],
      [somewhere("letzte(?:r|n)? woche|vergangene woche"), "last week"],
      [somewhere("diese(?:r)? woche"), "this week"],
      [somewhere("letzte(?:r|n)? monat|vergangenen monat"), "last month"],
      [somewhere("letztes wochenende|am wochenende"), "last weekend"],
    ],
    follow: {
      more: wholly(
        "(?:zeig(?:e)? )?(?:mir )?(?:noch )?mehr(?: davon| bitte)?|weiter|noch (?:etwas|was|mehr)|was noch|sonst noch (?:etwas|was)",
      ),
      whoSaidIt: wholly(
        "(?:und )?(?:wer|von wem) (?:hat (?:das|es) (?:gesagt|geschrieben)|war das|ist das|sagt das|sagte das|kommt das)",
      ),
      whenWasIt: wholly("(?:und )?wann (?:war das|wurde das (?:gesagt|geschrieben))"),
      whereWasIt: wholly(
        "(?:und )?(?:wo|in welchem (?:kanal|channel)) (?:war das|wurde das (?:gesagt|geschrieben)|steht das)|link(?: bitte)?|quelle",
      ),
      why: wholly("(?:aber |und )?(?:warum|wieso|weshalb)(?: (?:das|denn|nicht))?|kontext|was war davor"),
      and: /^(?:und|was ist mit|wie sieht es mit|wie steht es um|und was ist mit|oder|auch|was sagt)[, ]+(?<what>.+?)(?: aus)?$/iu,
    },
    ignored: wordSet(
      "sag sagt sagte gesagt geschrieben erzählt finde such suche zeig zeige gib mal doch eigentlich genau nochmal wieder gerade eben vorhin etwas was jemand irgendjemand leute alle nachricht nachrichten kanal server thread wurde wurden worden wird werden sein gewesen gibt geht ging machen gemacht bitte bekam bekommt letzte woche heute gestern morgen uhr welchem welcher welches dieser diese dieses soll sollen muss müssen kann können will wollen haben hatte wissen weiß ihr euch er sie ihn ihm als ob wenn dass daß auch nur sehr viel viele aus an um bis ab seit vor zu in damit dazu dabei besprochen geredet gesprochen diskutiert",
    ),
  },
  says: {
    greeting: "Hallo! Frag mich, was hier gesagt wurde, von wem und wann, oder was du verpasst hast.",
    help: "Ich suche heraus, was hier gesagt wurde, und zitiere es mit Links. Ich schaue nur, wo du auch schauen darfst. Zum Beispiel:",
    examples: ["was habe ich heute verpasst?", "wann ist die Deadline?", "was wurde letzte Woche beschlossen?"],
    needsModel:
      "Dafür braucht es ein Sprachmodell, und ich arbeite ohne: Ich kann nur heraussuchen, was hier gesagt wurde.",
    waiting: (what) => `Ich warte auf dein Wort: ${what} wird erst behalten, wenn du es bestätigt hast.`,
    waitingToForget: (what) => `Ich warte auf dein Wort: ${what} wird erst vergessen, wenn du es bestätigt hast.`,
    whatToRemember:
      "Was soll ich vorschlagen? Sag es in einem Satz, zum Beispiel „merk dir, dass mein Liegeplatz C 12 ist“.",
    nothingRemembered: "Dazu ist nichts gespeichert.",
    remembered: "Das ist gespeichert:",
    profile: {
      known: "Das ist bekannt:",
      discord: "von Discord",
      service: "vom Profildienst",
      otherwise: "gespeichert ist etwas anderes",
      unavailable: "Der Profildienst konnte gerade nicht gelesen werden.",
    },
    documentsUnavailable: "Einige Dokumente konnten gerade nicht gelesen werden.",
    notRemembered: (what) => `Über ${what} ist nichts gespeichert.`,
    saidAboutIt: "Was dazu gesagt wurde:",
    earlier: "Früher",
    inPlace: (name) => `in #${name}`,
    inDirectMessages: "in Direktnachrichten",
    noneMatching: (what) => `Keine Nachrichten gefunden zu „${what}“.`,
    noneFrom: (name, what) => `Keine Nachrichten von ${name} gefunden${what === null ? "" : ` zu „${what}“`}.`,
    noneInThread: "Keine Nachrichten in diesem Thread gefunden.",
    noActivity: "In diesem Kanal war in letzter Zeit nichts los.",
    noMore: "Mehr habe ich nicht gefunden.",
    unknownPerson: (name) => `Ich finde niemanden namens „${name}“.`,
    whichPerson: (name) => `Mit „${name}“ könnten mehrere gemeint sein. Wer?`,
    whoIsMeant: "Wen meinst du? Bitte nenne den Namen.",
    messageNotFound: "Nachricht nicht gefunden.",
    noBots: "Gespräche mit anderen Bots sind hier nicht verfügbar.",
    isolated:
      "Du wolltest eine Antwort ohne Kontext, also habe ich nirgends nachgesehen. Frag noch einmal ohne das Zeichen, dann suche ich.",
    inShort: (place) => `Kurz gesagt, ${place}:`,
    lookedAt: (messages, since) =>
      `${messages} Nachrichten durchgesehen${since === null ? "" : `, zurück bis ${since}`}`,
    notEverything: "nicht alles war gerade erreichbar",
    noModelAsked: "kein Modell wurde gefragt",
    model: {
      unreachable: "Das Modell ist gerade nicht erreichbar.",
      slow: "Das Modell hat zu lange gebraucht.",
      silent: "Das Modell hat nichts geantwortet.",
      busy: "Zu viele Fragen warten auf das Modell; frag gleich noch einmal.",
      spent: (time) => `Das Budget für Antworten des Modells ist aufgebraucht; in ${time} gibt es neues.`,
      tooMuch: "Diese Frage würde mehr vom Modell brauchen, als eine Antwort darf.",
      foundWithout: "Das habe ich ohne es gefunden:",
      noPictures: "Das Modell kann keine Bilder sehen; diese Antwort entstand ohne sie.",
      wait: "Andere sind zuerst dran; ich bin gleich bei dir.",
      working: "Ich sehe nach; das dauert einen Moment.",
    },
    onlyHere: "Durchsucht wurde nur, was alle hier sehen können; frag privat für mehr.",
  },
};
