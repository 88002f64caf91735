import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import { messagePieces } from "../domain/text/message-pieces.ts";
import type { MentionNames } from "../domain/text/replace-mentions.ts";
import { estimateTokens } from "../domain/text/tokens.ts";
import { type BlockLine, renderBlock } from "../domain/text/untrusted-block.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { BlockItem, Tool } from "../tools/define-tool.ts";
import type { Access } from "./call/access.ts";
import type { OperationIds } from "./call/audit-rows.ts";
import type { ToolCall } from "./call/tool-call.ts";
import type { People } from "./find/name-finder.ts";
import type { ToolArguments } from "./read-arguments.ts";

export interface PresentDeps {
  readonly directory: Directory;
  readonly people: People;
  readonly clock: Clock;
  readonly timeZone: string;
  readonly ids: OperationIds;
  readonly access: Access;
}

const DEFAULT_TOKENS = 2_000;

interface Answered {
  readonly tool: Tool;
  readonly output: unknown;
  readonly input: ToolArguments;
  readonly call: ToolCall;
}

/** The answer as text for a model. If not all of it fits, also the arguments for fewer results; null if the tool has no such argument. */
export function present(answered: Answered, deps: PresentDeps): { text: string; fewer: ToolArguments | null } {
  const { tool, output, input } = answered;
  const shown = toText(answered, deps);
  if (!shown) return { text: JSON.stringify(output), fewer: null };
  const fewer = shown.kept < shown.of ? forFewer(tool, input, Math.max(1, shown.kept)) : null;
  return { text: shown.text, fewer };
}

/** The text, and how much of the output it contains. Null if the output has no text by others. */
function toText(
  { tool, output, input, call }: Answered,
  deps: PresentDeps,
): { text: string; kept: number; of: number } | null {
  const block = tool.toBlock?.(output);
  if (!block) return null;
  const { items, intro, cursor = null } = block;
  const more = cursor === null ? [] : [`More with cursor ${deps.ids.cursorHandle(cursor)}.`];
  const notes = [...more, ...block.notes];
  const empty = (deps.access.hasHere ? undefined : block.emptyElsewhere) ?? block.empty;
  if (items.length === 0 && empty !== undefined) {
    const lines = block.hasOutage ? [...notes, empty] : [empty, ...notes];
    return { text: lines.join("\n"), kept: 0, of: 0 };
  }
  const maxTokens = numberIn(input, tool.maxTokensField) ?? DEFAULT_TOKENS;
  const { links, ...label } = block.label;
  const hasLinks = tool.linksField !== undefined && input[tool.linksField] === true;
  const { text, kept } = renderBlock({
    nonce: call.operation.nonce,
    label: { ...label, ...(hasLinks && links !== undefined && { links }), integrity: "untrusted" },
    lines: items.map((item) => toLine(item, hasLinks, deps)),
    now: deps.clock.now(),
    zone: deps.timeZone,
    maxTokens: maxTokens - (intro ? estimateTokens(intro) : 0),
    dropFrom: block.dropFrom,
    notes,
  });
  return { text: intro ? `${intro}\n\n${text}` : text, ...countGroups(items, new Set(kept)) };
}

/** An item without a group is a group of its own. A group counts as kept if all of it is. */
function countGroups(items: readonly BlockItem[], kept: ReadonlySet<number>): { kept: number; of: number } {
  const groups = Map.groupBy(items.keys(), (index) => items[index]?.group ?? `alone ${index}`);
  const whole = [...groups.values()].filter((indices) => indices.every((index) => kept.has(index)));
  return { kept: whole.length, of: groups.size };
}

function toLine(item: BlockItem, hasLinks: boolean, deps: PresentDeps): BlockLine {
  const mark = { ...(item.mark && { mark: item.mark }), ...(item.isApart && { isApart: true }) };
  if (item.kind === "heading") {
    const content = hasLinks ? [...item.pieces, `, links ${item.links}`] : item.pieces;
    return { ...mark, isHeading: true, handle: null, ts: null, author: null, content };
  }
  if (item.kind === "line") {
    const cites = (item.cites ?? []).map((cited) => deps.ids.handle(cited));
    const content = cites.length > 0 ? [...item.pieces, " ", { bracketed: cites.join(", ") }] : item.pieces;
    const { factId, passageRef } = item;
    const fact = factId === undefined ? null : deps.ids.factHandle(factId);
    const handle = passageRef === undefined ? fact : deps.ids.passageHandle(passageRef);
    return { ...mark, handle, ts: null, author: null, content };
  }
  const { message } = item;
  const names = namesFor(message.guild_id, deps);
  const { author } = message;
  return {
    ...mark,
    handle: deps.ids.handle(message),
    ...(hasLinks && { id: message.message_id }),
    ts: message.ts,
    author: { name: deps.ids.displayNames.of(author), bot: author.bot },
    content: messagePieces(message, names),
  };
}

/**
 * Names that the readers of the answer may know: of people and roles in the same server, of channels that they can read. The members of
 * private threads, and archived threads, are known only after earlier requests, which must make no difference: those are named by their
 * ids, except for the place of the request.
 */
export function namesFor(
  guildId: GuildId | null,
  { directory, access, people }: Pick<PresentDeps, "directory" | "access" | "people">,
): MentionNames {
  const nameOf = (id: UserId) => {
    if (guildId === null) return undefined;
    if (directory.guild(guildId)?.membersComplete) return directory.member(guildId, id)?.name;
    return people.nameOf(id, guildId, { guildIds: [guildId], channelIds: (guild) => access.readable(guild) });
  };
  const isKnownToAll = (id: ChannelId) => {
    const { kind, thread } = directory.channel(id) ?? {};
    return id === access.here.channelId || (kind !== "private_thread" && thread?.archived !== true);
  };
  return {
    user: (id) => nameOf(id as UserId),
    channel: (id) => (isKnownToAll(id as ChannelId) ? access.nameOf(id as ChannelId) : undefined),
    role: (id) =>
      guildId === null ? undefined : directory.roles(guildId).find((role) => (role.id as string) === id)?.name,
  };
}

/** The arguments for fewer results; null if the tool has no limit. */
function forFewer({ limitField }: Tool, input: ToolArguments, limit: number): ToolArguments | null {
  const asked = numberIn(input, limitField);
  return limitField && asked !== null && limit < asked ? { ...input, [limitField]: limit } : null;
}

function numberIn(input: ToolArguments, field: string | undefined): number | null {
  const value = field === undefined ? undefined : input[field];
  return typeof value === "number" ? value : null;
}
