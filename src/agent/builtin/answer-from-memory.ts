import type { z } from "zod";
import { composeReach, escapeName, escapeTopic, quote } from "../../domain/answer/compose.ts";
import { toStatedFact, toTopic } from "../../domain/answer/question-kind.ts";
import { isIn, stemsOf, type Topic, toTopicWords } from "../../domain/answer/topic.ts";
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
import { askWhich, isCalled, whoIs } from "./answer-about-person.ts";
import { type Asked, type Call, Citations, linesAnswer, NO_REACH, plainAnswer, turnOf } from "./asked.ts";

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
  const fact = bestOf([...facts, ...hiding], what, asked);
  if (!fact) return plainAnswer(says.notRemembered(`‘${escapeTopic(what)}’`));
  const args = "fact_id" in fact ? { fact_id: fact.fact_id } : { key: fact.key };
  return propose(() => toolbox.call(forgetFact, args), says.waitingToForget(quote(fact.key, 80)), asked);
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
  return showKnown(await readKnown({}, asked), asked);
}

export async function answerSharedFacts(asked: Asked): Promise<AgentAnswer> {
  const { facts: known, note } = await asked.toolbox.call(getProjectFacts, {});
  return showKnown({ known, note, call: { tool: getProjectFacts.name, args: {} } }, asked);
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
    const read = await readKnown({ user }, asked);
    const [first] = read.known;
    if (!first) return null;
    const { user_id: id, name: called } = personOf(first);
    const answer = showKnown({ ...read, call: { ...read.call, people: toPeople(first, name) } }, asked);
    return { answer, isNamed: (id !== null && user.includes(id)) || isCalled(called ?? "", user) };
  } catch (error) {
    const candidates = (error instanceof EarshotError && error.code === "invalid" && error.candidates) || [];
    if (candidates.length > 0 && candidates.every((one) => isCalled(one.name, user)))
      return { answer: askWhich(error, name, asked), isNamed: true };
    return nothingIfAbsent(error);
  }
}

/** A fact about the actor or somebody else, by name or pronoun, that fits; null when none does. */
export async function answerFact(
  { name, what }: { readonly name: string | null; readonly what: string },
  asked: Asked,
): Promise<AgentAnswer | null> {
  const user = name === null ? undefined : await whoIs(name, asked);
  if (typeof user === "object") return user;
  try {
    const { known, note, call } = await readKnown({ user }, asked);
    const fact = bestOf(known, what, asked);
    if (!fact) return null;
    const [args, people] = [{ ...call.args, topic: what }, toPeople(fact, name ?? "")];
    return showKnown({ known: [fact], note, call: { ...call, args, people } }, asked);
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
  const call = { tool: searchContext.name, args: { query: topic } };
  if ("known" in best) return showKnown({ known: [best.known], note: found.note, call }, asked);
  const citations = new Citations();
  const words = best.passage.text.replaceAll(/\s*\n\s*/gu, " ");
  const lines = [`${quote(words, MAX_PASSAGE_LENGTH)} [${citations.passage(best.passage)}]`];
  return linesAnswer({ lines, reach: reachOf(found.note), citations, call }, asked);
}

type Record = { readonly match: number } & ({ readonly known: Known } | { readonly passage: PassageOutput });

/** A heading says what a passage is about. Names and roles of the person asking are answers only where they ask for them. */
function toRecord(item: z.output<typeof searchContext.output>["items"][number], wanted: Topic): Record[] {
  if (item.source === "docs") {
    const { document, headings, text } = item.passage;
    const match = matchFact({ key: [document, ...headings].join(" "), text, name: null }, wanted);
    return [{ match, passage: item.passage }];
  }
  const isService = item.source === "crm" && item.profile.origin === "service";
  const known = item.source === "memory_fact" ? item.fact : isService ? item.profile : null;
  return known ? [{ match: matchFact({ ...known, name: personOf(known).name }, wanted), known }] : [];
}

/** A fact, or what a profile says. */
type Known = FactOutput | ProfileOutput;

function personOf(known: Known): Pick<FactOutput["about"], "user_id" | "name"> {
  return "fact_id" in known ? known.about : known;
}

function toPeople(known: Known, typed: string): Turn["people"] {
  const { user_id: id, name } = personOf(known);
  return id === null ? [] : [{ id, name: name ?? typed }];
}

function bestOf(all: readonly Known[], what: string, { language }: Asked): Known | null {
  const topic = toTopicWords(toTopic(what, language), language);
  const [first] = all
    .map((fact) => ({
      fact,
      match: isSameKey(fact.key, what) ? 1 : matchFact({ ...fact, name: personOf(fact).name }, topic),
    }))
    .sort((a, b) => b.match - a.match);
  return first && first.match >= MIN_FACT_MATCH ? first.fact : null;
}

/** "time zone" is "timezone". */
function isSameKey(key: string, what: string): boolean {
  const [own, asked] = [key, what].map((text) => foldBare(text).replaceAll(/[^\p{L}\p{N}]/gu, ""));
  return own === asked;
}

interface ReadFacts {
  readonly known: readonly Known[];
  readonly note: string | null;
  readonly call: Call;
}

async function readKnown({ user }: { readonly user?: string | undefined }, { toolbox }: Asked): Promise<ReadFacts> {
  const args = user === undefined ? {} : { user };
  const { facts, profile, note } = await toolbox.call(getUserFacts, args);
  return { known: [...profile, ...facts], note, call: { tool: getUserFacts.name, args } };
}

function reachOf(note: string | null) {
  return { ...NO_REACH, isShared: note?.includes(ONLY_FOR_ALL_HERE) ?? false };
}

function showKnown({ known, note, call }: ReadFacts, asked: Asked): AgentAnswer {
  const { says } = asked.language;
  const reach = reachOf(note);
  if (known.length === 0)
    return plainAnswer(`${says.nothingRemembered}\n${composeReach(reach, asked)}`, { turn: turnOf(asked, call) });
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
  return linesAnswer({ heading, lines, reach, citations, call }, asked);
}

function describeOrigin({ origin, facts_differ: isOther }: ProfileOutput, { language }: Asked): string {
  const { profile } = language.says;
  return `(${profile[origin]}${isOther ? `; ${profile.otherwise}` : ""})`;
}

/** How many of the words of a topic a fact has in its key or value, 0 to 1. */
function matchFact(
  { key, text, name }: { readonly key: string; readonly text: string; readonly name: string | null },
  words: Topic,
): number {
  const own = stemsOf(key);
  // Whose fact it is, is known; the rest has to fit.
  const whose = stemsOf(name ?? "");
  const topic = words.filter((word) => !isIn(word, whose));
  if (topic.length === 0) return 0;
  const stems = stemsOf(`${key} ${text}`);
  const sum = topic.reduce((total, word) => total + (isIn(word, own) ? 1 : isIn(word, stems) ? 0.7 : 0), 0);
  return sum / topic.length;
}
