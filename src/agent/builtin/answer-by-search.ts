import { composeContext, composeQuote, composeReach, escapeTopic } from "../../domain/answer/compose.ts";
import { type SaidPassage, shownWords, wordsOf } from "../../domain/answer/passages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { type Asked, type Call, Citations, linesAnswer, plainAnswer, turnOf } from "./asked.ts";
import { MIN_SAID, type Searched, type SearchPlan, searchFurther } from "./look.ts";

/** Searches, and where that finds nothing in the place or time that was only hinted at, further. Throws as the tools do. */
export async function answerBySearch(plan: SearchPlan, asked: Asked): Promise<AgentAnswer> {
  if (plan.topic === "" && plan.tool !== "search_user_messages" && plan.tool !== "search_thread_messages")
    return plainAnswer(asked.language.says.noneMatching(escapeTopic(asked.text)));
  return sayFound(await searchFurther(plan, asked), asked);
}

const MAX_SURE_LENGTH = 300;
const MAX_FIRST_LENGTH = 600;
const MAX_OTHER_LENGTH = 300;

/** One quotation where it answers; otherwise the closest, each with what makes it understandable. */
export function sayFound(searched: Searched, asked: Asked): AgentAnswer | Promise<AgentAnswer> {
  const { passages, isSure, reach, plan, person } = searched;
  if (passages.length === 0) return nothingFound(searched, asked);
  const citations = new Citations();
  const isNamed = plan.wanted === "who";
  const say = (passage: SaidPassage, maxLength: number) =>
    composeQuote(
      { ...passage, words: shownWords(passage, maxLength), isNamed },
      citations.message(passage.message),
      asked,
    );
  // Of what somebody said, all that is shown answers.
  const answers = (one: SaidPassage) => (person ? one.coverage >= MIN_SAID : one.isEarlier);
  const shown = passages.filter((one, index) => index === 0 || answers(one));
  const lines = isSure
    ? shown.map((one) => say(one, MAX_SURE_LENGTH))
    : passages.flatMap((passage, index) => {
        const said = `- ${say(passage, index === 0 ? MAX_FIRST_LENGTH : MAX_OTHER_LENGTH)}`;
        const side = passage.before && wordsOf(passage.before) !== "" ? "before" : "after";
        const beside = passage[side];
        if (!beside || wordsOf(beside) === "") return [said];
        const context = { author: beside.author, words: wordsOf(beside), side } as const;
        return [said, composeContext(context, citations.message(beside, "context"))];
      });
  const heading = isSure ? null : asked.language.says.noClearAnswer;
  const voice = isSure ? ("sure" as const) : ("unsure" as const);
  return { ...linesAnswer({ heading, lines, reach, citations, call: toCall(searched) }, asked), voice };
}

function toCall({ plan, person, passages }: Searched): Call {
  const shown = passages.map(({ message }) => message);
  const authors = new Map(shown.map(({ author }) => [author.id, author]));
  const named = person ? [person] : [...authors.values()];
  const people = (plan.wanted === "who" ? named.slice(0, 1) : named).map(({ id, name }) => ({ id, name }));
  return { tool: plan.tool, args: { ...plan }, people, shown };
}

async function nothingFound(searched: Searched, asked: Asked): Promise<AgentAnswer> {
  const { plan, reach, person } = searched;
  const { says } = asked.language;
  const topic = plan.topic === "" ? null : escapeTopic(plan.topic);
  const name = person?.name ?? (await nameOf(plan.person ?? "", asked));
  const said =
    plan.tool === "search_user_messages"
      ? says.noneFrom(escapeTopic(name), topic)
      : topic === null
        ? says.noneInThread
        : says.noneMatching(topic);
  return plainAnswer(`${said}\n${composeReach(reach, asked)}`, { turn: turnOf(asked, toCall(searched)) });
}

/** A pronoun stands for an id, which nobody can read. */
async function nameOf(person: string, { question }: Asked): Promise<string> {
  if (person === "me") return question.actor.name;
  const people = /^\d+$/.test(person) ? (await question.before())?.people : undefined;
  return people?.find(({ id }) => id === person)?.name ?? person;
}
