import { MessageFlags } from "discord-api-types/v10";
import type { ChannelRecord, MessageRecord } from "../world/records.ts";
import { compareIds } from "../world/snowflake.ts";
import type { World } from "../world/world.ts";
import { ControlError } from "./control-error.ts";

export interface WaitRequest {
  /** The user id of the bot. */
  readonly botId: string;
  /** Everywhere when absent. */
  readonly channel?: ChannelRecord;
  /** Only messages newer than this id. */
  readonly after: string;
  /** Text that the message contains, maybe only after an edit. */
  readonly contains?: string;
  readonly timeoutMs: number;
  /** Aborted when the sandbox is reset or closed. */
  readonly signal: AbortSignal;
}

/** The bot's first message that fits, when it is there. Throws `timeout` when none comes in time. */
export function waitForBot(world: World, request: WaitRequest): Promise<MessageRecord> {
  const found = findMessage(world, request);
  if (found) return Promise.resolve(found);
  const { promise, resolve, reject } = Promise.withResolvers<MessageRecord>();
  const stopListening = world.listen(({ type }) => {
    if (type !== "MESSAGE_CREATE" && type !== "MESSAGE_UPDATE") return;
    const message = findMessage(world, request);
    if (message) resolve(message);
  });
  const timer = setTimeout(() => {
    const what = request.contains === undefined ? "message" : `message with ${JSON.stringify(request.contains)}`;
    reject(new ControlError(504, "timeout", `No ${what} of the bot came within ${request.timeoutMs / 1000} s.`));
  }, request.timeoutMs);
  const onAbort = (): void => reject(new ControlError(409, "reset", "The sandbox was reset while this waited."));
  request.signal.addEventListener("abort", onAbort);
  return promise.finally(() => {
    stopListening();
    clearTimeout(timer);
    request.signal.removeEventListener("abort", onAbort);
  });
}

function findMessage(world: World, { channel, after, botId, contains }: WaitRequest): MessageRecord | undefined {
  const channels = channel ? [channel] : [...world.channels.values()];
  const fitting = channels
    .flatMap(({ messages }) => messages.page({ after, limit: messages.size }))
    .filter(({ authorId }) => authorId === botId)
    // "… is thinking": the text follows.
    .filter(({ flags }) => !(flags & MessageFlags.Loading))
    .filter(({ content }) => contains === undefined || content.includes(contains));
  return fitting.sort((a, b) => compareIds(a.id, b.id))[0];
}
