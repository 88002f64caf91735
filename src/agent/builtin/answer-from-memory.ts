import { composeReach, escapeName, escapeTopic, quote } from "../../domain/answer/compose.ts";
import { matchFact, toStatedFact } from "../../domain/answer/fact-words.ts";
import { toTopic } from "../../domain/answer/slots.ts";
import { toTopicWords } from "../../domain/answer/topic.ts";
import { EarshotError } from "../../domain/errors.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { FactOutput } from "../../tools/fact-fields.ts";
import { forgetFact } from "../../tools/forget-fact.ts";
import { getProjectFacts } from "../../tools/get-project-facts.ts";
import { getUserFacts } from "../../tools/get-user-facts.ts";
import { rememberFact } from "../../tools/remember-fact.ts";
import { searchContext } from "../../tools/search-context.ts";
import type { AgentAnswer } from "../answerer.ts";
import type { Turn } from "../turn.ts";
import { type Asked, Citations, linesAnswer, plainAnswer } from "./asked.ts";

const MIN_FACT_MATCH = 0.6;
const MAX_FACTS = 8;
const NO_REACH = { scanned: null, from: null, isPartial: false, isShared: false };

/** Proposes; the person decides. It is remembered only afterwards, so nothing here says that it is. */
export async function proposeToRemember(statement: string, asked: Asked): Promise<AgentAnswer> {
  const { says } = asked.language;
  const { about, key, value } = toStatedFact(statement);
  if (key === "" || value === "") return plainAnswer(says.whatToRemember);
  const what = quote(`${key}: ${value}`, 150);
  return propose(() => asked.toolbox.call(rememberFact, { about, key, value }), says.waiting(what), asked);
}

export async function proposeToForget(what: string, asked: Asked): Promise<AgentAnswer> {
  const { language, toolbox } = asked;
  const { says } = language;
  const { facts } = await toolbox.call(getUserFacts, {});
  const fact = bestFact(facts, what, asked);
  if (!fact) return plainAnswer(says.notRemembered(`‘${escapeTopic(what)}’`));
  const waiting = says.waitingToForget(quote(fact.key, 80));
  return propose(() => toolbox.call(forgetFact, { fact_id: fact.fact_id }), waiting, asked);
}

async function propose(call: () => Promise<unknown>, waiting: string, { language }: Asked): Promise<AgentAnswer> {
  try {
    await call();
    return plainAnswer(waiting);
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    if (error.code === "confirmation_needed") return plainAnswer(waiting);
    if (error.code === "not_found") return plainAnswer(language.says.nothingRemembered);
    // Why something is refused, a password for one, is ours to say.
    if (error.code === "invalid") return plainAnswer(escapeMarkdown(error.message, 300));
    throw error;
  }
}

/** Everything about the actor that may be heard here. */
export async function answerWhatIsKnown(asked: Asked): Promise<AgentAnswer> {
  const { facts, note } = await asked.toolbox.call(getUserFacts, {});
  return showFacts(facts, { isShared: note !== null, turn: toTurn(getUserFacts.name, {}, asked), named: [] }, asked);
}

export async function answerSharedFacts(asked: Asked): Promise<AgentAnswer> {
  const { facts, note } = await asked.toolbox.call(getProjectFacts, {});
  return showFacts(facts, { isShared: note !== null, turn: toTurn(getProjectFacts.name, {}, asked), named: [] }, asked);
}

/** A fact about the actor or somebody else that fits; null when none does. */
export async function answerFact(
  { name, what }: { readonly name: string | null; readonly what: string },
  asked: Asked,
): Promise<AgentAnswer | null> {
  const args = name === null ? {} : { user: name };
  try {
    const { facts, note } = await asked.toolbox.call(getUserFacts, args);
    const fact = bestFact(facts, what, asked);
    if (!fact) return null;
    const turn = toTurn(getUserFacts.name, { ...args, topic: what }, asked);
    const named = fact.about.user_id === null ? [] : [{ id: fact.about.user_id, name: fact.about.name ?? name ?? "" }];
    return showFacts([fact], { isShared: note !== null, turn, named }, asked);
  } catch (error) {
    return nothingIfAbsent(error);
  }
}

/** What is remembered may not be for here, or the place itself cannot be read. */
function nothingIfAbsent(error: unknown): null {
  if (error instanceof EarshotError && ["not_found", "invalid", "forbidden"].includes(error.code)) return null;
  throw error;
}

/** A fact that is shared here and fits, where nothing that was said does; null when none does. */
export async function answerRelatedFact(topic: string, asked: Asked): Promise<AgentAnswer | null> {
  const found = await asked.toolbox
    .call(searchContext, { query: topic.slice(0, 500), limit: MAX_FACTS })
    .catch(nothingIfAbsent);
  if (!found) return null;
  const { items, note } = found;
  const facts = items.flatMap((item) => (item.source === "memory_fact" ? [item.fact] : []));
  const fact = bestFact(facts, topic, asked);
  if (!fact) return null;
  const turn = toTurn(searchContext.name, { query: topic }, asked);
  return showFacts([fact], { isShared: note !== null, turn, named: [] }, asked);
}

function bestFact(facts: readonly FactOutput[], what: string, { language }: Asked): FactOutput | null {
  const topic = toTopicWords(toTopic(what, language), language);
  const graded = facts
    .map((fact) => ({ fact, match: matchFact({ ...fact, name: fact.about.name }, topic) }))
    .sort((a, b) => b.match - a.match);
  const [first] = graded;
  return first && first.match >= MIN_FACT_MATCH ? first.fact : null;
}

interface Shown {
  readonly isShared: boolean;
  readonly turn: Turn;
  readonly named: Turn["people"];
}

function showFacts(facts: readonly FactOutput[], { isShared, turn, named }: Shown, asked: Asked): AgentAnswer {
  const { says } = asked.language;
  if (facts.length === 0)
    return plainAnswer(`${says.nothingRemembered}\n${composeReach({ ...NO_REACH, isShared }, asked)}`, { turn });
  const citations = new Citations();
  const lines = facts.slice(0, MAX_FACTS).map((fact) => {
    const { key, text, about } = fact;
    const who = about.kind === "user" && about.name !== null ? `${escapeName(about.name)}, ` : "";
    return `- ${who}${escapeName(key)}: ${quote(text)} [${citations.fact(fact)}]`;
  });
  const reach = { ...NO_REACH, isShared };
  return linesAnswer({ heading: says.remembered, lines, reach, citations, turn: { ...turn, people: named } }, asked);
}

function toTurn(tool: string, args: Turn["args"], { text, language }: Asked): Turn {
  return { tool, args, question: text, language: language.code, people: [], shown: [], cursor: null };
}
