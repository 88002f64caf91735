import { begins, type Language, NAME, somewhere, wholly, wordSet } from "./language-words.ts";

const LEAD =
  "(?:(?:y|pero|oye|entonces|bueno|hola)[, ]+|(?:alguien sabe|sabes|sabéis|saben|me dices|recuérdame|dime) ?)*";
const SAY =
  "dicho|dijo|dice|escribió|escrito|comentó|comentado|piensa|pensó|opina|contó|contado|propuso|anunció|mencionó|hablado";
const ABOUT = "(?: algo)?(?: (?:sobre|de|del|acerca de|acerca del|respecto a) (?<topic>.+))?";

export const es: Language = {
  code: "es",
  letters: /[¿¡ñ]/iu,
  marks: wordSet(
    "el la los las un una es son fue era qué que quién quien cuándo cuando dónde donde cómo como cuánto cuánta cuántos cuántas cuál por para con sobre del al y o pero tú mi mis te nos ha han hay está están hoy ayer gracias hola puedes dijo alguien sabe esto eso aquí más lo",
  ),
  asks: {
    thanks: wordSet(
      "gracias muchas mil vale ok okay perfecto genial estupendo guay bien bueno claro entendido sí no jaja jajaja adiós chao listo excelente súper super",
    ),
    greetings: wordSet("hola buenas buenos hey saludos ey holi"),
    fillers: wordSet(
      "días tardes noches muy a ti todos todas bot earshot qué tal cómo estás va por la el tu ayuda respuesta de nada amigo todo hasta luego mañana tan",
    ),
    help: wholly(
      "ayuda(?: por favor)?|ayúdame|qué (?:puedes|sabes) hacer|qué haces|quién eres|qué eres|cómo (?:funcionas|funciona(?: esto)?|te uso)|eres (?:un )?(?:bot|humano|robot|una ia)|qué puedo preguntar(?:te)?|comandos|para qué sirves",
    ),
    imperative: begins(
      "(?:(?:por favor|oye|ok|hola)[, ]+)*(?:dime|dinos|dame|danos|muestra|muéstra(?:me|nos)|enséña(?:me|nos)|busca(?:me)?|búsca(?:me|nos)|encuentra|encuéntra(?:me|nos)|lista(?: todos| todas)?(?= los| las| todo)|resume (?:el|la|los|las|lo|todo|esto|este|esta)|resúme(?:me|nos)|haz(?:me)? un (?:resumen|listado)|cuénta(?:me|nos)|explica(?:me)?|explíca(?:me|nos)|recuérda(?:me|nos)|recuerda que|apunta|anota|olvida|ayúda(?:me|nos)|pon(?:me|nos) al día|mira (?:si|qué)|revisa|traduce|escríbe(?:me|nos)|quiero saber|quisiera saber|(?:me )?(?:puedes|podrías))",
    ),
    remember: /^(?:por favor )?(?:recuerda|apunta|anota|guarda|no olvides|acuérdate de)(?: que|:|,)? (?<what>.+)$/iu,
    forget: /^(?:por favor )?(?:olvida|borra|elimina)(?: lo que sabes (?:de|sobre))?(?: que)? (?<what>.+)$/iu,
    act: /^(?:por favor |puedes |podrías )*(?:(?:publica|postea|envía|manda|anuncia|reacciona|fija|edita|abre|crea|avisa|publicar|enviar|mandar|anunciar|reaccionar|fijar|editar|abrir|crear|avisar) (?!me )\S|(?:di|diles|pregunta|recuérdale) (?:a |que |<|@))/iu,
    aboutMe: somewhere("qué (?:sabes|recuerdas|tienes guardado|guardas) (?:de|sobre) mí"),
    askedYou:
      /qué te (?:he preguntado|pregunté|había preguntado)(?: hoy| ayer| antes)*(?: (?:sobre|de|del|acerca de) (?<topic>.+))?$|^mis (?:últimas )?preguntas(?: anteriores)?$/iu,
    bots: [
      /(?:has|hablaste|de qué has|qué has) .*(?:hablado|discutido|conversado|charlado)?.* con (?:el |la |los |las )?(?<name>(?:otros )?bots?|<@!?\d+>|[\p{L}\p{N}_.-]+)(?: (?:sobre|de) (?<topic>.+))?$/iu,
      /tus? (?:conversación|conversaciones|charlas?) con (?:el |la |los |las )?(?<name>(?:otros )?bots?|<@!?\d+>|[\p{L}\p{N}_.-]+)(?: (?:sobre|de) (?<topic>.+))?$/iu,
    ],
    catchUp: somewhere(
      "qué me (?:he perdido|perdí)|ponme al día|qué (?:ha pasado|pasó|pasa|está pasando|hay de nuevo|hay nuevo)(?! con)|resum(?:e|en|ir|íme\\w*|irme)|novedades|de qué (?:se habla|hablan|están hablando|habéis hablado)",
    ),
    latest: somewhere("(?:los )?últimos (?:\\d+ )?mensajes"),
    person: [
      new RegExp(`qué (?:ha |han |había )?(?:${SAY}) ${NAME}(?: hoy| ayer)?${ABOUT}$`, "iu"),
      new RegExp(`qué ${NAME} (?:ha )?(?:${SAY})${ABOUT}$`, "iu"),
      new RegExp(`^(?:ha )?(?:${SAY}) ${NAME}${ABOUT}$`, "iu"),
      new RegExp(`(?:mensajes?|algo) de ${NAME}${ABOUT}$`, "iu"),
    ],
    deeds: [
      new RegExp(`qué (?:hizo|hace|compró|encontró|trae|hace|está haciendo|construye) ${NAME} ?(?<topic>.*)$`, "iu"),
    ],
    me: wordSet("yo mí me"),
    pronouns: wordSet("él ella ellos ellas"),
    notNames: wordSet(
      "qué quién cuándo dónde cómo el la los las un una se lo esto eso alguien nadie todos hoy ayer aquí",
    ),
    thread: somewhere("(?:este|el) hilo"),
    aboutMessage: somewhere("qué (?:significa|es) (?:esto|eso)|de qué va (?:esto|eso)|contexto|qué pasó antes"),
    myFact: new RegExp(
      String.raw`^${LEAD}(?:cuál|cuáles|dónde|qué|cuándo|cómo) (?:es|son|está|se llama) mis? (?<what>[\p{L}\p{N} -]+)$`,
      "iu",
    ),
    theirFact: new RegExp(
      String.raw`^${LEAD}(?:cuál|dónde) (?:es|está) (?:el|la) (?<what>[\p{L}\p{N} -]+?) de ${NAME}$`,
      "iu",
    ),
    held: [
      wholly(`${LEAD}qué (?<what>roles?) tiene ${NAME}(?: aquí)?`),
      wholly(`${LEAD}cuáles son los (?<what>roles) de ${NAME}`),
    ],
    joined: [
      wholly(`${LEAD}cuándo se unió ${NAME}(?: aquí| al servidor| a este servidor| a la comunidad)?`),
      wholly(
        `${LEAD}(?:desde cuándo (?:está|es)|cuánto tiempo lleva) ${NAME} (?:aquí|con nosotros|(?:como )?miembro|en (?:el|este) servidor)`,
      ),
    ],
    aboutPerson: [
      wholly(`${LEAD}quién es ${NAME}`),
      wholly(`${LEAD}qué (?:sabes|recuerdas|se sabe) (?:de|sobre) ${NAME}`),
      wholly(`(?:cuéntame|háblame)(?: algo| más)? (?:de|sobre|acerca de) ${NAME}`),
    ],
    sharedFacts: somewhere(
      "qué (?:sabes|recuerdas) .*(?:de|del|sobre) (?:este|el|la|esta) (?:proyecto|servidor|equipo|comunidad)",
    ),
    needsModel: [
      somewhere(
        "(?:cuéntame|dime|cuenta|sabes|escribe|escríbeme|inventa|haz|hazme|compón)(?: otro| algún| un| una)* (?:chiste|poema|cuento|historia|adivinanza|canción|haiku|carta|código|ensayo|resumen de un libro)",
        "traduc\\w*|cómo se dice .+ en \\p{L}+|raíz cuadrada|más \\d+|por ciento de|capital de|población de|presidente de|quién (?:inventó|descubrió|escribió|pintó)|debería|qué debo|qué (?:piensas|opinas|crees) tú|qué opinas|te gusta|tu (?:opinión|favorit\\p{L}*)|sentido de la vida|recomiéndame|dame (?:un )?consejos?|explica(?:me)? (?!esto|eso)\\p{L}+|cómo (?:cocino|aprendo|hago un)|calcula",
      ),
    ],
    wanted: [
      [somewhere("cómo se llama(?:n)?|cuál es el nombre|qué nombre"), "name"],
      [
        begins(
          `${LEAD}(?:cuándo|a qué hora|qué día|hasta cuándo|desde cuándo|para cuándo|cuál es (?:la fecha|el plazo)\\p{L}*)`,
        ),
        "when",
      ],
      [begins(`${LEAD}(?:quién|quiénes|de quién|con quién|a quién)`), "who"],
      [begins(`${LEAD}(?:dónde|adónde|en qué (?:canal|sitio|lugar))`), "where"],
      [somewhere("cuánt[oa]s?|qué (?:tamaño|temperatura|precio|altura|número)"), "how_many"],
      [begins(`${LEAD}(?:por qué)`), "why"],
      [begins("(?:y )?(?:es|son|está|están|hay|ha|han|se puede|puedo|podemos|tiene|fue)"), "yes_no"],
    ],
    recent: somewhere("acaba de|hace un (?:rato|momento)|hoy|esta mañana|recién|ahora|antes"),
    here: somewhere("aquí$|en este canal"),
    times: [
      [somewhere("esta mañana"), "this morning"],
      [somewhere("hoy"), "today"],
      [somewhere("anteayer|antes de ayer"), "the day before yesterday"],
      [somewhere("ayer(?: por la (?:mañana|tarde|noche))?|anoche"), "yesterday"],
      [somewhere("(?:la )?semana pasada"), "last week"],
      [somewhere("esta semana"), "this week"],
      [somewhere("(?:el )?mes pasado"), "last month"],
    ],
    follow: {
      more: wholly("(?:dame |muéstrame )?más(?: por favor)?|algo más|qué más|sigue|continúa|otros"),
      whoSaidIt: wholly("(?:y )?quién (?:lo dijo|dijo eso|lo escribió|ha dicho eso|es|fue)|de quién es(?: eso)?"),
      whenWasIt: wholly("(?:y )?cuándo (?:fue(?: eso)?|lo dijo|se dijo)"),
      whereWasIt: wholly("(?:y )?(?:dónde|en qué canal) (?:fue(?: eso)?|lo dijo|se dijo|está)|enlace"),
      why: wholly("(?:pero |y )?por qué(?: no)?|contexto"),
      and: /^(?:y|qué tal|qué hay de|y qué hay de|y qué dijo|pero|o)[, ]+(?<what>.+)$/iu,
    },
    ignored: wordSet(
      "dijo dicho dice dime decir busca encuentra muestra muéstrame sabe sabes alguien mensaje mensajes canal servidor hilo final fin ahora ya tan muy todo toda hoy ayer semana pasada mañana tarde noche será van vamos tiene tienen hace hacer dónde está sido ser estar fue eran tu su sus le les lo si sí también solo cosa a en de hora día fecha hablamos hablado",
    ),
  },
  says: {
    greeting: "¡Hola! Pregúntame qué se dijo aquí, quién lo dijo y cuándo, o qué te has perdido.",
    help: "Busco lo que se dijo aquí y lo cito con enlaces. Solo miro donde tú puedes mirar. Prueba:",
    examples: ["¿qué me he perdido hoy?", "¿cuándo es la fecha límite?", "¿qué se decidió la semana pasada?"],
    needsModel: "Para eso hace falta un modelo de lenguaje, y trabajo sin él: solo puedo buscar lo que se dijo aquí.",
    waiting: (what) => `Espero tu palabra: ${what} se guarda solo cuando lo confirmes.`,
    waitingToForget: (what) => `Espero tu palabra: ${what} se olvida solo cuando lo confirmes.`,
    whatToRemember: "¿Qué propongo recordar? Dilo en una frase, por ejemplo «recuerda que mi amarre es C 12».",
    nothingRemembered: "No hay nada guardado sobre eso.",
    remembered: "Esto está guardado:",
    profile: {
      known: "Esto se sabe:",
      discord: "de Discord",
      service: "del servicio de perfiles",
      otherwise: "lo guardado dice otra cosa",
      unavailable: "El servicio de perfiles no se pudo leer en este momento.",
    },
    documentsUnavailable: "Algunos documentos no se pudieron leer en este momento.",
    notRemembered: (what) => `No hay nada guardado sobre ${what}.`,
    saidAboutIt: "Lo que se dijo al respecto:",
    earlier: "Antes",
    inPlace: (name) => `en #${name}`,
    inDirectMessages: "en mensajes directos",
    noneMatching: (what) => `No se encontraron mensajes sobre «${what}».`,
    noneFrom: (name, what) => `No se encontraron mensajes de ${name}${what === null ? "" : ` sobre «${what}»`}.`,
    noneInThread: "No se encontraron mensajes en este hilo.",
    noActivity: "No hay actividad reciente en este canal.",
    noMore: "Eso fue todo lo que encontré.",
    unknownPerson: (name) => `No encuentro a nadie llamado «${name}».`,
    whichPerson: (name) => `«${name}» puede ser varias personas. ¿Quién?`,
    whoIsMeant: "¿A quién te refieres? Di el nombre, por favor.",
    messageNotFound: "No se encontró el mensaje.",
    noBots: "Las conversaciones con otros bots no están disponibles aquí.",
    isolated: "Pediste una respuesta sin contexto, así que no miré nada. Pregunta otra vez sin el signo y buscaré.",
    inShort: (place) => `En resumen, ${place}:`,
    lookedAt: (messages, since) => `${messages} mensajes revisados${since === null ? "" : `, hasta el ${since}`}`,
    notEverything: "no todo estaba disponible ahora",
    noModelAsked: "no se preguntó a ningún modelo",
    model: {
      unreachable: "No se puede contactar con el modelo en este momento.",
      slow: "El modelo tardó demasiado en responder.",
      silent: "El modelo no dio ninguna respuesta.",
      busy: "Hay demasiadas preguntas esperando al modelo; vuelve a preguntar en un momento.",
      spent: (time) => `El presupuesto para respuestas del modelo se ha agotado; se renueva en ${time}.`,
      tooMuch: "Esta pregunta necesitaría más del modelo de lo que una respuesta puede usar.",
      foundWithout: "Esto es lo que encontré sin él:",
      noPictures: "El modelo no puede ver imágenes; esta respuesta se hizo sin ellas.",
      wait: "Primero respondo a otras personas; enseguida estoy contigo.",
      working: "Lo estoy mirando; tardará un momento.",
    },
    onlyHere: "Solo se buscó en lo que todos aquí pueden ver; pregunta en privado para más.",
  },
};
