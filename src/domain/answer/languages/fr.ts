import { begins, type Language, NAME, somewhere, wholly, wordSet } from "./language-words.ts";

const LEAD = "(?:(?:et|mais|alors|dis|salut)[, ]+|(?:quelqu'un sait|tu sais|savez-vous|dis-moi|rappelle-moi) ?)*";
const ABOUT = "(?: quelque chose)?(?: (?:sur|de|du|des|à propos de|à propos du|au sujet de|au sujet du) (?<topic>.+))?";

export const fr: Language = {
  code: "fr",
  letters: /[œèêùû]/iu,
  marks: wordSet(
    "le la les un une des est sont était qui que qu quoi quand où comment pourquoi combien quel quelle quels quelles et ou mais pas je tu il elle nous vous mon ma mes ton dans sur avec pour par au aux du ce cette ça ont dit hier aujourd'hui merci bonjour quelqu'un sait ici y en plus c'est",
  ),
  asks: {
    thanks: wordSet(
      "merci beaucoup ok okay d'accord super génial parfait cool top bien oui non nickel compris entendu chouette excellent bravo haha mdr ciao salut",
    ),
    greetings: wordSet("bonjour bonsoir coucou salut hello hey yo"),
    fillers: wordSet(
      "à tous tout le monde bot earshot très bien ça va comment vas tu toi pour la ton aide réponse de rien bonne journée nuit les amis plus tard",
    ),
    help: wholly(
      "(?:à l')?aide(?: s'il te plaît| svp)?|aide-moi|(?:que|qu'est-ce que tu) (?:peux|sais)(?:-tu)?(?: tu)? faire|qui es-tu|tu es qui|c'est quoi ce bot|comment (?:ça marche|tu marches|t'utiliser|tu fonctionnes)|es-tu (?:un )?(?:bot|humain|robot|une ia)|qu'est-ce que je peux (?:te )?demander|commandes|à quoi (?:tu sers|sers-tu)",
    ),
    imperative: begins(
      "(?:(?:s'il te plaît|stp|svp|dis|ok|bonjour|salut)[, ]+)*(?:dis(?:-| )(?:moi|nous|leur)|montre(?:-| )(?:moi|nous)|montre (?:les|le|la|tous)|cherche(?:-| )(?:moi|nous)|cherche (?:les|le|la|si|ce|tous|dans)|trouve(?:-| )(?:moi|nous)|trouve (?:les|le|la|ce|tous)|donne(?:-| )(?:moi|nous)|liste (?:les|tous|moi)|résume(?:-moi|-nous)?|raconte(?:-moi|-nous)?|explique(?:-moi|-nous)?|rappelle(?:-| )(?:moi|nous)|souviens-toi|retiens|note que|oublie|aide(?:-| )(?:moi|nous)|mets-(?:moi|nous) au courant|regarde si|vérifie (?:si|que)|traduis|écris(?:-moi|-nous)|fais(?:-moi|-nous)? (?:un|le) (?:résumé|point)|je (?:veux|voudrais) savoir|(?:peux|pourrais)-tu|tu (?:peux|pourrais)|(?:pouvez|pourriez)-vous)",
    ),
    remember:
      /^(?:s'il te plaît )?(?:retiens|souviens-toi|note|mémorise|enregistre|n'oublie pas)(?: que| qu'| bien que|:|,)? ?(?<what>.+)$/iu,
    forget: /^(?:s'il te plaît )?(?:oublie|efface|supprime)(?: ce que tu sais (?:de|sur))?(?: que)? (?<what>.+)$/iu,
    act: /^(?:s'il te plaît |peux-tu |pourrais-tu |tu peux )*(?:(?:poste|publie|envoie|annonce|réagis|épingle|modifie|ouvre|crée|préviens|poster|publier|envoyer|annoncer|réagir|épingler|modifier|ouvrir|créer|prévenir) (?!moi )\S|(?:dis|demande|rappelle) (?:à|aux|<|@))/iu,
    aboutMe: somewhere("(?:que|qu'est-ce que tu) (?:sais|as retenu|retiens)(?:-tu)?(?: de| sur| à propos de) moi"),
    askedYou:
      /(?:qu'est-ce que je t'ai|que t'ai-je|je t'ai) demandé(?: quoi)?(?: aujourd'hui| hier| avant)*(?: (?:sur|à propos de|à propos du|au sujet de|au sujet du) (?<topic>.+))?$|^mes (?:dernières )?questions(?: précédentes)?$/iu,
    bots: [
      /(?:tu as|as-tu|t'as) .*(?:parlé|discuté|bavardé) .*avec (?:le |la |les )?(?<name>(?:autres )?bots?|<@!?\d+>|[\p{L}\p{N}_.-]+)(?: (?:de|sur) (?<topic>.+))?$/iu,
      /(?:ta|tes) (?:conversations?|discussions?) avec (?:le |la |les )?(?<name>(?:autres )?bots?|<@!?\d+>|[\p{L}\p{N}_.-]+)(?: (?:de|sur) (?<topic>.+))?$/iu,
    ],
    catchUp: somewhere(
      "qu'est-ce que j'ai (?:raté|manqué|loupé)|qu'ai-je (?:raté|manqué)|j'ai (?:raté|manqué|loupé) quoi|qu'est-ce qui (?:se passe|s'est passé)|que se passe-t-il|quoi de neuf|résum\\p{L}*|mets-moi au courant|de quoi (?:parle-t-on|on parle|parlez-vous|vous parlez)|du nouveau",
    ),
    latest: somewhere("(?:les )?derniers messages|(?:les )?\\d+ derniers messages"),
    person: [
      new RegExp(
        `qu'est-ce que? ?'?${NAME} (?:a |en |avait )*(?:dit|écrit|raconté|pense|posté|proposé|annoncé|répondu|parlé)${ABOUT}$`,
        "iu",
      ),
      new RegExp(`qu'a(?:vait)? (?:dit|écrit|posté|raconté|proposé|annoncé) ${NAME}${ABOUT}$`, "iu"),
      new RegExp(`que (?:dit|pense|raconte|disait) ${NAME}${ABOUT}$`, "iu"),
      new RegExp(`${NAME} a (?:dit|écrit|parlé)(?: quoi)?${ABOUT}$`, "iu"),
      new RegExp(`(?:messages?) de ${NAME}${ABOUT}$`, "iu"),
    ],
    deeds: [new RegExp(`qu'est-ce que ${NAME} (?<topic>(?:a|fait|apporte|construit).*)$`, "iu")],
    me: wordSet("je moi j'ai"),
    pronouns: wordSet("il elle ils elles lui"),
    notNames: wordSet("qui que quoi quand où comment le la les un une on ça ce cela tout personne quelqu'un hier ici"),
    thread: somewhere("(?:ce|le) fil|cette discussion"),
    aboutMessage: somewhere(
      "(?:c'est quoi|qu'est-ce que c'est|que veut dire) ?(?:ça|ce message)?|de quoi (?:il s'agit|s'agit-il)|contexte|qu'y avait-il avant",
    ),
    myFact: new RegExp(
      String.raw`^${LEAD}(?:quel|quelle|quels|quelles|où|quand|comment) (?:est|sont|s'appelle) m(?:on|a|es) (?<what>[\p{L}\p{N} -]+)$`,
      "iu",
    ),
    theirFact: new RegExp(
      String.raw`^${LEAD}(?:quel|quelle|où) est (?:le |la |l')(?<what>[\p{L}\p{N} -]+?) de ${NAME}$`,
      "iu",
    ),
    held: [
      wholly(`${LEAD}quels? (?<what>rôles?) a(?:-t-(?:il|elle))? ${NAME}`),
      wholly(`${LEAD}quels sont les (?<what>rôles) de ${NAME}`),
    ],
    joined: [
      wholly(
        `${LEAD}quand (?:est-ce que )?${NAME} a(?:-t-(?:il|elle))? rejoint (?:(?:le|ce|notre) serveur|la communauté)`,
      ),
      wholly(
        `${LEAD}depuis (?:quand|combien de temps) (?:est-ce que )?${NAME} est(?:-il|-elle)? (?:ici|parmi nous|membre|sur (?:le|ce|notre) serveur)`,
      ),
    ],
    aboutPerson: [
      wholly(`${LEAD}(?:qui est|c'est qui) ${NAME}`),
      wholly(`${LEAD}(?:que sais-tu|qu'est-ce que tu sais|que sait-on) (?:de |d'|sur |à propos de )${NAME}`),
      wholly(`parle-moi (?:un peu )?(?:de |d')${NAME}`),
    ],
    sharedFacts: somewhere(
      "(?:que|qu'est-ce que tu) (?:sais|retiens).*(?:de|du|sur) (?:ce|le|cette) (?:projet|serveur|équipe)",
    ),
    needsModel: [
      somewhere(
        "(?:raconte|dis|écris|invente|compose|fais|connais)(?:-moi|-nous|-tu)?(?: une| un| des)* (?:blague|poème|histoire|devinette|chanson|haïku|lettre|code|conte)s?",
        "tradui\\p{L}*|comment dit-on .+ en \\p{L}+|racine carrée|pour cent de|capitale d\\p{L}*|population d\\p{L}*|président d\\p{L}*|qui a (?:inventé|découvert|écrit|peint)|devrais-je|dois-je|que penses-tu|tu penses quoi|aimes-tu|tu aimes|ton avis|ta couleur préférée|sens de la vie|conseille-moi|donne-moi (?:un |des )?(?:conseils?|idées?)|explique(?:-moi)? (?!ça|ce)\\p{L}+|comment (?:cuisiner|apprendre|devenir)|calcule",
      ),
    ],
    wanted: [
      [somewhere("(?:comment|comme) s'appelle(?:nt)?|comment .+ s'appelle|quel est le nom"), "name"],
      [
        begins(`${LEAD}(?:quand|à quelle heure|quel jour|jusqu'à quand|depuis quand|c'est quand|quelle est la date)`),
        "when",
      ],
      [begins(`${LEAD}(?:qui|à qui|de qui|avec qui)(?! dit quoi)`), "who"],
      [begins(`${LEAD}(?:où|dans quel (?:canal|salon))`), "where"],
      [somewhere("combien|quelle (?:taille|température|hauteur|longueur)|quel (?:prix|âge|numéro)"), "how_many"],
      [begins(`${LEAD}(?:pourquoi)`), "why"],
      [begins("(?:et )?(?:est-ce que?|y a-t-il|est-il|a-t-on|peut-on|c'est|il y a)"), "yes_no"],
    ],
    recent: somewhere("vient de|à l'instant|tout à l'heure|aujourd'hui|ce matin|récemment|maintenant"),
    here: somewhere("ici$|dans ce (?:canal|salon)"),
    times: [
      [somewhere("ce matin"), "this morning"],
      [somewhere("aujourd'hui"), "today"],
      [somewhere("avant-hier"), "the day before yesterday"],
      [somewhere("hier(?: (?:soir|matin))?"), "yesterday"],
      [somewhere("(?:la )?semaine dernière|la semaine passée"), "last week"],
      [somewhere("cette semaine"), "this week"],
      [somewhere("(?:le )?mois dernier"), "last month"],
    ],
    follow: {
      more: wholly("(?:montre-moi )?(?:plus|encore|la suite)|autre chose|quoi d'autre|continue|d'autres"),
      whoSaidIt: wholly("(?:et )?qui (?:a dit ça|l'a dit|a écrit ça|c'est|est-ce)|c'est de qui"),
      whenWasIt: wholly("(?:et )?(?:c'était quand|quand (?:était-ce|ça))"),
      whereWasIt: wholly("(?:et )?(?:c'était où|où (?:ça|était-ce)|dans quel (?:canal|salon))|lien|source"),
      why: wholly("(?:mais |et )?pourquoi(?: pas| ça)?|contexte"),
      and: /^(?:et|et pour|qu'en est-il de|quid de|mais|ou)[, ]+(?<what>.+)$/iu,
    },
    ignored: wordSet(
      "dit dire écrit cherche trouve montre sait quelqu message messages canal salon serveur fil maintenant déjà très tout toute hier aujourd'hui semaine dernière matin soir finalement fait faire être été avoir avait il elle on se sa son ses leur d l qu est-ce qu'est-ce t-il a-t-il cela ça si aussi heure jour date de à parlé discuté",
    ),
  },
  says: {
    greeting: "Bonjour ! Demandez-moi ce qui s'est dit ici, par qui et quand, ou ce que vous avez manqué.",
    help: "Je cherche ce qui s'est dit ici et je le cite avec des liens. Je ne regarde que là où vous pouvez regarder. Essayez :",
    examples: [
      "qu'est-ce que j'ai raté aujourd'hui ?",
      "quand est la date limite ?",
      "qu'est-ce qui a été décidé la semaine dernière ?",
    ],
    needsModel:
      "Il faudrait un modèle de langage, et je travaille sans : je ne peux que chercher ce qui s'est dit ici.",
    waiting: (what) => `J'attends votre mot : ${what} ne sera gardé qu'une fois confirmé par vous.`,
    waitingToForget: (what) => `J'attends votre mot : ${what} ne sera oublié qu'une fois confirmé par vous.`,
    whatToRemember: "Que dois-je proposer de retenir ? En une phrase, par exemple « retiens que ma place est C 12 ».",
    nothingRemembered: "Rien n'est retenu à ce sujet.",
    remembered: "Voici ce qui est retenu :",
    profile: {
      known: "Voici ce qui est connu :",
      discord: "de Discord",
      service: "du service de profils",
      otherwise: "ce qui est retenu dit autre chose",
      unavailable: "Le service de profils n'a pas pu être lu pour l'instant.",
    },
    documentsUnavailable: "Certains documents n'ont pas pu être lus pour l'instant.",
    notRemembered: (what) => `Rien n'est retenu sur ${what}.`,
    saidAboutIt: "Ce qui s'est dit à ce sujet :",
    earlier: "Auparavant",
    inPlace: (name) => `dans #${name}`,
    inDirectMessages: "en messages privés",
    noneMatching: (what) => `Aucun message trouvé pour « ${what} ».`,
    noneFrom: (name, what) => `Aucun message de ${name} trouvé${what === null ? "" : ` sur « ${what} »`}.`,
    noneInThread: "Aucun message trouvé dans ce fil.",
    noActivity: "Pas d'activité récente dans ce salon.",
    noMore: "C'est tout ce que j'ai trouvé.",
    unknownPerson: (name) => `Je ne trouve personne du nom de « ${name} ».`,
    whichPerson: (name) => `« ${name} » peut désigner plusieurs personnes. Laquelle ?`,
    whoIsMeant: "De qui parlez-vous ? Dites le nom, s'il vous plaît.",
    messageNotFound: "Message introuvable.",
    noBots: "Les conversations avec d'autres bots ne sont pas disponibles ici.",
    isolated:
      "Vous avez demandé une réponse sans contexte, je n'ai donc rien regardé. Demandez encore sans le signe, et je chercherai.",
    inShort: (place) => `En bref, ${place} :`,
    lookedAt: (messages, since) => `${messages} messages parcourus${since === null ? "" : `, jusqu'au ${since}`}`,
    notEverything: "tout n'était pas accessible à l'instant",
    noModelAsked: "aucun modèle n'a été interrogé",
    model: {
      unreachable: "Le modèle est injoignable pour le moment.",
      slow: "Le modèle a mis trop de temps à répondre.",
      silent: "Le modèle n'a rien répondu.",
      busy: "Trop de questions attendent le modèle ; redemande dans un instant.",
      spent: (time) => `Le budget pour les réponses du modèle est épuisé ; il se renouvelle dans ${time}.`,
      tooMuch: "Cette question demanderait au modèle plus que ce qu'une réponse peut utiliser.",
      foundWithout: "Voici ce que j'ai trouvé sans lui :",
      noPictures: "Le modèle ne voit pas les images ; cette réponse a été faite sans elles.",
      wait: "Je réponds d'abord à d'autres ; je suis à toi dans un instant.",
      working: "Je cherche ; cela prend un instant.",
    },
    onlyHere: "Seul ce que tout le monde ici peut voir a été cherché ; demandez en privé pour plus.",
  },
};
