import { composeContext, composeQuote, composeReach, escapeTopic } from "../../domain/answer/compose.ts";
import { type SaidPassage, shownWords, wordsOf } from "../../domain/answer/passages.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { AgentAnswer } from "../answerer.ts";
import type { Turn } from "../turn.ts";
import { type Asked, Citations, linesAnswer, plainAnswer, turnOf } from "./asked.ts";
import { MIN_SAID, runSearch, type Searched, type SearchPlan } from "./look.ts";

/** Searches, and where that finds nothing in the place or time that was only hinted at, further. Throws as the tools do. */
export async function answerBySearch(plan: SearchPlan, asked: Asked): Promise<AgentAnswer> {
  if (plan.topic === "" && plan.tool !== "search_user_messages" && plan.tool !== "search_thread_messages")
    return plainAnswer(asked.language.says.noneMatching(escapeTopic(asked.text)));
  return sayFound(await searchFurther(plan, asked), asked);
}

/** From what was asked to what may be meant. */
export async function searchFurther(plan: SearchPlan, asked: Asked): Promise<Searched> {
  const { slots, question } = asked;
  const searched = await runSearch(plan, asked);
  const isHinted = plan.tool === "search_channel_messages" && plan.channel === null && !slots.isHere;
  if (searched.passages.length > 0 || !isHinted || question.guildId === null) return searched;
  const everywhere = await runSearch({ ...plan, tool: "search_messages" }, asked);
  if (everywhere.passages.length > 0 || plan.time === null) return everywhere;
  return runSearch({ ...plan, tool: "search_messages", time: null }, asked);
}

const MAX_SURE_LENGTH = 300;
const MAX_FIRST_LENGTH = 600;
const MAX_OTHER_LENGTH = 300;

/** One quotation where it answers; otherwise the closest, each with what makes it understandable. */
export function sayFound(searched: Searched, asked: Asked): AgentAnswer | Promise<AgentAnswer> {
  const { passages, isSure, reach } = searched;
  if (passages.length === 0) return nothingFound(searched, asked);
  const citations = new Citations();
  const isNamed = searched.plan.wanted === "who";
  const say = (passage: SaidPassage, maxLength: number) =>
    composeQuote(
      { ...passage, words: shownWords(passage, maxLength), isNamed },
      citations.message(passage.message),
      asked,
    );
  const [first] = passages;
  // Of what somebody said, all that is shown answers.
  const answers = (one: SaidPassage) => (searched.person ? one.coverage >= MIN_SAID : one.isEarlier);
  const shown = passages.filter((one) => one === first || answers(one));
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
  return { ...linesAnswer({ heading, lines, reach, citations, turn: toTurn(searched, asked) }, asked), voice };
}

function toTurn({ plan, args, person, passages, cursor }: Searched, asked: Asked): Turn {
  const authors = passages.map(({ message }) => message.author);
  const named = person
    ? [person]
    : authors.filter(({ id }, index) => authors.findIndex((other) => other.id === id) === index);
  return turnOf(asked, {
    tool: plan.tool,
    args: { ...args, wanted: plan.wanted, topic: plan.topic },
    people: (plan.wanted === "who" ? named.slice(0, 1) : named).map(({ id, name }) => ({ id, name })),
    shown: passages.map(({ message }) => message),
    cursor,
  });
}

async function nothingFound(searched: Searched, asked: Asked): Promise<AgentAnswer> {
  const { plan, reach } = searched;
  const { says } = asked.language;
  const topic = plan.topic === "" ? null : escapeTopic(plan.topic);
  const said =
    plan.tool === "search_user_messages"
      ? says.noneFrom(
          plan.person === "me"
            ? escapeTopic(asked.question.actor.name)
            : escapeTopic(searched.person?.name ?? (await nameOf(plan.person ?? "", asked))),
          topic,
        )
      : topic === null
        ? says.noneInThread
        : says.noneMatching(topic);
  return plainAnswer(`${said}\n${composeReach(reach, asked)}`, { turn: toTurn(searched, asked) });
}

/** A pronoun stands for an id, which nobody can read. */
async function nameOf(person: string, { question }: Asked): Promise<string> {
  if (!/^\d+$/.test(person)) return person;
  const before = await question.before();
  return before?.people.find(({ id }) => id === person)?.name ?? person;
}

/** Several people could be meant: the actor chooses. Rethrows anything else. */
export function askWhich(error: unknown, name: string, asked: Asked): AgentAnswer {
  if (!(error instanceof EarshotError) || error.code !== "invalid" || !error.candidates?.length) throw error;
  const choices = error.candidates.slice(0, MAX_CHOICES).map(({ name: label, id }) => ({
    label: label.slice(0, MAX_LABEL_LENGTH),
    question: id === undefined ? asked.text : asked.text.replace(name, `<@${id}>`),
  }));
  return plainAnswer(asked.language.says.whichPerson(escapeTopic(name)), { choices });
}

const MAX_CHOICES = 5;
/** Discord's maximum for a button. */
const MAX_LABEL_LENGTH = 80;
