import { EarshotError } from "../../domain/errors.ts";
import { escapeLines, escapeName } from "../../domain/text/escape.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import { wrapInBlock } from "../../domain/text/untrusted-block.ts";
import type { ChatPicture } from "../../ports/chat-model.ts";
import { contextWindow } from "../../tools/context-window.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import type { Question, Toolbox } from "../answerer.ts";
import { nothingIfRefused } from "../toolbox.ts";
import type { ContextBudget } from "./context-budget.ts";
import { cutResult, cutWords, type FirstTurn } from "./conversation.ts";
import type { ReadSources } from "./read-sources.ts";

const MIN_WINDOW_TOKENS = 200;
const MAX_HINT_TOKENS = 80;

export interface FirstTurnRequest {
  readonly question: Question;
  readonly toolbox: Toolbox;
  readonly budget: ContextBudget;
  readonly sources: ReadSources;
  /** If false, pictures are not fetched. */
  readonly takesPictures: boolean;
  /** The words that a question about messages in the community looks for; empty for all others. */
  readonly topic: string;
}

/** The first turn for a model: facts and messages of the channel, then the question. */
export async function readFirstTurn(request: FirstTurnRequest): Promise<FirstTurn & { readonly hadPictures: boolean }> {
  const { question, toolbox, budget } = request;
  const names = toNames(question, toolbox.nonce);
  const askedInWords = async () => [names, await toWords(question, toolbox.nonce, budget.questionTokens)].join("\n");
  if (question.isIsolated) return { context: [], question: await askedInWords(), pictures: [], hadPictures: false };
  const { turns, pictures } = await readWindow(request);
  const typed = turns.find(({ kind }) => kind === "request");
  const context = turns.filter(({ kind }) => kind !== "request").map(({ text }) => text);
  if (!typed) context.push(...(await readAbout(request)));
  context.push(...(await readHits(request)));
  const shown = pictures.flatMap(({ base64, content_type }): ChatPicture[] =>
    base64 === null ? [] : [{ mediaType: content_type, base64 }],
  );
  return {
    context,
    question: typed ? [names, cutResult(typed.text, budget.questionTokens)].join("\n") : await askedInWords(),
    pictures: shown.slice(0, budget.maxPictures),
    hadPictures: pictures.length > 0,
  };
}

/** A forum has no messages of its own. */
async function readWindow({ toolbox, budget, sources, takesPictures }: FirstTurnRequest) {
  try {
    const value = await toolbox.call(contextWindow, {
      handles: true,
      pictures: takesPictures ? "base64" : "url",
      pictures_of: "request",
      max_tokens: Math.max(budget.windowTokens, MIN_WINDOW_TOKENS),
    });
    sources.add(value, { isLookedUp: false });
    return value;
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "unsupported") throw error;
    return { turns: [], pictures: [] };
  }
}

/** The subject of the question, unless the window shows it as the replied-to message. */
async function readAbout({ question: { about }, toolbox, budget, sources }: FirstTurnRequest): Promise<string[]> {
  if (!about) return [];
  const args = { message_id: about.message_id, before: 0, after: 0, links: false, max_tokens: budget.resultTokens };
  const { value, text } = await toolbox.run(getMessageContext.name, args);
  sources.add(value, { isLookedUp: false });
  return [`The question is about this message:\n${text}`];
}

const MAX_HITS = 5;
const MAX_HITS_TOKENS = 600;

/** The first hits of a search in the cache, so that a small model need not phrase a call. */
async function readHits({ topic, toolbox, budget, sources }: FirstTurnRequest): Promise<string[]> {
  // Some characters are operators of the search language.
  const query = topic.replaceAll(/[":-]/gu, " ").slice(0, 500).trim();
  if (query === "" || !toolbox.tools.some(({ name }) => name === searchMessages.name)) return [];
  const maxTokens = Math.min(MAX_HITS_TOKENS, budget.resultTokens);
  const args = { query, limit: MAX_HITS, held_only: true, max_tokens: maxTokens };
  // The model can still search itself.
  const found = await toolbox.run(searchMessages.name, args).catch(nothingIfRefused);
  if (!found) return [];
  const { value, text } = found;
  const { hits = [] }: { hits?: unknown[] } = Object(value);
  if (!hits.length) return [];
  sources.add(value, { isLookedUp: false });
  return [`A search for the question found first:\n${cutResult(text, maxTokens)}`];
}

/** In the context, the actor is called "you", and the agent has its displayed name. */
function toNames({ agent, actor }: Question, nonce: string): string {
  const name = escapeName(actor.name, nonce);
  return `(You are ${escapeName(agent.name, nonce)}; what "you" said, ${name} said, who is asking now.)`;
}

/** For a question that is not a message in the channel. */
async function toWords(question: Question, nonce: string, maxTokens: number): Promise<string> {
  const { text, actor, quotedFrom, isPrivate } = question;
  const words = escapeLines(cutWords(text, maxTokens), nonce);
  const name = escapeName(quotedFrom ?? actor.name, nonce);
  if (!quotedFrom) {
    const before = isPrivate ? await question.before() : null;
    return [...toHint(before?.question, nonce), `${name}: ${words}`].join("\n");
  }
  const label = {
    kind: "question of somebody else",
    name: quotedFrom,
    from: null,
    to: null,
    integrity: "untrusted",
  } as const;
  const block = wrapInBlock([`-: ${words.replaceAll("\n", " ⏎ ")}`], { nonce, label });
  return [...block, `Answer that question for the person asking, who did not write it. In it, "I" is ${name}.`].join(
    "\n",
  );
}

/** Their previous question, if the window cannot show it: private questions are in no channel. */
function toHint(before: string | undefined, nonce: string): string[] {
  if (before === undefined) return [];
  const line = `(Before, they asked: ${escapeLines(before, nonce)})`;
  return estimateTokens(line) > MAX_HINT_TOKENS ? [] : [line];
}
