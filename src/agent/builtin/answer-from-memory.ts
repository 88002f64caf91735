import type { z } from "zod";
import { escapeName, quote } from "../../domain/answer/compose.ts";
import { glossed, isIn, stemsOf, type Topic, toTopicWords, valuesIn } from "../../domain/answer/passages.ts";
import { type QuestionKind, toStatedFact } from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
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
import { askWhichPerson, whoIs } from "./answer-from-talk.ts";
import { type Asked, type Call, Citations, isMeant, linesAnswer, NO_REACH, nothingIf, plainAnswer } from "./look.ts";

const MIN_FACT_MATCH = 0.6;
const MAX_FACTS = 8;
const MAX_PASSAGE_LENGTH = 500;

/** Proposes; the person decides. It is remembered only afterwards, so nothing here says that it is. */
export async function proposeToRemember(asked: Asked, { what: statement }: QuestionKind): Promise<AgentAnswer> {
  const { says } = asked.language;
  const { about, key, value } = toStatedFact(statement);
  if (key === "" || value === "") return plainAnswer(says.whatToRemember);
  const waiting = says.waiting(quote(`${key}: ${value}`, 150));
  return propose(() => asked.toolbox.call(rememberFact, { about, key, value }), waiting, asked);
}

export async function proposeToForget(asked: Asked, { what }: QuestionKind): Promise<AgentAnswer> {
  const { says } = asked.language;
  const { known } = await readKnown(undefined, asked);
  // A fact that the profile stands before can be forgotten all the same.
  const own = known.filter((one) => !("profile_ref" in one) || one.facts_differ !== null);
  const fact = bestOf(own, toTopicWords(what, asked.language));
  if (!fact) return plainAnswer(says.notRemembered(`‘${escapeName(what)}’`));
  const args = "fact_id" in fact ? { fact_id: fact.fact_id } : { key: keyOf(fact) };
  return propose(() => asked.toolbox.call(forgetFact, args), says.waitingToForget(quote(keyOf(fact), 80)), asked);
}

async function propose(call: () => Promise<unknown>, waiting: string, { language }: Asked): Promise<AgentAnswer> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    if (error.code === "not_found") return plainAnswer(language.says.nothingRemembered);
    // Why something is refused, a password for one, is ours to say.
    if (error.code === "invalid") return plainAnswer(escapeMarkdown(error.message, 300));
    if (error.code !== "confirmation_needed") throw error;
  }
  return plainAnswer(waiting);
}

export async function answerWhatIsKnown(asked: Asked): Promise<AgentAnswer> {
  return showKnown(await readKnown(undefined, asked), asked);
}

export async function answerSharedFacts(asked: Asked): Promise<AgentAnswer> {
  const { facts: known, note } = await asked.toolbox.call(getProjectFacts, {});
  return showKnown({ known, note, call: { tool: getProjectFacts.name, args: {} } }, asked);
}

/** Everything about somebody that may be heard here; null when nothing is known, or nobody. `isNamed`: the name is theirs, and not only similar. */
export async function answerAboutKnownPerson(name: string, asked: Asked) {
  const user = await whoIs(name, asked);
  if (typeof user !== "string") return { answer: user, isNamed: true };
  try {
    const read = await readKnown(user, asked);
    const [person] = read.known.map(personOf);
    if (!person) return null;
    const answer = showKnown({ ...read, call: { ...read.call, people: toPeople(person, name) } }, asked);
    return { answer, isNamed: isMeant({ id: person.user_id, name: person.name ?? "" }, user) };
  } catch (error) {
    const candidates = (error instanceof EarshotError && error.candidates) || [];
    if (candidates.length === 0 || !candidates.every((one) => isMeant({ id: null, name: one.name }, user)))
      return nothingIfAbsent(error);
    const answer = askWhichPerson(name, asked)(error);
    return answer && { answer, isNamed: true };
  }
}

/** A fact about the actor or somebody else, by name or pronoun, that fits; null when none does. */
export async function answerFact(
  { name, what }: Pick<QuestionKind, "name" | "what">,
  asked: Asked,
): Promise<AgentAnswer | null> {
  const user = name === "me" ? undefined : await whoIs(name, asked);
  if (typeof user === "object") return user;
  const read = await readKnown(user, asked).catch(nothingIfAbsent);
  const fact = bestOf(read?.known ?? [], toTopicWords(what, asked.language));
  if (!read || !fact) return null;
  const call = { ...read.call, args: { ...read.call.args, topic: what }, people: toPeople(personOf(fact), name) };
  return showKnown({ ...read, known: [fact], call }, asked);
}

/** What is remembered may not be for here, or the place itself cannot be read. */
const nothingIfAbsent = nothingIf("not_found", "invalid", "forbidden");

/** A fact, what a profile says, or a passage of a document that may answer, whichever is about more of the topic than `moreThan`; null when none is. */
export async function answerFromRecords(topic: string, moreThan: number, asked: Asked): Promise<AgentAnswer | null> {
  const query = `${asked.text} ${glossed(topic, asked.language)}`.slice(0, 500);
  const found = await asked.toolbox.call(searchContext, { query, limit: MAX_FACTS }).catch(nothingIfAbsent);
  const words = toTopicWords(topic, asked.language);
  const records = found?.items.flatMap((item) => toKnown(item) ?? []) ?? [];
  const fitting = records.filter((one) => mayAnswer(one, words, asked));
  const best = bestOf(fitting, words);
  if (!found || !best || matchKnown(best, words) <= moreThan) return null;
  const call = { tool: searchContext.name, args: { query: topic } };
  return showKnown({ known: [best], note: found.note, call }, asked);
}

/** The part of an item that can be quoted. Names and roles of the person asking are answers only where they ask for them. */
function toKnown(item: z.output<typeof searchContext.output>["items"][number]): Known | null {
  if (item.source === "docs") return item.passage;
  if (item.source === "memory_fact") return item.fact;
  return item.source === "crm" && item.profile.origin === "service" ? item.profile : null;
}

/** "How do I get a berth?" is not answered by the berth of somebody whom the question does not name. */
function mayAnswer(known: Known, words: Topic, { slots: { wanted }, question, text, language }: Asked): boolean {
  const { user_id, name } = personOf(known);
  const isNamed = words.some((word) => isIn(word, stemsOf(name ?? "")));
  const isFor = user_id === null || user_id === question.actor.id || wanted === "who" || isNamed;
  return isFor && valuesIn(`${keyOf(known)}: ${known.text}`, { text, language, wanted })?.length !== 0;
}

type Known = FactOutput | ProfileOutput | PassageOutput;

function personOf(known: Known): Pick<FactOutput["about"], "user_id" | "name"> {
  if ("document" in known) return { user_id: null, name: null };
  return "fact_id" in known ? known.about : known;
}

/** What it is about; of a passage, its headings say that. */
function keyOf(known: Known): string {
  return "document" in known ? [known.document, ...known.headings].join(" ") : known.key;
}

function toPeople({ user_id: id, name }: ReturnType<typeof personOf>, typed: string): Turn["people"] {
  return id === null ? [] : [{ id, name: name ?? typed }];
}

function bestOf(all: readonly Known[], topic: Topic): Known | null {
  const best = Math.max(0, ...all.map((known) => matchKnown(known, topic)));
  return all.find((known) => best >= MIN_FACT_MATCH && matchKnown(known, topic) === best) ?? null;
}

interface ReadFacts {
  readonly known: readonly Known[];
  readonly note: string | null;
  readonly call: Call;
}

async function readKnown(user: string | undefined, { toolbox }: Asked): Promise<ReadFacts> {
  const args = user === undefined ? {} : { user };
  const { facts, profile, note } = await toolbox.call(getUserFacts, args);
  return { known: [...profile, ...facts], note, call: { tool: getUserFacts.name, args } };
}

function showKnown({ known, note, call }: ReadFacts, asked: Asked): AgentAnswer {
  const { says } = asked.language;
  const reach = { ...NO_REACH, isShared: note?.includes(ONLY_FOR_ALL_HERE) ?? false };
  const citations = new Citations();
  const shown = known.slice(0, MAX_FACTS);
  const lines = shown.map((one) => {
    if ("document" in one) {
      const items = one.text.replaceAll(/(?:^|\s*\n\s*)[-*•] /gu, " • ");
      return `${quote(items.replaceAll(/\s*\n\s*/gu, " ").trim(), MAX_PASSAGE_LENGTH)} [${citations.passage(one)}]`;
    }
    const { name } = personOf(one);
    const said = `- ${name === null ? "" : `${escapeName(name)}, `}${escapeName(one.key)}: ${quote(one.text)}`;
    if ("fact_id" in one) return `${said} [${citations.fact(one)}]`;
    const origin = one.origin === "discord" ? says.profileDiscord : says.profileService;
    return `${said} (${origin}${one.facts_differ ? `; ${says.profileOtherwise}` : ""}) [${citations.profile(one)}]`;
  });
  const isFacts = shown.every((one) => "fact_id" in one);
  const heading = shown.some((one) => "document" in one) ? null : isFacts ? says.remembered : says.profileKnown;
  return linesAnswer({ heading, lines, none: says.nothingRemembered, reach, citations, call }, asked);
}

/** How many of the words of a topic it has, or is about, 0 to 1. Whose fact it is, is known; the rest has to fit. */
function matchKnown(known: Known, words: Topic): number {
  const whose = stemsOf(personOf(known).name ?? "");
  const topic = words.filter((word) => !isIn(word, whose));
  const all = [
    [stemsOf(keyOf(known)), 1],
    [stemsOf(known.text), "document" in known ? 1 : 0.7],
  ] as const;
  const worth = (word: Topic[number]) => all.find(([stems]) => isIn(word, stems))?.[1] ?? 0;
  return topic.reduce((sum, word) => sum + worth(word), 0) / Math.max(1, topic.length);
}
