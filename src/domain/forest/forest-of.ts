import type { Message } from "../message.ts";
import { runAtOnce, UNPACED } from "../steps/pace.ts";
import { buildThreadForest, type ForestThread } from "./build-thread-forest.ts";

/**
 * Thread disentanglement: groups the messages of one channel into threads, the one with the newest message first. Blocks until it is done.
 *
 * @example
 * import { buildThreadForest, createEarshot, type Message } from "earshot";
 *
 * const earshot = await createEarshot();
 * const { value } = await earshot.as("sarah", "private").call("discord.channel.messages", { channel: "general", limit: 50 });
 * const threads = buildThreadForest((value as { messages: Message[] }).messages);
 * console.log(threads.flatMap(({ messages }) => messages).length); // 50
 * await earshot.close();
 */
export function forestOf(messages: readonly Message[]): ForestThread[] {
  return runAtOnce(buildThreadForest(messages, UNPACED));
}
