import type { Channel } from "../domain/guild.ts";
import type { Message } from "../domain/message.ts";
import type { MentionNames } from "../domain/text/replace-mentions.ts";
import type { Limits } from "../policy/limits.ts";
import type { Spending } from "../policy/spending.ts";
import type { Summariser } from "../summary/summariser.ts";
import type { ViewSummary } from "../tools/view.ts";
import type { Access } from "./call/access.ts";
import type { OperationIds } from "./call/audit-rows.ts";
import type { ToolCall } from "./call/tool-call.ts";

export interface SummaryDeps {
  readonly summariser: Summariser;
  readonly limits: Limits;
  /** Absent if model calls are not counted. */
  readonly spending?: Pick<Spending, "of">;
}

interface SummaryParts {
  readonly call: Pick<ToolCall, "operation" | "signal">;
  readonly access: Access;
  ids(): OperationIds;
}

interface MessagesToSummarise {
  readonly channel: Channel;
  /** Read within this call. */
  readonly messages: readonly Message[];
  readonly names: MentionNames;
  readonly focus: string | undefined;
}

const SUMMARY_TOKENS = 1_500;

/** Counts against the actor's limit of summaries. Throws as a read of the channel does if it may no longer be read. */
export async function summariseMessages(
  { channel, messages, names, focus }: MessagesToSummarise,
  { call, access, ids }: SummaryParts,
  { limits, spending, summariser }: SummaryDeps,
): Promise<ViewSummary> {
  if (messages.length === 0) return { by: "extract", points: [] };
  const { operation, signal } = call;
  limits.take("summaries", operation.actor, 1);
  const { bullets, by } = await summariser.summarise({
    channelId: channel.id,
    messages,
    names,
    displayNames: ids().displayNames,
    maxTokens: SUMMARY_TOKENS,
    ...(focus && { focus }),
    ...(spending && { spending: spending.of(operation) }),
    ...(signal && { signal }),
  });
  // Creating it may take a while.
  access.mustRead(channel.id);
  const known = new Map(messages.map((message) => [message.message_id, message]));
  const toPoint = ({ text, cites }: (typeof bullets)[number]) => {
    return { text, cites: cites.flatMap((id) => known.get(id) ?? []) };
  };
  return { by, points: bullets.map(toPoint) };
}
