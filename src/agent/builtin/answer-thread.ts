import { EarshotError } from "../../domain/errors.ts";
import type { AgentAnswer } from "../answerer.ts";
import { answerBySearch } from "./answer-by-search.ts";
import { answerCatchUp } from "./answer-catch-up.ts";
import { type Asked, plainAnswer } from "./asked.ts";

/** What was said in this thread; outside of one, in this channel. */
export async function answerThread(asked: Asked): Promise<AgentAnswer> {
  const { slots, language } = asked;
  const topic = slots.topic
    .split(" ")
    .filter((word) => !language.asks.thread.test(`the ${word}`) && !language.asks.catchUp.test(word))
    .join(" ");
  const plan = { topic, person: null, channel: null, time: slots.time, wanted: slots.wanted } as const;
  try {
    return await answerBySearch({ ...plan, tool: "search_thread_messages" }, asked);
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "unsupported") throw error;
    if (topic !== "") {
      const tool = asked.question.guildId === null ? "search_messages" : "search_channel_messages";
      return answerBySearch({ ...plan, tool }, asked);
    }
    return (await answerCatchUp(asked)) ?? plainAnswer(language.says.noActivity);
  }
}
