import type { AgentAnswer, AnswerDraft, Answerer, Citable, Question, Toolbox } from "../../src/agent/answerer.ts";
import { searchMessages } from "../../src/tools/search-messages.ts";
import { say } from "./agent.ts";

/** One answer that a test writes step by step. It has read what a search for the question finds. */
export interface ScriptedAnswer {
  readonly question: Question;
  readonly sources: ReadonlyMap<string, Citable>;
  /** What was found; empty when nothing was. */
  readonly found: string;
  /** All of the text so far. */
  grow(text: string): void;
  finish(text: string, more?: Parameters<typeof say>[1]): void;
  fail(error: Error): void;
}

export interface ScriptedAnswerer extends Answerer {
  /** The next answer that was begun, in order. */
  next(): Promise<ScriptedAnswer>;
  /** Each answer from now on is written at once by this. */
  finishBy(write: (answer: ScriptedAnswer) => void): void;
}

export function createScriptedAnswerer(): ScriptedAnswerer {
  const begun: ScriptedAnswer[] = [];
  const waiting: ((answer: ScriptedAnswer) => void)[] = [];
  let write: ((answer: ScriptedAnswer) => void) | null = null;

  async function read(question: Question, toolbox: Toolbox): Promise<ReadonlyMap<string, Citable>> {
    const { hits } = await toolbox.call(searchMessages, { query: question.text });
    const hit = hits.find(({ message }) => !message.author.bot && message.message_id !== question.messageId);
    return new Map(hit ? [["m1", { kind: "message", message: hit.message }]] : []);
  }

  return {
    async answer(question, toolbox, draft?: AnswerDraft): Promise<AgentAnswer> {
      const sources = await read(question, toolbox);
      const done = Promise.withResolvers<AgentAnswer>();
      const source = sources.get("m1");
      const answer: ScriptedAnswer = {
        question,
        sources,
        found: source?.kind === "message" ? source.message.content : "",
        grow: (text) => draft?.grow(text, sources),
        finish: (text, more = {}) => done.resolve(say(text, { sources, ...more })),
        fail: done.reject,
      };
      if (write) write(answer);
      else if (waiting.length > 0) waiting.shift()?.(answer);
      else begun.push(answer);
      return done.promise;
    },
    async next() {
      const first = begun.shift();
      return first ?? new Promise((resolve) => waiting.push(resolve));
    },
    finishBy(given) {
      write = given;
      for (const answer of begun.splice(0)) given(answer);
    },
  };
}
