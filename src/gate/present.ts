import { EarshotError } from "../domain/errors.ts";
import { type Names, withNames } from "../domain/render.ts";
import { type BlockLine, renderBlock } from "../domain/untrusted-block.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { BlockItem, Tool } from "../tools/define-tool.ts";
import type { Access } from "./access.ts";
import type { Journal } from "./journal.ts";
import type { ToolCall } from "./tool-call.ts";

export interface PresentDeps {
  readonly directory: Directory;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly access: Access;
}

const USUAL_TOKENS = 2_000;
const HANDLES = ["message_id", "before", "after", "around", "reply_to"];

/** A short name that an earlier answer gave stands for its message. Throws `not_found` for one that none did. */
export function resolveHandles(args: unknown, journal: Journal): unknown {
  if (typeof args !== "object" || args === null) return args;
  const resolved: Record<string, unknown> = { ...args };
  for (const field of HANDLES) {
    const value = resolved[field];
    if (typeof value !== "string" || !/^m\d+$/.test(value)) continue;
    resolved[field] = journal.messageOf(value) ?? notFound();
  }
  return resolved;
}

function notFound(): never {
  throw new EarshotError("not_found", "Message not found");
}

/** The answer as text for a model, and how much of it had room. Null where there is nothing that others wrote. */
export function toText(
  { tool, output, input, call }: { tool: Tool; output: unknown; input: unknown; call: ToolCall },
  deps: PresentDeps,
): { text: string; kept: number; of: number } | null {
  const block = tool.toBlock?.(output);
  if (!block) return null;
  const { text, kept } = renderBlock({
    nonce: call.operation.nonce,
    label: { ...block.label, integrity: "untrusted" },
    lines: block.items.map((item) => toLine(item, deps)),
    now: deps.clock.now(),
    maxTokens: tokensOf(input),
    dropFrom: block.dropFrom,
    notes: [...notesOn(block.items, deps), ...block.notes],
  });
  return { text, kept: kept.length, of: block.items.length };
}

function notesOn(items: readonly BlockItem[], { journal }: PresentDeps): string[] {
  return items.flatMap((item) =>
    item.kind === "message" && item.isAskedAbout ? [`The message asked about is ${journal.handle(item.message)}.`] : [],
  );
}

function toLine(item: BlockItem, deps: PresentDeps): BlockLine {
  if (item.kind === "line") return { handle: null, ts: null, author: null, content: item.text };
  const { message } = item;
  const names = namesFor(message.guild_id, deps);
  const files = message.attachments.map(({ filename }) => `[file ${filename}]`);
  return {
    handle: deps.journal.handle(message),
    ts: message.ts,
    author: message.author,
    content: [withNames(message.content, names), ...files].filter((part) => part !== "").join(" "),
  };
}

/** Names that those who read the answer may know: of people and roles in the same server, of channels that they can read. */
function namesFor(guildId: Extract<BlockItem, { kind: "message" }>["message"]["guild_id"], deps: PresentDeps): Names {
  const { directory, access } = deps;
  return {
    user: (id) => (guildId === null ? undefined : directory.member(guildId, id as never)?.name),
    channel: (id) => (access.mayRead(id as never) ? directory.channel(id as never)?.name : undefined),
    role: (id) =>
      guildId === null ? undefined : directory.roles(guildId).find((role) => (role.id as string) === id)?.name,
  };
}

function tokensOf(input: unknown): number {
  const asked = (input as { max_tokens?: unknown } | null)?.max_tokens;
  return typeof asked === "number" ? asked : USUAL_TOKENS;
}

/** The same request for fewer results; null where that cannot be asked for. */
export function forFewer(input: unknown, limit: number): unknown | null {
  const has = typeof input === "object" && input !== null && "limit" in input && typeof input.limit === "number";
  return has && limit >= 1 && limit < (input.limit as number) ? { ...input, limit } : null;
}
