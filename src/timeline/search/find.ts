import { setImmediate as breathe } from "node:timers/promises";
import { EarshotError } from "../../domain/errors.ts";
import { type ChannelId, type GuildId, idTime, type MessageId } from "../../domain/ids.ts";
import type { Query } from "../../domain/search/query.ts";
import { toQueryTerms } from "../../domain/search/terms.ts";
import { NEWEST, OLDEST, type Stretch } from "../../domain/stretches.ts";
import type { Coverage, SearchRequest, SearchResult } from "../../ports/timelines.ts";
import { firstIdAt } from "../first-id-at.ts";
import { type PageFetcher, throwIfCancelled } from "../page-fetcher.ts";
import type { Timeline } from "../timeline.ts";
import type { BlockDeps } from "./block.ts";
import { fromFindCursor, toFindCursor } from "./find-cursor.ts";
import { countByWords, fuse, NEEDED_BY_WORDS } from "./fuse.ts";
import type { Field, Meaning } from "./meaning.ts";
import { type GuildSearch, searchOlder, type Unseen } from "./older.ts";
import { rank, toFilter } from "./rank.ts";
import { Reach, reachOut } from "./reach.ts";
import { Scene } from "./scene.ts";
import type { Vector } from "./vectors.ts";

export interface FindDeps extends BlockDeps {
  readonly fetcher: PageFetcher;
  readonly discord: GuildSearch;
  /** Null where no embedder is configured. */
  readonly meaning: Meaning | null;
  /** Throws `not_found` where the bot may not read. */
  open(channelId: ChannelId): Promise<Timeline>;
  /** Its words have been prepared, which takes room. */
  onPrepared(timeline: Timeline): void;
}

interface Looked {
  readonly request: SearchRequest;
  readonly reaches: readonly Reach[];
}

const MOST_RETURNED = 100;
/** Messages do not say whether they have embeds, whose text stands among theirs: only Discord can tell. */
const UNTOLD = "embed";
/** Before the cursor of a search that goes by meaning too: its next page must do so as well, and that of another must not. */
const BY_MEANING = "m";

/** @see Timelines.find. Throws `Outdated` when events were missed meanwhile. */
export async function find(request: SearchRequest, deps: FindDeps): Promise<SearchResult> {
  checkRequest(request);
  const isByMeaning = request.cursor?.startsWith(BY_MEANING) ?? true;
  const { offset, newest } = fromFindCursor(withPlainCursor(request));
  const span = spanOf(request.query, newest);
  const reaches = await openReaches(request, span, deps);
  try {
    const reportProgress = () => reportOn(request, reaches);
    const { signal } = request;
    await reachOut(reaches, isTold(request.query) ? 0 : request.scan, {
      fetcher: deps.fetcher,
      onRound: reportProgress,
      ...(signal && { signal }),
    });
    const older = await searchOlder(request.query, unseenBy(reaches, isTold(request.query)), {
      discord: deps.discord,
      wanted: offset + request.limit,
      isWanted: (message) => request.isWanted?.(message) ?? true,
      ...(signal && { signal }),
    });
    for (const reach of reaches)
      reach.found = older.messages.filter(({ channel_id }) => channel_id === reach.timeline.place.channelId);
    await prepare(reaches, deps, signal);
    const question = isByMeaning ? await understand({ request, reaches }, deps) : null;
    // Without the vectors that the first page had, nothing of what it left out is lost, though some may come twice.
    const isBroken = request.cursor !== undefined && isByMeaning && !question;
    return answer({ request, reaches, question, offset: isBroken ? countByWords(offset) : offset }, older.state, deps);
  } finally {
    for (const reach of reaches) reach.close();
  }
}

/** From here on nothing is waited for: what is ranked is what stands there now. */
function answer(
  { request, reaches, question, offset }: Looked & { question: Vector | null; offset: number },
  older: SearchResult["older"],
  deps: FindDeps,
): SearchResult {
  const { query, limit, except = [], isWanted } = request;
  const end = offset + limit;
  const standing = reaches.filter(({ timeline }) => !timeline.gone);
  const scene = new Scene(standing, isTold(query), deps);
  try {
    const { candidates: byWords, isCut } = rank(
      {
        query: { ...query, has: query.has.filter((kind) => kind !== UNTOLD) },
        frames: scene.frames,
        most: question ? Math.max(NEEDED_BY_WORDS, end + 1) : end + 1,
        except: new Set(except.map(BigInt)),
        ...(isWanted && { isWanted }),
      },
      { vocabulary: deps.vocabulary, read: (frame, place) => scene.read(frame, place) },
    );
    const byMeaning = question && deps.meaning?.compare(question, toField(scene, request, deps));
    const candidates = byMeaning ? fuse(byWords, byMeaning) : byWords;
    const hasMore = candidates.length > end;
    const isComplete = !isCut && !isTold(query) && standing.every((reach) => reach.completeDownTo() <= reach.span.from);
    return {
      hits: scene.toHits(candidates.slice(offset, end), { except, ...(isWanted && { isWanted }) }),
      coverage: toCoverage(scene, isComplete),
      has_more: hasMore,
      cursor: hasMore
        ? `${question ? BY_MEANING : ""}${toFindCursor(request, { offset: end, newest: scene.newest() ?? OLDEST })}`
        : null,
      older,
    };
  } finally {
    scene.close();
  }
}

/** What the question means; null when it is to be answered by its words alone. */
async function understand(looked: Looked, deps: FindDeps): Promise<Vector | null> {
  const { request, reaches } = looked;
  if (!deps.meaning || isTold(request.query)) return null;
  const standing = reaches.filter(({ timeline }) => !timeline.gone);
  const scene = new Scene(standing, false, deps);
  // What is wanted is gathered at once; only then it is waited.
  const understanding = deps.meaning.understand(toField(scene, request, deps), request.signal);
  scene.close();
  const question = await understanding;
  prepareRest(reaches, request.signal);
  return question;
}

function toField(scene: Scene, { query, isWanted, except = [] }: SearchRequest, { vocabulary }: FindDeps): Field {
  const filter = toFilter({ query, ...(isWanted && { isWanted }) });
  const excepted = new Set(except);
  const accepts: Field["accepts"] = (message) => !excepted.has(message.message_id) && (filter?.(message) ?? true);
  return { scene, query, vocabulary, accepts };
}

async function openReaches(request: SearchRequest, span: Stretch, deps: FindDeps): Promise<Reach[]> {
  const opened = await Promise.all(
    [...new Set(request.channelIds)].map((channelId) =>
      deps.open(channelId).catch((error: unknown) => {
        if (error instanceof EarshotError && error.code === "not_found") return null;
        throw error;
      }),
    ),
  );
  throwIfCancelled(request.signal);
  return opened.filter((timeline) => timeline !== null).map((timeline) => new Reach(timeline, span));
}

/** Builds what has to be built to search, a little at a time, so that nobody has to wait for it. */
async function prepare(reaches: readonly Reach[], deps: FindDeps, signal: AbortSignal | undefined): Promise<void> {
  for (const { timeline } of reaches) {
    while (timeline.prepare()) {
      await breathe();
      throwIfCancelled(signal);
    }
  }
  prepareRest(reaches, signal);
  for (const { timeline } of reaches) deps.onPrepared(timeline);
}

/** After every wait: what has changed meanwhile is little. */
function prepareRest(reaches: readonly Reach[], signal: AbortSignal | undefined): void {
  for (const reach of reaches) {
    reach.check(signal);
    while (!reach.timeline.gone && reach.timeline.prepare());
  }
}

/** By guild: what has not been looked at, and a little more where some channels were looked into deeper than others. */
function unseenBy(reaches: readonly Reach[], isAll: boolean): Unseen[] {
  const unseen = new Map<GuildId | null, { channelIds: ChannelId[]; from: bigint; to: bigint }>();
  for (const reach of reaches) {
    const { guildId, channelId } = reach.timeline.place;
    const bottom = isAll ? reach.span.to + 1n : reach.completeDownTo();
    if (reach.timeline.gone || bottom <= reach.span.from) continue;
    const known = unseen.get(guildId) ?? { channelIds: [], from: reach.span.from, to: OLDEST };
    known.channelIds.push(channelId);
    known.to = known.to > bottom - 1n ? known.to : bottom - 1n;
    unseen.set(guildId, known);
  }
  return [...unseen].map(([guildId, where]) => ({ guildId, ...where }));
}

function withPlainCursor(request: SearchRequest): SearchRequest {
  const { cursor } = request;
  return cursor?.startsWith(BY_MEANING) ? { ...request, cursor: cursor.slice(BY_MEANING.length) } : request;
}

function isTold({ has }: Query): boolean {
  return has.includes(UNTOLD);
}

function reportOn({ onProgress, scan }: SearchRequest, reaches: readonly Reach[]): void {
  onProgress?.({ scanned: reaches.reduce((sum, { counted }) => sum + counted, 0), scan, found: 0 });
}

function toCoverage(scene: Scene, complete: boolean): Coverage {
  const timeOf = (id: bigint | undefined) =>
    id === undefined ? null : new Date(idTime(String(id) as MessageId)).toISOString();
  return { scanned: scene.size, from: timeOf(scene.oldest()), to: timeOf(scene.newest()), complete };
}

function spanOf({ since, until }: Query, newest: bigint): Stretch {
  const to = until === null ? NEWEST : firstIdAt(until + 1) - 1n;
  return { from: since === null ? OLDEST : firstIdAt(since), to: to < newest ? to : newest };
}

function checkRequest({ query, limit, scan }: SearchRequest): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_RETURNED)
    throw new EarshotError("invalid", `The limit must be a whole number from 1 to ${MOST_RETURNED}.`);
  if (!Number.isInteger(scan) || scan < 0)
    throw new EarshotError("invalid", "The number of messages to look at must be a whole number, 0 or more.");
  const { text, phrases, from, mentions, has, since, until } = query;
  const isNarrowed =
    phrases.length + from.length + mentions.length + has.length > 0 || since !== null || until !== null;
  if (!isNarrowed && toQueryTerms(text).length === 0)
    throw new EarshotError("invalid", "The query has nothing to look for: give at least one word.");
}
