import { calendarNames } from "../time/calendar-names.ts";

/** The kind of statement that a sentence makes, judged by cue phrases. */
export interface Cues {
  /** Reports a decision. */
  readonly isDecision: boolean;
  /** Announces a person's intention. */
  readonly isPlan: boolean;
  /** Names a day or a time. */
  readonly hasDate: boolean;
  readonly isQuestion: boolean;
}

/** Knows phrases in English, German, French and Spanish; question marks, numeric dates and the names of days and months in more languages. */
export function findCues(sentence: string): Cues {
  const text = sentence.normalize("NFC").replaceAll(/[’ʼ`´]/g, "'");
  const isQuestion = isMarkedAsQuestion(text);
  return {
    isQuestion,
    isDecision: !isQuestion && DECISION.test(text),
    isPlan: !isQuestion && PLAN.test(text),
    hasDate: dates().test(text),
  };
}

/** A question mark ends the sentence. */
export function isMarkedAsQuestion(sentence: string): boolean {
  return QUESTION.test(sentence.trimEnd().slice(-MAX_END_LENGTH));
}

/** Question marks of all scripts near the end of a sentence, also followed by other characters: `?!`, `??`, `?)`. */
const MAX_END_LENGTH = 40;
const QUESTION = /[?？؟՞፧⁇⁈⁉‽][\s\p{P}\p{S}]*$|[\u037e;]$(?<=\p{Script=Greek}[;\u037e])/u;

const DECISION = words(
  "decision",
  "(?:we|i|they|it(?:'s| is| was)|have|has|had) (?:been |all )?(?:decided|agreed|settled)",
  "agreed (?:to|on|that)",
  "settled on",
  "(?:we're|we are|i'm|let's|will) (?:going with|go with)",
  "(?:has been|have been|is|are|was|were|been) (?:approved|cancelled|canceled|postponed|rescheduled|called off|moved to)",
  "(?:we|i) (?:move|postpone|cancel|keep|choose|chose|picked) (?:it|the|that|this)",
  "(?<!i'm |i am )keeping the",
  "correction",
  "(?<=^|[.!:] )approved",
  "it's official",
  "poll closed",
  // German
  "beschlossen",
  "entschieden",
  "entscheidung",
  "beschluss",
  "abgemacht",
  "ausgemacht",
  "vereinbart",
  "geeinigt",
  "verschoben",
  "abgesagt",
  "genehmigt",
  "steht fest",
  // French
  "décision",
  "(?:a|avons|est|ont|ai) (?:été )?(?:décidé|convenu|validé|reporté|annulé|tranché)",
  "c'est (?:décidé|validé|convenu)",
  "on part sur",
  // Spanish
  "decisión",
  "decidido",
  "decidimos",
  "acordado",
  "acordamos",
  "quedamos en",
  "aprobado",
  "aplazado",
  "cancelado",
);

const PLAN = words(
  "let's(?! (?:see|hope|say|face|be)\\b)",
  "(?:we|i|he|she|they|you)(?:'ll| will)(?! (?:never|not|be honest|admit)\\b)",
  "(?:i'm|we're|i am|we are) (?:going to|bringing|doing|taking|making)",
  "will do",
  "on it",
  "leave it to me",
  "reminder",
  "deadline",
  // German
  "(?:lass|lasst) uns",
  "(?:ich|wir) (?:mache|machen|übernehme|übernehmen|bringe|bringen|werde|werden|schicke|schicken|hole|holen|treffen|kümmere|kümmern)",
  "(?:mach|übernehm|erledig)e? ich",
  "erinnerung",
  // French
  "je (?:m'en occupe|vais|ferai|prends|m'occupe|l'envoie)",
  "(?:nous allons|on va|allons-y|on se (?:voit|retrouve))",
  "rappel",
  // Spanish
  "(?:me encargo|lo hago|voy a|vamos a|hagamos|traigo|llevo|haré|haremos|nos vemos)",
  "recordatorio",
);

/** Created on first use: collecting the names of days and months in all those languages is slow. */
let datePattern: RegExp | null = null;

function dates(): RegExp {
  datePattern ??= new RegExp(
    [
      String.raw`\d{4}-\d{2}-\d{2}`,
      String.raw`(?<![\d:.])(?:[01]?\d|2[0-3])[:h][0-5]\d(?!\d)`,
      String.raw`(?<!\d)(?:[01]?\d|2[0-3]) ?(?:am|pm|uhr|o'clock)(?!\p{L})`,
      String.raw`(?<![\d.,])(?:[012]?\d|3[01])(?:st|nd|rd|th)(?!\p{L})`,
      String.raw`<t:\d+(?::\w)?>`,
      String.raw`\d{1,2}月\d{1,2}日|\d{1,2}時|[月火水木金土日]曜日|(?:星期|周)[一二三四五六日天]|\d{1,2}월|[월화수목금토일]요일`,
      wholeWords(
        "today|tonight|tomorrow|heute|morgen|übermorgen|aujourd'hui|demain|hoy|mañana|pasado mañana",
        ...calendarNames(),
      ),
    ].join("|"),
    "iu",
  );
  return datePattern;
}

function words(...cues: readonly string[]): RegExp {
  return new RegExp(wholeWords(...cues), "iu");
}

function wholeWords(...cues: readonly string[]): string {
  return `(?<![\\p{L}\\p{N}])(?:${cues.join("|")})(?![\\p{L}\\p{N}])`;
}
