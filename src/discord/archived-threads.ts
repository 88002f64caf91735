import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, UserId } from "../domain/ids.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import type { ArchivePage } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import type { GuildDirectory } from "./directory.ts";
import { list, type Raw, record, textOrNull } from "./read.ts";
import type { ArchiveKind, DiscordRest } from "./rest.ts";
import { isMissingRoute } from "./rest-errors.ts";

interface ArchivedThreadsDeps {
  readonly rest: Pick<DiscordRest, "archivedThreads">;
  readonly directory: GuildDirectory;
  readonly botId: UserId;
  readonly log: Log;
}

/** The cursors of the two lists of a channel's archive; null for a list that has ended. */
interface Position {
  readonly open: string | null;
  readonly closed: string | null;
  /** The list of private threads that `closed` belongs to, because each has its own cursors. Null before the first page. */
  readonly kind: string | null;
}

const BEGINNING = "";

/** Lists archived threads. A server without such a list is not asked again in the same session. */
export class ArchivedThreads {
  readonly #deps: ArchivedThreadsDeps;
  #isMissing = false;

  constructor(deps: ArchivedThreadsDeps) {
    this.#deps = deps;
  }

  /** The server has no list of archived threads. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  /** Call for a new session, because the server may have been upgraded. */
  recheck(): void {
    this.#isMissing = false;
  }

  /**
   * A page of the public threads in a channel's archive, together with one of the private threads that the bot can see. Read concurrently,
   * so that up to a page of private threads makes no difference to when the archive counts as listed.
   */
  async list(channelId: ChannelId, before: string | null, signal?: AbortSignal): Promise<ArchivePage> {
    if (this.#isMissing) return NO_LIST;
    const { rest, directory, botId } = this.#deps;
    const hasPrivate = directory.channel(channelId)?.kind === "text";
    const managesThreads = Boolean(directory.permissions(botId, channelId) & PERMISSION.manageThreads);
    const kind = managesThreads ? "private" : "joined";
    const position = toPosition(before);
    // The bot's permission to list can change between two pages.
    const closedAt = !hasPrivate ? null : position.kind === kind ? position.closed : BEGINNING;
    const read = async (of: ArchiveKind, at: string | null): Promise<Page> =>
      at === null ? ENDED : toPage(await rest.archivedThreads(channelId, of, at || null, signal), of);
    const reading = [read("public", position.open), read(kind, closedAt).catch(endIfRefused)] as const;
    const pages = await Promise.all(reading).catch((error: unknown) => this.#noteIfMissing(error));
    if (!pages) return NO_LIST;
    const [open, closed] = pages;
    directory.noteArchive(channelId, open.threads, "public");
    directory.noteArchive(channelId, closed.threads, "private");
    const isStuck = [open, closed].some(({ isLast, next }) => !isLast && next === null);
    const next = isStuck ? null : JSON.stringify({ open: open.next, closed: closed.next, kind } satisfies Position);
    return { next: next === before ? null : next, isLast: open.isLast && closed.isLast };
  }

  #noteIfMissing(error: unknown): null {
    if (!isMissingRoute(error)) throw error;
    if (!this.#isMissing) this.#deps.log.warn({}, "this server has no list of archived threads: they are not found");
    this.#isMissing = true;
    return null;
  }
}

/** There may be archived threads that cannot be listed. */
const NO_LIST: ArchivePage = { next: null, isLast: false };

interface Page {
  readonly threads: readonly Raw[];
  readonly next: string | null;
  readonly isLast: boolean;
}

const ENDED: Page = { threads: [], next: null, isLast: true };

function toPosition(before: string | null): Position {
  if (before === null) return { open: BEGINNING, closed: null, kind: null };
  const { open, closed, kind } = record(JSON.parse(before));
  return { open: textOrNull(open), closed: textOrNull(closed), kind: textOrNull(kind) };
}

function toPage({ threads, has_more: hasMore }: Raw, kind: ArchiveKind): Page {
  const listed = list(threads).map(record);
  const isLast = hasMore !== true;
  const last = listed.at(-1);
  const next = kind === "joined" ? textOrNull(last?.["id"]) : afterAll(record(last?.["thread_metadata"]));
  return { threads: listed, next: isLast ? null : next, isLast };
}

/** A server may refuse to list private threads, or have no such list: the bot finds none then. */
function endIfRefused(error: unknown): Page {
  if (error instanceof EarshotError && (error.code === "forbidden" || error.code === "not_found")) return ENDED;
  throw error;
}

/** Several threads may have been archived in the same moment: the next page repeats that moment, so that none is missed between two
 * pages. */
function afterAll({ archive_timestamp: timestamp }: Raw): string | null {
  const time = Date.parse(textOrNull(timestamp) ?? "");
  return Number.isNaN(time) ? null : new Date(time + 1).toISOString();
}
