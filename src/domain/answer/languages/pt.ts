import { begins, type Language, NAME, somewhere, wholly, wordSet } from "./language-words.ts";

const LEAD = "(?:(?:e|mas|então|oi|olá)[, ]+|(?:alguém sabe|você sabe|sabes|me diz|me lembra) ?)*";
const SAY = "disse|dizer|diz|falou|escreveu|acha|pensa|comentou|postou|contou|anunciou|propôs|sugeriu|respondeu";
const ABOUT = "(?: algo| alguma coisa)?(?: (?:sobre|de|do|da|acerca de|a respeito de) (?<topic>.+))?";

export const pt: Language = {
  code: "pt",
  letters: /[ãõ]/iu,
  marks: wordSet(
    "um uma é são foi era quem quando onde como porque por que qual quais quanto quantos quantas e ou mas não eu você vocês meu minha do da dos das na em com para pra sobre ontem hoje obrigado obrigada olá oi alguém sabe isso isto aqui mais está estão tem ele ela disse perguntei",
  ),
  asks: {
    thanks: wordSet(
      "obrigado obrigada valeu brigado brigada ok okay certo perfeito ótimo legal beleza show entendi sim não tchau kkk kkkk haha muito top massa",
    ),
    greetings: wordSet("oi olá ola e aí opa bom boa hey"),
    fillers: wordSet(
      "dia tarde noite muito a todos bot earshot tudo bem você vai como pela pelo ajuda resposta de nada por pessoal galera",
    ),
    help: wholly(
      "ajuda(?: por favor)?|me ajuda|o que (?:você|vc) (?:faz|pode fazer|sabe fazer)|quem é você|o que (?:você|vc) é|como (?:você funciona|funciona(?: isso)?|te uso)|você é (?:um )?(?:bot|humano|robô|uma ia)|o que posso perguntar|comandos|para que (?:você )?serve",
    ),
    imperative: begins(
      "(?:(?:por favor|oi|ok|olá)[, ]+)*(?:(?:me|nos) (?:diga|diz|fala|fale|conta|conte|mostra|mostre|explica|explique|lembra|lembre|resume|resuma|atualiza|atualize|ajuda|ajude|passa|passe|dá|dê|avisa|avise)|diga(?:-me|-nos)?|diz-me|mostr[ae](?:-me|-nos)?|procur[ae]|busca|busque|encontr[ae]|list[ae] (?:os|as|tudo|todos|todas)|resuma|resume (?:o|a|os|as|isso|tudo|este|esta)|resum[ae]-me|(?:faz|faça|faz-me|me faz) um resumo|cont[ae]-(?:me|nos)|expli(?:ca|que)|lembr[ae](?:-me|-se)?|anot[ae]|esque(?:ce|ça)|verifi(?:ca|que) se|traduz[ae]?|escrev[ae]|quero saber|gostaria de saber|(?:você|vc) (?:pode|poderia)|pod(?:e|eria) me)",
    ),
    remember:
      /^(?:por favor )?(?:lembre(?:-se)?|lembra|anote|anota|guarde|guarda|não esqueça|memorize)(?: de)?(?: que|:|,)? (?<what>.+)$/iu,
    forget:
      /^(?:por favor )?(?:esqueça|esquece|apague|apaga|delete)(?: o que sabe (?:de|sobre))?(?: que)? (?<what>.+)$/iu,
    act: /^(?:por favor |você pode |pode |poderia )*(?:(?:poste|publique|envie|mande|manda|anuncie|reaja|fixe|edite|abra|crie|avise|postar|publicar|enviar|mandar|anunciar|reagir|fixar|editar|abrir|criar|avisar) (?!me )\S|(?:diga|pergunte|lembre) (?:a |ao |à |aos |às |<|@))/iu,
    aboutMe: somewhere("o que (?:você|vc|tu) (?:sabe|sabes|lembra|guardou) (?:de|sobre) mim"),
    askedYou:
      /o que (?:eu )?(?:já )?(?:(?:te|lhe) perguntei|perguntei (?:a|para|pra) (?:você|vc|ti))(?: hoje| ontem| antes)*(?: (?:sobre|a respeito de) (?<topic>.+))?$|^minhas (?:últimas )?perguntas(?: anteriores)?$/iu,
    bots: [
      /(?:você|vc) .*(?:conversou|falou|discutiu|conversaram) .*com (?:o |a |os |as )?(?<name>(?:outros )?bots?|<@!?\d+>|[\p{L}\p{N}_.-]+)(?: sobre (?<topic>.+))?$/iu,
      /(?:sua|suas) conversas? com (?:o |a |os |as )?(?<name>(?:outros )?bots?|<@!?\d+>|[\p{L}\p{N}_.-]+)(?: sobre (?<topic>.+))?$/iu,
    ],
    catchUp: somewhere(
      "o que (?:eu )?perdi|perdi alguma coisa|o que (?:aconteceu|está acontecendo|rolou|tem de novo|há de novo)(?! com)|resum\\p{L}*|novidades|me atualiz\\p{L}*|do que (?:estão falando|se fala)",
    ),
    latest: somewhere("(?:as )?últimas mensagens"),
    person: [
      new RegExp(`o que (?:o |a )?${NAME} (?:tem dito|${SAY})${ABOUT}$`, "iu"),
      new RegExp(`o que (?:${SAY}) (?:o |a )?${NAME}${ABOUT}$`, "iu"),
      new RegExp(`mensage(?:m|ns) d[eoa] ${NAME}${ABOUT}$`, "iu"),
    ],
    deeds: [
      new RegExp(`o que (?:o |a )?${NAME} (?<topic>(?:fez|faz|comprou|achou|traz|constrói|está fazendo).*)$`, "iu"),
    ],
    me: wordSet("eu mim me"),
    pronouns: wordSet("ele ela eles elas"),
    notNames: wordSet(
      "que quem quando onde como o a os as um uma se isso isto alguém ninguém todos hoje ontem aqui você vocês",
    ),
    thread: somewhere("(?:este|esse|neste|nesse|o) (?:tópico|fio)|(?:nesta|nessa|esta|essa) thread"),
    aboutMessage: somewhere("o que (?:significa|é) isso|do que se trata|contexto|o que veio antes"),
    myFact: new RegExp(
      String.raw`^${LEAD}(?:qual|quais|onde|quando|como) (?:é|são|está|fica|se chama) (?:o |a )?(?:meu|minha|meus|minhas) (?<what>[\p{L}\p{N} -]+)$`,
      "iu",
    ),
    theirFact: new RegExp(
      String.raw`^${LEAD}(?:qual|onde) (?:é|está|fica) (?:o|a) (?<what>[\p{L}\p{N} -]+?) d[eoa] ${NAME}$`,
      "iu",
    ),
    held: [
      wholly(`${LEAD}(?:quais|que) (?<what>cargos?) (?:o |a )?${NAME} (?:tem|tenho)(?: aqui)?`),
      wholly(`${LEAD}quais são os (?<what>cargos) d[eoa] ${NAME}`),
    ],
    joined: [
      wholly(`${LEAD}quando (?:foi que )?(?:o |a )?${NAME} (?:entrou|entrei) (?:aqui|(?:no|neste|nesse) servidor)`),
      wholly(
        `${LEAD}(?:desde quando|há quanto tempo) (?:o |a )?${NAME} (?:está|estou|é|sou) (?:aqui|membro|(?:no|neste|nesse) servidor)`,
      ),
    ],
    aboutPerson: [
      wholly(`${LEAD}quem é (?:o |a )?${NAME}`),
      wholly(`${LEAD}o que (?:você|vc|tu|se) (?:sabes?|lembra) (?:sobre(?: o| a)?|d[eoa]) ${NAME}`),
      wholly(`me (?:fal|cont)[ae](?: mais)? (?:sobre(?: o| a)?|d[eoa]) ${NAME}`),
    ],
    sharedFacts: somewhere(
      "o que (?:você|vc) (?:sabe|lembra) .*(?:deste|desse|do|sobre o|sobre este) (?:projeto|servidor|grupo|time)",
    ),
    needsModel: [
      somewhere(
        "(?:conta|conte|escreve|escreva|faz|faça|inventa|invente|sabe|me conta|me conte)(?: uma| um)* (?:piada|poema|história|charada|canção|haicai|carta|código|conto)",
        "traduz\\p{L}*|como se diz .+ em \\p{L}+|raiz quadrada|por cento de|capital d\\p{L}*|população d\\p{L}*|presidente d\\p{L}*|quem (?:inventou|descobriu|escreveu|pintou)|devo|deveria|o que você (?:acha|pensa)|você gosta|sua opinião|seu favorito|sentido da vida|me recomend\\p{L}*|me dá (?:uma )?dicas?|expli(?:que|ca) (?!isso)\\p{L}+|como (?:cozinhar|aprender|fazer um)|calcul\\p{L}+",
      ),
    ],
    wanted: [
      [somewhere("como se chama(?:m)?|qual (?:é )?o nome"), "name"],
      [
        begins(
          `${LEAD}(?:quando|a que horas|que horas|que dia|até quando|desde quando|qual (?:é|a) a? ?(?:data|prazo))`,
        ),
        "when",
      ],
      [begins(`${LEAD}(?:quem|de quem|com quem)`), "who"],
      [begins(`${LEAD}(?:onde|aonde|em qual canal)`), "where"],
      [somewhere("quant[oa]s?|que tamanho|qual (?:o|a) (?:preço|temperatura|tamanho|altura)"), "how_many"],
      [begins(`${LEAD}(?:por ?quê|porque)`), "why"],
      [begins("(?:e )?(?:é|são|está|estão|tem|há|foi|pode|posso)"), "yes_no"],
    ],
    recent: somewhere("agora há pouco|acabou de|hoje|hoje de manhã|agora|recentemente|mais cedo"),
    here: somewhere("aqui$|neste canal"),
    times: [
      [somewhere("hoje de manhã|esta manhã"), "this morning"],
      [somewhere("hoje"), "today"],
      [somewhere("anteontem"), "the day before yesterday"],
      [somewhere("ontem(?: à noite| de manhã)?"), "yesterday"],
      [somewhere("(?:na |a )?semana passada"), "last week"],
      [somewhere("(?:n?esta|essa) semana"), "this week"],
      [somewhere("(?:no |o )?mês passado"), "last month"],
    ],
    follow: {
      more: wholly("(?:mostra |quero )?mais(?: por favor)?|algo mais|o que mais|continua|outros"),
      whoSaidIt: wholly("(?:e )?quem (?:disse isso|falou isso|escreveu isso|é|foi)|de quem é(?: isso)?"),
      whenWasIt: wholly("(?:e )?quando (?:foi(?: isso)?)"),
      whereWasIt: wholly("(?:e )?(?:onde|em qual canal) (?:foi(?: isso)?)|link"),
      why: wholly("(?:mas |e )?por ?quê|contexto"),
      and: /^(?:e|e quanto a|e sobre|que tal|mas|ou)[, ]+(?:o |a )?(?<what>.+)$/iu,
    },
    ignored: wordSet(
      "disse dito diz falou procura encontre mostra sabe alguém mensagem mensagens canal servidor agora já muito tudo toda hoje ontem semana passada manhã tarde noite final fica ser sido ter tinha vai vão isso isto ele ela se seu sua a de à ao hora horas dia data falamos conversamos",
    ),
  },
  says: {
    greeting: "Olá! Pergunte o que foi dito aqui, por quem e quando, ou o que você perdeu.",
    help: "Procuro o que foi dito aqui e cito com links. Só olho onde você pode olhar. Experimente:",
    examples: ["o que eu perdi hoje?", "quando é o prazo?", "o que foi decidido na semana passada?"],
    needsModel:
      "Para isso é preciso um modelo de linguagem, e eu trabalho sem um: só posso procurar o que foi dito aqui.",
    waiting: (what) => `Espero a sua palavra: ${what} só é guardado depois que você confirmar.`,
    waitingToForget: (what) => `Espero a sua palavra: ${what} só é esquecido depois que você confirmar.`,
    whatToRemember: "O que devo propor lembrar? Diga em uma frase, por exemplo “lembre que minha vaga é C 12”.",
    nothingRemembered: "Nada está guardado sobre isso.",
    remembered: "Isto está guardado:",
    profile: {
      known: "Isto é conhecido:",
      discord: "do Discord",
      service: "do serviço de perfis",
      otherwise: "o que está guardado diz outra coisa",
      unavailable: "O serviço de perfis não pôde ser lido agora.",
    },
    documentsUnavailable: "Alguns documentos não puderam ser lidos agora.",
    notRemembered: (what) => `Nada está guardado sobre ${what}.`,
    saidAboutIt: "O que foi dito sobre isso:",
    earlier: "Antes",
    inPlace: (name) => `em #${name}`,
    inDirectMessages: "em mensagens diretas",
    noneMatching: (what) => `Nenhuma mensagem encontrada sobre “${what}”.`,
    noneFrom: (name, what) => `Nenhuma mensagem de ${name} encontrada${what === null ? "" : ` sobre “${what}”`}.`,
    noneInThread: "Nenhuma mensagem encontrada neste tópico.",
    noActivity: "Sem atividade recente neste canal.",
    noMore: "Foi tudo o que encontrei.",
    unknownPerson: (name) => `Não encontro ninguém chamado “${name}”.`,
    whichPerson: (name) => `“${name}” pode ser mais de uma pessoa. Qual?`,
    whoIsMeant: "De quem você fala? Diga o nome, por favor.",
    messageNotFound: "Mensagem não encontrada.",
    noBots: "As conversas com outros bots não estão disponíveis aqui.",
    isolated: "Você pediu uma resposta sem contexto, então não olhei nada. Pergunte de novo sem o sinal e eu procuro.",
    inShort: (place) => `Em resumo, ${place}:`,
    lookedAt: (messages, since) => `${messages} mensagens examinadas${since === null ? "" : `, desde ${since}`}`,
    notEverything: "nem tudo estava acessível agora",
    noModelAsked: "nenhum modelo foi consultado",
    model: {
      unreachable: "Não é possível contactar o modelo neste momento.",
      slow: "O modelo demorou demais para responder.",
      silent: "O modelo não deu resposta.",
      busy: "Há perguntas demais à espera do modelo; pergunte de novo daqui a pouco.",
      spent: (time) => `O orçamento para respostas do modelo acabou; renova-se em ${time}.`,
      tooMuch: "Esta pergunta exigiria do modelo mais do que uma resposta pode usar.",
      foundWithout: "Isto é o que encontrei sem ele:",
      noPictures: "O modelo não vê imagens; esta resposta foi feita sem elas.",
      wait: "Respondo primeiro a outras pessoas; já falo com você.",
      working: "Estou vendo; leva um momento.",
    },
    onlyHere: "Só foi procurado o que todos aqui podem ver; pergunte em particular para saber mais.",
  },
};
