import { composeQuote, composeReach, escapeTopic } from "../../domain/answer/compose.ts";
import { Echoes } from "../../domain/answer/echoes.ts";
import { toMessageForm } from "../../domain/answer/message-form.ts";
import { toTopic } from "../../domain/answer/slots.ts";
import { type Message, typedText } from "../../domain/message.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { searchUserMessages } from "../../tools/search-user-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { type Asked, Citations, linesAnswer, plainAnswer, turnOf } from "./asked.ts";

const LIMIT = 40;
const MAX_SHOWN = 5;

/** What the person asking asked the bot before, the newest first. Throws as the tools do. */
export async function answerOwnQuestions(topic: string, asked: Asked): Promise<AgentAnswer> {
  const { toolbox, language, slots, question } = asked;
  const query = toTopic(topic, language);
  const args = {
    user_name: "me",
    include_own: true,
    limit: LIMIT,
    ...(query !== "" && { query }),
    ...(slots.time !== null && { since: slots.time }),
  };
  const output = await toolbox.call(searchUserMessages, args);
  const isPutToBot = questionFilter(output.hits, question.agent.id);
  const shown = output.hits
    .filter(({ message }) => isPutToBot(message))
    .sort((a, b) => Date.parse(b.message.ts) - Date.parse(a.message.ts))
    .slice(0, MAX_SHOWN);
  const reach = {
    scanned: output.coverage.scanned,
    from: output.coverage.complete ? output.coverage.from : output.everything_since,
    isPartial: output.unreachable || output.still_reading,
    isShared: output.note?.endsWith(ONLY_HERE) ?? false,
  };
  const turn = turnOf(asked, { tool: searchUserMessages.name, args, shown: shown.map(({ message }) => message) });
  if (shown.length === 0) {
    const none = language.says.noneFrom(escapeTopic(question.actor.name), query === "" ? null : escapeTopic(query));
    return plainAnswer(`${none}\n${composeReach(reach, asked)}`, { turn });
  }
  const citations = new Citations();
  const lines = shown.map(({ message, channel }) => {
    const words = typedText(message)
      .replaceAll(new RegExp(`<@!?${question.agent.id}>`, "gu"), "")
      .trim();
    return composeQuote({ message, place: channel.name, words }, citations.message(message), asked);
  });
  return linesAnswer({ lines, reach, citations, turn }, asked);
}

/** Whether a message was put to the bot as a question; in direct messages, all that ask were. */
function questionFilter(
  hits: readonly { readonly message: Message; readonly around: readonly Message[] }[],
  botId: Asked["question"]["agent"]["id"],
): (message: Message) => boolean {
  const read = Map.groupBy(
    hits.flatMap(({ message, around }) => [message, ...around]),
    ({ channel_id }) => channel_id,
  );
  const echoes = new Map([...read].map(([id, messages]) => [id, Echoes.among(messages, botId)]));
  return (message) =>
    message.guild_id === null
      ? toMessageForm(typedText(message)) === "asks"
      : (echoes.get(message.channel_id)?.has(BigInt(message.message_id)) ?? false);
}
