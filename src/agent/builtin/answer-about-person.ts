import { escapeTopic } from "../../domain/answer/compose.ts";
import { toTopic } from "../../domain/answer/slots.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { foldBare } from "../../domain/search/keywords.ts";
import type { AgentAnswer } from "../answerer.ts";
import { answerBySearch, askWhich, toAnswer } from "./answer-by-search.ts";
import { type Asked, plainAnswer } from "./asked.ts";
import { runSearch, type SearchPlan } from "./search-plan.ts";

export interface PersonQuestion {
  /** "me", a name, a mention, or a pronoun. */
  readonly name: string;
  readonly topic: string;
  /** What they did, which others may tell. */
  readonly isDeed: boolean;
  /** Something of their own is asked for: "Mark's dog". */
  readonly isOwn?: boolean;
}

/** What somebody said. Throws as the tools do. */
export async function answerAboutPerson(
  { name, topic, isDeed, isOwn = false }: PersonQuestion,
  asked: Asked,
): Promise<AgentAnswer> {
  const { language, slots } = asked;
  const who = await whoIs(name, asked);
  if (typeof who !== "string") return who;
  const rest = toTopic(withoutSlots(topic, asked), language);
  const plan: SearchPlan = {
    tool: "search_user_messages",
    topic: rest,
    person: who,
    channel: slots.place,
    time: slots.time,
    isOwn,
    wanted: slots.wanted === "who" || slots.wanted === "yes_no" ? "said" : slots.wanted,
  };
  const elsewhere: SearchPlan = {
    ...plan,
    tool: "search_messages",
    person: null,
    isOwn: false,
    topic: `${name} ${rest}`.trim(),
  };
  try {
    const said = await runSearch(plan, asked);
    if (said.extracts.length > 0) return toAnswer(said, asked);
    if (rest === "") return await answerBySearch(plan, asked);
    // Who answers a question seldom repeats its words.
    const answers = await runSearch({ ...plan, tool: "search_messages", person: null }, asked, {
      by: toChoice(who, asked),
    });
    if (answers.extracts.length > 0) return toAnswer(answers, asked);
    return await answerBySearch(isDeed ? elsewhere : plan, asked);
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "not_found") return askWhich(error, name, asked);
    // It may be the name of something else.
    const { extracts } = await runSearch(elsewhere, asked);
    if (extracts.length > 0) return answerBySearch(elsewhere, asked);
    return plainAnswer(language.says.unknownPerson(escapeTopic(name)));
  }
}

const NOBODY = "" as UserId;

/** Finds a person among those who spoke, by id or by a name that only one of them has. */
export function toChoice(who: string, { question }: Asked) {
  return (authors: readonly Message["author"][]): UserId => {
    const id = who === "me" ? question.actor.id : (/^<?@?!?(\d+)>?$/u.exec(who)?.[1] ?? null);
    const isMeant = ({ id: other, name }: Message["author"]) => (id === null ? isCalled(name, who) : other === id);
    const ids = new Set(authors.filter(isMeant).map((author) => author.id));
    const [only = NOBODY] = ids;
    return ids.size === 1 ? only : NOBODY;
  };
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
  const about = question.about && question.about.author.id !== question.agent.id ? question.about.author : null;
  if (about) return about.id;
  const people = (await question.before())?.people ?? [];
  const [only, ...others] = people;
  if (only && others.length === 0) return only.id ?? only.name;
  const pronoun = new RegExp(`(?<![\\p{L}])${name}(?![\\p{L}])`, "iu");
  const choices = people
    .slice(0, 5)
    .map(({ id, name: label }) => ({ label, question: asked.text.replace(pronoun, id === null ? label : `<@${id}>`) }));
  return plainAnswer(language.says.whoIsMeant, choices.length > 0 ? { choices } : {});
}

/** Times and places are slots of their own. */
function withoutSlots(topic: string, { language }: Asked): string {
  const times = language.asks.times.map(([pattern]) => pattern);
  return times
    .reduce((text, pattern) => text.replace(pattern, " "), topic)
    .replace(/<#\d+>|(?:\bin )?#[\p{L}\p{N}_-]+/u, " ");
}
