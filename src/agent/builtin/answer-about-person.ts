import { escapeTopic } from "../../domain/answer/compose.ts";
import { findPlace, toTopic } from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
import { foldBare } from "../../domain/search/keywords.ts";
import type { AgentAnswer } from "../answerer.ts";
import { sayFound } from "./answer-by-search.ts";
import { type Asked, plainAnswer } from "./asked.ts";
import { runSearch, type Searched, type SearchPlan } from "./look.ts";

interface PersonQuestion {
  /** "me", a name, a mention, or a pronoun. */
  readonly name: string;
  readonly topic: string;
}

const MIN_ABOUT = 0.5;
const MAX_CHOICES = 5;
/** Discord's maximum for a button. */
const MAX_LABEL_LENGTH = 80;

/** What somebody said. Throws as the tools do. */
export async function answerAboutPerson({ name, topic }: PersonQuestion, asked: Asked): Promise<AgentAnswer> {
  const { language, slots } = asked;
  const who = await whoIs(name, asked);
  if (typeof who !== "string") return who;
  // Times and places are slots of their own.
  const timeless = language.asks.times.reduce((text, [pattern]) => text.replace(pattern, " "), topic);
  const rest = toTopic(timeless.replace(findPlace(timeless)?.written ?? "", " "), language);
  const wanted = slots.wanted === "who" || slots.wanted === "yes_no" ? "said" : slots.wanted;
  const plan: SearchPlan = {
    ...{ tool: "search_user_messages", topic: rest, person: who },
    ...{ channel: slots.place, time: slots.time, wanted },
  };
  // Others may tell what somebody did, and it may be the name of something else.
  const anybody: SearchPlan = { ...plan, tool: "search_messages", person: null, topic: `${name} ${rest}`.trim() };
  try {
    const said = await runSearch(plan, asked);
    if (rest === "" || who === "me" || (isMeant(said.person, who) && isAbout(said))) return await sayFound(said, asked);
    const told = await runSearch(anybody, asked);
    return await sayFound(told.passages.length > 0 ? told : said, asked);
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "not_found") return askWhich(error, name, asked);
    const told = await runSearch(anybody, asked);
    // Only with a capital is it meant as a name for certain.
    const isName = /^\p{Lu}/u.test(name);
    return isAbout(told) || (!isName && told.passages.length > 0)
      ? sayFound(told, asked)
      : plainAnswer(language.says.unknownPerson(escapeTopic(name)));
  }
}

/** What they said is about what is asked. */
function isAbout({ passages: [first] }: Searched): boolean {
  return first !== undefined && first.coverage >= MIN_ABOUT;
}

/** The person who was found is the one who was named, and not one with a similar name. */
export function isMeant(person: Searched["person"], who: string): boolean {
  return person !== null && (who.includes(person.id) || isCalled(person.name, who));
}

/** Whether somebody with this name is called so, and not only similarly. */
export function isCalled(name: string, called: string): boolean {
  return foldBare(name)
    .split(/[^\p{L}\p{N}]+/u)
    .includes(foldBare(called));
}

/** A pronoun is the person named last; where several were named, the actor says whom. */
export async function whoIs(name: string, asked: Asked): Promise<string | AgentAnswer> {
  const { language, question } = asked;
  if (!language.asks.pronouns.has(name.toLowerCase())) return name;
  if (question.about && question.about.author.id !== question.agent.id) return question.about.author.id;
  const people = (await question.before())?.people ?? [];
  const [only, ...others] = people;
  if (only && others.length === 0) return only.id ?? only.name;
  const pronoun = new RegExp(`(?<![\\p{L}])${name}(?![\\p{L}])`, "iu");
  return offer(language.says.whoIsMeant, people, pronoun, asked);
}

/** Several people could be meant: the actor chooses. Rethrows anything else. */
export function askWhich(error: unknown, name: string, asked: Asked): AgentAnswer {
  if (!(error instanceof EarshotError) || error.code !== "invalid" || !error.candidates?.length) throw error;
  return offer(asked.language.says.whichPerson(escapeTopic(name)), error.candidates, name, asked);
}

type Person = { readonly id?: string | null | undefined; readonly name: string };

/** Each of them in place of the name that was typed. */
function offer(sentence: string, people: readonly Person[], typed: string | RegExp, { text }: Asked): AgentAnswer {
  const choices = people.slice(0, MAX_CHOICES).map(({ id, name }) => ({
    label: name.slice(0, MAX_LABEL_LENGTH),
    question: text.replace(typed, id == null ? name : `<@${id}>`),
  }));
  return plainAnswer(sentence, choices.length > 0 ? { choices } : {});
}
