/** The question marks of Latin, Greek, Arabic and East Asian writing. */
const END = /[?\u037e\u061f\uff1f]["'”’»)\]]*\s*$/u;

const WITHIN = /[?\u037e\u061f\uff1f]["'”’»)\]]*(?=\s|$)/u;

/** One of the sentences is a question, as its mark says. */
export function asksSomething(text: string): boolean {
  return WITHIN.test(text);
}

/** The last sentence is a question, as its mark says. */
export function endsAsQuestion(text: string): boolean {
  return END.test(text);
}
