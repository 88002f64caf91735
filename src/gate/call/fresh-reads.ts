import { EarshotError } from "../../domain/errors.ts";
import { type AttachmentId, type ChannelId, compareIds, type MessageId, toId } from "../../domain/ids.ts";
import type { Attachment, Message } from "../../domain/message.ts";
import type { Kept } from "../../domain/source.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord, HistoryPage, HistoryRead } from "../../ports/discord.ts";
import type { Timelines } from "../../ports/timelines.ts";
import { kindOf } from "../../sources/kinds/index.ts";
import type { Label } from "../../sources/label.ts";
import type { SourceWatch } from "../../sources/source-watch.ts";
import type { AttachmentRequest, ChannelView } from "../../tools/view.ts";

export interface AttachmentDeps {
  /** Throws `not_found` for a channel this operation may not read. */
  open(id: ChannelId): Promise<ChannelView>;
  readonly discord: Discord;
  readonly signal?: AbortSignal;
}

const LIMITS = { mostBytes: 8 * 1024 * 1024, types: ["image/", "text/", "application/json", "application/pdf"] };
const ABSENT = "There is no such attachment, or it cannot be read here.";

/**
 * Downloads an attachment of a message that may be read here. The given link only identifies it: the download uses Discord's own link in
 * that message, renewed if it has expired.
 */
export async function fetchAttachment(
  request: AttachmentRequest,
  deps: AttachmentDeps,
): Promise<{ contentType: string; bytes: Uint8Array }> {
  const url = URL.parse(request.url);
  if (!url) throw new EarshotError("invalid", "`url` must be the address of a Discord attachment.");
  const address = toAddress(url);
  const channelId = request.channelId ?? address?.channelId;
  if (!channelId || !(request.messageId ?? address)) {
    const problem = "`url` does not say which message the file belongs to; give `message_id` too.";
    throw new EarshotError("invalid", problem);
  }
  const channel = await deps.open(channelId);
  const message = await findMessage(channel, request.messageId ?? null, url);
  const known = message && attachmentAt(message, url);
  if (!message || !known) throw new EarshotError("not_found", ABSENT);
  const file = await download(known, message, deps);
  // The download takes a while: the message may be deleted or unreadable by now.
  if (!(await channel.message(message.message_id))) throw new EarshotError("not_found", ABSENT);
  return file;
}

async function download(known: Attachment, { channel_id, message_id }: Message, { discord, signal }: AttachmentDeps) {
  try {
    return await discord.download(known.url, LIMITS, signal);
  } catch (error) {
    if (!(error instanceof EarshotError && error.code === "not_found")) throw error;
    const fresh = await discord.message(channel_id, message_id, signal);
    const renewed = fresh?.attachments.find(({ id }) => id === known.id);
    if (!renewed) throw new EarshotError("not_found", ABSENT);
    return discord.download(renewed.url, LIMITS, signal);
  }
}

/** …/attachments/{channel}/{attachment}/{file name} */
function toAddress({ pathname }: URL): { channelId: ChannelId; attachmentId: AttachmentId } | null {
  const [, kind, channel, attachment] = pathname.split("/");
  const channelId = toId<ChannelId>(channel);
  const attachmentId = toId<AttachmentId>(attachment);
  return kind === "attachments" && channelId && attachmentId ? { channelId, attachmentId } : null;
}

/** An attachment's id is created at about the time of its message. */
async function findMessage(channel: ChannelView, messageId: MessageId | null, url: URL): Promise<Message | undefined> {
  if (messageId) return channel.message(messageId);
  const attachmentId = toAddress(url)?.attachmentId;
  if (!attachmentId) return undefined;
  const { messages } = await channel.around(attachmentId as string as MessageId, { limit: 50 });
  return messages.find((message) => attachmentAt(message, url));
}

/** The query string only limits the link's validity, and Discord serves the same file on several hosts. */
function attachmentAt(message: Message, { pathname }: URL): Attachment | undefined {
  return message.attachments.find(({ url }) => URL.parse(url)?.pathname === pathname);
}

interface WantedDeps {
  /** As `Discord.history`. */
  fetch(page: HistoryPage): Promise<HistoryRead>;
  isWanted(message: Message): boolean;
}

const PAGE = 100;
/** If people who opted out fill this many pages, older messages are left for another call. */
const MAX_PAGES = 10;

/**
 * A page of history as if the unwanted messages did not exist: as many messages as requested, newest first. `isFull`: there may be more.
 */
export async function readWanted(page: HistoryPage, deps: WantedDeps): Promise<HistoryRead> {
  if (page.around !== undefined) return readAround(page.around, page.limit, deps);
  const isForward = page.after !== undefined;
  const messages: Message[] = [];
  let next = page;
  for (let pages = 1; ; pages += 1) {
    const read = await deps.fetch(next);
    messages.push(...read.messages.filter(deps.isWanted));
    const last = isForward ? read.messages[0] : read.messages.at(-1);
    const isEnough = messages.length >= page.limit || !read.isFull || !last || pages === MAX_PAGES;
    if (isEnough) {
      messages.sort((a, b) => compareIds(b.message_id, a.message_id));
      const kept = isForward ? messages.slice(-page.limit) : messages.slice(0, page.limit);
      return { messages: kept, isFull: messages.length >= page.limit || read.isFull };
    }
    next = { limit: PAGE, [isForward ? "after" : "before"]: last.message_id };
  }
}

/** Half on each side, as in Discord. */
async function readAround(id: MessageId, limit: number, deps: WantedDeps): Promise<HistoryRead> {
  const half = Math.floor(limit / 2);
  const above = String(BigInt(id) + 1n) as MessageId;
  const none: HistoryRead = { messages: [], isFull: false };
  // The message itself is the newest one before the next id.
  const older = await readWanted({ limit: half + 1, before: above }, deps);
  const newer = half === 0 ? none : await readWanted({ limit: half, after: id }, deps);
  const [first] = older.messages;
  const before = first?.message_id === id ? older.messages : older.messages.slice(0, half);
  const messages = [...newer.messages, ...before].slice(0, limit);
  return { messages, isFull: older.isFull || newer.isFull };
}

export interface RefreshDeps {
  readonly discord: Discord;
  readonly sources: SourceWatch;
  readonly timelines: Pick<Timelines, "message">;
  readonly clock: Clock;
}

/** If one send would have to re-read more than this, nothing is re-read. */
const MAX_REFRESHED = 50;

/**
 * Re-reads messages that may have been deleted or edited while events were missed, so that a gap does not block an operation permanently.
 * If there are too many, or Discord does not answer, the sources stay uncertain.
 */
export async function refreshSources(label: Label, deps: RefreshDeps, signal?: AbortSignal): Promise<void> {
  const { discord, sources, timelines, clock } = deps;
  const { directory } = discord;
  // The subject of a shared fact or record may have left the server, and is looked up again. If that fails, they count as gone.
  for (const source of label)
    for (const { subjectId, guildId } of kindOf(source).subjects?.(source, directory) ?? [])
      if (subjectId !== null && guildId !== null) await directory.learnMember(subjectId, guildId).catch(() => {});
  const doubtful = sources.doubtful(label, directory).filter(({ channelId }) => !directory.isDeleted(channelId));
  if (doubtful.length > MAX_REFRESHED) return;
  // Sequential per channel: a page fetched for one message often contains the next.
  const refresh = async (inChannel: readonly Kept<"message">[]) => {
    for (const source of inChannel) {
      const at = clock.now();
      const message = await timelines.message(source.channelId, source.messageId, signal);
      if (!message) sources.noteDeleted(source.channelId, source.messageId);
      else if (sources.isUnchanged(source, message)) label.confirm(source.messageId, at);
    }
  };
  const byChannel = Map.groupBy(doubtful, ({ channelId }) => channelId);
  for (const outcome of await Promise.allSettled([...byChannel.values()].map(refresh)))
    if (outcome.status === "rejected" && !(outcome.reason instanceof EarshotError)) throw outcome.reason;
}
