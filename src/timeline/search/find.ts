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
import { type GuildSearch, searchOlder, type Unseen } from "./older.ts";
import { rank } from "./rank.ts";
import { Reach, reachOut } from "./reach.ts";
import { Scene } from "./scene.ts";

export interface FindDeps extends BlockDeps {
  readonly fetcher: PageFetcher;
  readonly discord: GuildSearch;
  /** Throws `not_found` where the bot may not read. */
  open(channelId: ChannelId): Promise<Timeline>;
  /** Its words have been prepared, which takes room. */
  onPrepared(timeline: Timeline): void;
}

const MOST_RETURNED = 100;
/** Messages do not say whether they have embeds, whose text stands among theirs: only Discord can tell. */
const UNTOLD = "embed";

/** @see Timelines.find. Throws `Outdated` when events were missed meanwhile. */
export async function find(request: SearchRequest, deps: FindDeps): Promise<SearchResult> {
  checkRequest(request);
  const { offset, newest } = fromFindCursor(request);
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
      ...(signal && { signal }),
    });
    for (const reach of reaches)
      reach.found = older.messages.filter(
        (message) => message.channel_id === reach.timeline.place.channelId && (request.isWanted?.(message) ?? true),
      );
    await prepare(reaches, deps, signal);
    return answer({ request, reaches, offset }, older.state, deps);
  } finally {
    for (const reach of reaches) reach.close();
  }
}

/** From here on nothing is waited for: what is ranked is what stands there now. */
function answer(
  { request, reaches, offset }: { request: SearchRequest; reaches: readonly Reach[]; offset: number },
  older: SearchResult["older"],
  deps: FindDeps,
): SearchResult {
  const { query, limit, except = [], isWanted } = request;
  const standing = reaches.filter(({ timeline }) => !timeline.gone);
  const scene = new Scene(standing, isTold(query), deps);
  try {
    const { candidates, isCut } = rank(
      {
        query: { ...query, has: query.has.filter((kind) => kind !== UNTOLD) },
        frames: scene.frames,
        most: offset + limit + 1,
        except: new Set(except.map(BigInt)),
        ...(isWanted && { isWanted }),
      },
      { vocabulary: deps.vocabulary, read: (frame, place) => scene.read(frame, place) },
    );
    const hasMore = candidates.length > offset + limit;
    const isComplete = !isCut && !isTold(query) && standing.every((reach) => reach.completeDownTo() <= reach.span.from);
    return {
      hits: scene.toHits(candidates.slice(offset, offset + limit), { except, ...(isWanted && { isWanted }) }),
      coverage: toCoverage(scene, isComplete),
      has_more: hasMore,
      cursor: hasMore ? toFindCursor(request, { offset: offset + limit, newest: scene.newest() ?? OLDEST }) : null,
      older,
    };
  } finally {
    scene.close();
  }
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
  for (const reach of reaches) {
    reach.check(signal);
    // What has changed meanwhile is little.
    while (reach.timeline.prepare());
  }
  for (const { timeline } of reaches) deps.onPrepared(timeline);
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
