import { composeExtract, composeReach, escapeTopic } from "../../domain/answer/compose.ts";
import { hasValue } from "../../domain/answer/pick-extracts.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { AgentAnswer } from "../answerer.ts";
import { type Turn, toShown } from "../turn.ts";
import { type Asked, Citations, linesAnswer, plainAnswer } from "./asked.ts";
import { relatedWords, runSearch, type Searched, type SearchPlan } from "./search-plan.ts";

/** Searches, and where that finds nothing in the place or time that was only hinted at, further. Throws as the tools do. */
export async function answerBySearch(plan: SearchPlan, asked: Asked): Promise<AgentAnswer> {
  if (plan.topic === "" && plan.tool !== "search_user_messages" && plan.tool !== "search_thread_messages")
    return plainAnswer(asked.language.says.noneMatching(escapeTopic(asked.text)));
  let searched: Searched | undefined;
  let weak: Searched | undefined;
  for (const [index, next] of waysOf(plan, asked).entries()) {
    const related = index === 0 ? "" : relatedWords(next, asked);
    // The second way is the first with other words, if there are any.
    if (index === 1 && related === "") continue;
    searched = await runSearch(next, asked, { related });
    if (searched.extracts.length > 0) return toAnswer(searched, asked);
    if (searched.weakExtracts.length > 0) weak ??= { ...searched, extracts: searched.weakExtracts };
  }
  if (weak) return toAnswer(weak, asked);
  if (!searched) return plainAnswer(asked.language.says.noMore);
  return nothingFound(searched, asked);
}

/** From what was asked to what may be meant. */
function waysOf(plan: SearchPlan, { slots, question }: Asked): SearchPlan[] {
  const ways = [plan, plan];
  const isHinted = plan.tool === "search_channel_messages" && plan.channel === null && !slots.isHere;
  const everywhere = { ...plan, tool: "search_messages" as const };
  if (isHinted && question.guildId !== null) ways.push(everywhere);
  if (isHinted && plan.time !== null) ways.push({ ...everywhere, time: null });
  return ways;
}

export function toAnswer(searched: Searched, asked: Asked): AgentAnswer {
  const { extracts, plan, isPartial, isShared, scanned, from } = searched;
  const { wanted } = plan;
  const citations = new Citations();
  const showsValue = hasValue(wanted);
  const lines = extracts.map((extract, index) =>
    composeExtract(extract, citations.message(extract.evidence.message), {
      ...asked,
      showsValue: showsValue && index === 0,
    }),
  );
  const heading = wanted === "yes_no" || wanted === "why" ? asked.language.says.saidAboutIt : null;
  const reach = { scanned, from, isPartial, isShared };
  return linesAnswer({ heading, lines, reach, citations, turn: toTurn(searched, asked) }, asked);
}

function toTurn({ plan, args, person, extracts, cursor }: Searched, { text, language }: Asked): Turn {
  const authors = extracts.map(({ evidence }) => evidence.message.author);
  const named = person
    ? [person]
    : authors.filter(({ id }, index) => authors.findIndex((other) => other.id === id) === index);
  return {
    tool: plan.tool,
    args: { ...args, wanted: plan.wanted, topic: plan.topic },
    question: text,
    language: language.code,
    people: (plan.wanted === "who" ? named.slice(0, 1) : named).map(({ id, name }) => ({ id, name })),
    shown: extracts.map(({ evidence }) => toShown(evidence.message)),
    cursor,
  };
}

async function nothingFound(searched: Searched, asked: Asked): Promise<AgentAnswer> {
  const { plan, scanned, from, isPartial, isShared } = searched;
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
  const small = composeReach({ scanned, from, isPartial, isShared }, asked);
  return plainAnswer(`${said}\n${small}`, { turn: toTurn(searched, asked) });
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
