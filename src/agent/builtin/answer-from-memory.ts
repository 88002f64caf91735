import type { z } from "zod";
import { composeReach, escapeName, escapeTopic, quote } from "../../domain/answer/compose.ts";
import { matchFact, toStatedFact } from "../../domain/answer/fact-words.ts";
import { toTopic } from "../../domain/answer/slots.ts";
import { type Topic, toTopicWords } from "../../domain/answer/topic.ts";
import { EarshotError } from "../../domain/errors.ts";
import { foldBare } from "../../domain/search/keywords.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { type FactOutput, ONLY_FOR_ALL_HERE, type ProfileOutput } from "../../tools/fact-fields.ts";
import { forgetFact } from "../../tools/forget-fact.ts";
import { getProjectFacts } from "../../tools/get-project-facts.ts";
import { getUserFacts } from "../../tools/get-user-facts.ts";
import type { PassageOutput } from "../../tools/passage-fields.ts";
import { rememberFact } from "../../tools/remember-fact.ts";
import { searchContext } from "../../tools/search-context.ts";
import type { AgentAnswer } from "../answerer.ts";
import type { Turn } from "../turn.ts";
import { isCalled, whoIs } from "./answer-about-person.ts";
import { askWhich } from "./answer-by-search.ts";
import { type Asked, Citations, linesAnswer, NO_REACH, plainAnswer, turnOf } from "./asked.ts";

const MIN_FACT_MATCH = 0.6;
const MAX_FACTS = 8;
const MAX_PASSAGE_LENGTH = 500;

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
  const { facts, profile } = await toolbox.call(getUserFacts, {});
  // A fact that the profile stands before can be forgotten all the same.
  const hiding = profile.filter((field) => field.facts_differ !== null);
  const fact = bestOf<Known>([...facts, ...hiding], what, asked);
  if (!fact) return plainAnswer(says.notRemembered(`‘${escapeTopic(what)}’`));
  const waiting = says.waitingToForget(quote(fact.key, 80));
  return propose(
    () => toolbox.call(forgetFact, "fact_id" in fact ? { fact_id: fact.fact_id } : { key: fact.key }),
    waiting,
    asked,
  );
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
  const { facts, profile, note } = await asked.toolbox.call(getUserFacts, {});
  return showKnown(
    [...profile, ...facts],
    { note, turn: turnOf(asked, { tool: getUserFacts.name, args: {} }), named: [] },
    asked,
  );
}

export interface KnownPerson {
  readonly answer: AgentAnswer;
  /** They are called as they were asked for. With a name that is only similar, something else may be meant. */
  readonly isNamed: boolean;
}

/** Everything about somebody that may be heard here; null when nothing is known, or nobody. */
export async function answerAboutKnownPerson(name: string, asked: Asked): Promise<KnownPerson | null> {
  const user = await whoIs(name, asked);
  if (typeof user !== "string") return { answer: user, isNamed: true };
  try {
    const { facts, profile, note } = await asked.toolbox.call(getUserFacts, { user });
    const known = [...profile, ...facts];
    const [first] = known;
    if (!first) return null;
    const { user_id: id, name: called } = personOf(first);
    const shown = {
      note,
      turn: turnOf(asked, { tool: getUserFacts.name, args: { user } }),
      named: toPeople(first, name),
    };
    const answer = showKnown(known, shown, asked);
    return { answer, isNamed: (id !== null && user.includes(id)) || isCalled(called ?? "", user) };
  } catch (error) {
    const candidates = (error instanceof EarshotError && error.code === "invalid" && error.candidates) || [];
    if (candidates.length > 0 && candidates.every((one) => isCalled(one.name, user)))
      return { answer: askWhich(error, name, asked), isNamed: true };
    return nothingIfAbsent(error);
  }
}

export async function answerSharedFacts(asked: Asked): Promise<AgentAnswer> {
  const { facts, note } = await asked.toolbox.call(getProjectFacts, {});
  return showKnown(facts, { note, turn: turnOf(asked, { tool: getProjectFacts.name, args: {} }), named: [] }, asked);
}

/** A fact about the actor or somebody else, by name or pronoun, that fits; null when none does. */
export async function answerFact(
  { name, what }: { readonly name: string | null; readonly what: string },
  asked: Asked,
): Promise<AgentAnswer | null> {
  const user = name === null ? null : await whoIs(name, asked);
  if (user !== null && typeof user !== "string") return user;
  const args = user === null ? {} : { user };
  try {
    const { facts, profile, note } = await asked.toolbox.call(getUserFacts, args);
    const fact = bestOf<Known>([...profile, ...facts], what, asked);
    if (!fact) return null;
    const turn = turnOf(asked, { tool: getUserFacts.name, args: { ...args, topic: what } });
    return showKnown([fact], { note, turn, named: toPeople(fact, name ?? "") }, asked);
  } catch (error) {
    return nothingIfAbsent(error);
  }
}

/** What is remembered may not be for here, or the place itself cannot be read. */
function nothingIfAbsent(error: unknown): null {
  if (error instanceof EarshotError && ["not_found", "invalid", "forbidden"].includes(error.code)) return null;
  throw error;
}

/** A fact, what a profile says, or a passage of a document, whichever is about more of the topic than `moreThan`; null when none is. */
export async function answerFromRecords(topic: string, moreThan: number, asked: Asked): Promise<AgentAnswer | null> {
  const query = `${asked.text} ${topic}`.slice(0, 500);
  const found = await asked.toolbox.call(searchContext, { query, limit: MAX_FACTS }).catch(nothingIfAbsent);
  if (!found) return null;
  const wanted = toTopicWords(topic, asked.language);
  const [best] = found.items
    .flatMap((item) => toRecord(item, wanted))
    .filter(({ match }) => match >= MIN_FACT_MATCH && match > moreThan)
    .sort((a, b) => b.match - a.match);
  if (!best) return null;
  const turn = turnOf(asked, { tool: searchContext.name, args: { query: topic } });
  if ("known" in best) return showKnown([best.known], { note: found.note, turn, named: [] }, asked);
  const citations = new Citations();
  const words = best.passage.text.replaceAll(/\s*\n\s*/gu, " ");
  const lines = [`${quote(words, MAX_PASSAGE_LENGTH)} [${citations.passage(best.passage)}]`];
  const reach = { ...NO_REACH, isShared: found.note?.includes(ONLY_FOR_ALL_HERE) ?? false };
  return linesAnswer({ lines, reach, citations, turn }, asked);
}

type Record = { readonly match: number } & ({ readonly known: Known } | { readonly passage: PassageOutput });

/** A heading says what a passage is about. Names and roles of the person asking are answers only where they ask for them. */
function toRecord(item: ContextItem, wanted: Topic): Record[] {
  if (item.source === "docs") {
    const { document, headings, text } = item.passage;
    const match = matchFact({ key: [document, ...headings].join(" "), text, name: null }, wanted);
    return [{ match, passage: item.passage }];
  }
  const known =
    item.source === "memory_fact"
      ? item.fact
      : item.source === "crm" && item.profile.origin === "service"
        ? item.profile
        : null;
  return known ? [{ match: matchFact({ ...known, name: personOf(known).name }, wanted), known }] : [];
}

type ContextItem = z.output<typeof searchContext.output>["items"][number];

/** A fact, or what a profile says. */
type Known = FactOutput | ProfileOutput;

function personOf(known: Known): Pick<FactOutput["about"], "user_id" | "name"> {
  return "fact_id" in known ? known.about : known;
}

function toPeople(known: Known, typed: string): Turn["people"] {
  const { user_id: id, name } = personOf(known);
  return id === null ? [] : [{ id, name: name ?? typed }];
}

function bestOf<One extends Known>(all: readonly One[], what: string, { language }: Asked): One | null {
  const topic = toTopicWords(toTopic(what, language), language);
  const graded = all
    .map((fact) => ({
      fact,
      match: isSameKey(fact.key, what) ? 1 : matchFact({ ...fact, name: personOf(fact).name }, topic),
    }))
    .sort((a, b) => b.match - a.match);
  const [first] = graded;
  return first && first.match >= MIN_FACT_MATCH ? first.fact : null;
}

/** "time zone" is "timezone". */
function isSameKey(key: string, what: string): boolean {
  const [own, asked] = [key, what].map((text) => foldBare(text).replaceAll(/[^\p{L}\p{N}]/gu, ""));
  return own === asked;
}

interface Shown {
  readonly note: string | null;
  readonly turn: Turn;
  readonly named: Turn["people"];
}

function showKnown(known: readonly Known[], { note, turn, named }: Shown, asked: Asked): AgentAnswer {
  const { says } = asked.language;
  const reach = { ...NO_REACH, isShared: note?.includes(ONLY_FOR_ALL_HERE) ?? false };
  if (known.length === 0) return plainAnswer(`${says.nothingRemembered}\n${composeReach(reach, asked)}`, { turn });
  const citations = new Citations();
  const shown = known.slice(0, MAX_FACTS);
  const lines = shown.map((one) => {
    const { name } = personOf(one);
    const who = name === null ? "" : `${escapeName(name)}, `;
    const source =
      "fact_id" in one ? `[${citations.fact(one)}]` : `${describeOrigin(one, asked)} [${citations.profile(one)}]`;
    return `- ${who}${escapeName(one.key)}: ${quote(one.text)} ${source}`;
  });
  const heading = shown.every((one) => "fact_id" in one) ? says.remembered : says.profile.known;
  const people = { ...turn, people: named };
  return linesAnswer({ heading, lines, reach, citations, turn: people }, asked);
}

function describeOrigin({ origin, facts_differ: isOther }: ProfileOutput, { language }: Asked): string {
  const { profile } = language.says;
  return `(${profile[origin]}${isOther ? `; ${profile.otherwise}` : ""})`;
}
