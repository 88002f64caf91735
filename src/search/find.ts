import { Echoes } from "../domain/answer/echoes.ts";
import { EarshotError, throwIfCancelled } from "../domain/errors.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import { firstIdAt, type Interval, NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { Query } from "../domain/search/query.ts";
import type { Pace, Pacer, Steps } from "../domain/steps/pace.ts";
import type { SearchRequest, SearchResult } from "../ports/search.ts";
import type { TimelinesForSearch } from "../timeline/open-timelines.ts";
import { Outdated } from "../timeline/read-in-progress.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { answer, type EmbeddedQuery, gather, isGuildSearchOnly, type SearchState } from "./answer.ts";
import type { BlockDeps } from "./index/block.ts";
import type { ChannelIndexes } from "./index/channel-indexes.ts";
import { hasNewest } from "./newest-hits.ts";
import { type GuildSearchPort, type Older, searchOlder, type Unseen } from "./older.ts";
import type { QueryReader } from "./rank/query-reader.ts";
import { fromFreeGuilds, fromSearchCursor } from "./search-cursor.ts";
import { REACHES, type SemanticSearch } from "./semantic/semantic.ts";
import { ChannelScan, scanChannels } from "./snapshot/channel-scan.ts";
import { toContents } from "./telling-words.ts";

export interface FindDeps extends BlockDeps {
  readonly queries: QueryReader;
  readonly timelines: TimelinesForSearch;
  readonly indexes: ChannelIndexes;
  readonly discord: GuildSearchPort;
  /** Null where no embedder is configured. */
  readonly semantic: SemanticSearch | null;
}

const MAX_RETURNED = 100;
/** A request with a higher limit asks for every message to be examined, not only those that Discord's search finds. */
const MAX_SCAN_LEFT = 2_000;
const NOT_NEEDED: Older = { state: "not_needed", messages: [] };
/** With fewer messages than this there are none further back. Messages of one second are taken together or not at all, so it is less than the reach. */
const MORE_TO_EMBED = 2_500;
/** Ids of the same nine minutes: with every new message a search ends a little later, and Discord need not be asked again each time. */
const ABOUT_THE_SAME = (1n << 41n) - 1n;

/** @see Search.find. Throws `Outdated` when events were missed meanwhile. */
export async function find(request: SearchRequest, deps: FindDeps): Promise<SearchResult> {
  // A query without words: all that fits it fits equally well, and the newest comes first.
  const isByTime = deps.queries.read(request.query).stems.size === 0;
  checkRequest(request, isByTime);
  const begun = request.cursor === undefined ? null : fromSearchCursor(request, request.cursor);
  const isSemantic = !begun || begun.reach !== null;
  const offset = begun?.offset ?? 0;
  const span = spanOf(request.query, begun?.newest ?? NEWEST);
  const scans = await openScans(request, { span, freeGuilds: begun?.freeGuilds ?? null }, deps);
  const { signal } = request;
  const { timelines } = deps;
  // Messages that are read from now on are not part of this search.
  const isReading = scans.some(({ timeline }) => timelines.isReading(timeline));
  const pace = timelines.openPace(() => {
    throwIfCancelled(signal);
    for (const scan of scans) scan.check(signal);
  });
  try {
    const older = await lookFurther({ request, scans, wanted: offset + request.limit, isByTime, pace }, deps);
    for (const scan of scans)
      scan.guildSearchHits = older.messages.filter(({ channel_id }) => channel_id === scan.timeline.place.channelId);
    const reach = begun?.reach ?? null;
    const embeddedQuery = isSemantic ? await embedQuery({ request, scans, reach }, pace, deps) : null;
    for (const scan of scans) scan.check(signal);
    // Without the vectors that the first page had, the search begins again: nothing is lost, though some may come twice.
    const isBroken = reach !== null && !embeddedQuery;
    const state: SearchState = {
      request,
      scans,
      embeddedQuery,
      offset: isBroken ? 0 : offset,
      older: older.state,
      isReading,
    };
    return await pace.run(answer(state, { ...deps, pacer: pace }));
  } finally {
    for (const scan of scans) scan.close();
  }
}

interface Look {
  readonly request: SearchRequest;
  readonly scans: readonly ChannelScan[];
  readonly wanted: number;
  readonly isByTime: boolean;
  readonly pace: Pace;
}

/**
 * Beyond the quotas, Discord's own search is asked first: it covers the whole history for a few requests, while fetching a hundred messages costs one request.
 * If it gives no answer, pages are fetched after all. Other channels, and queries without words, begin with pages.
 */
async function lookFurther(look: Look, deps: FindDeps): Promise<Older> {
  const { request, scans, isByTime } = look;
  const isLeft = deps.discord.search !== undefined && !isByTime && request.scan <= MAX_SCAN_LEFT;
  for (const scan of scans) scan.isPaged = !(isLeft && scan.isFree);
  await fetchPages(look, deps);
  const older = await searchUnseen(look, deps);
  const unpaged = scans.filter(({ isPaged }) => !isPaged);
  if (older.state === "searched" || older.state === "not_needed" || unpaged.length === 0) return older;
  for (const scan of unpaged) scan.isPaged = true;
  await fetchPages(look, deps);
  return unseenBy(scans, isGuildSearchOnly(request.query)).length === 0 ? NOT_NEEDED : older;
}

/** Fetches pages within `request.scan`, beyond earlier ones. */
async function fetchPages(look: Look, deps: FindDeps): Promise<void> {
  const { request, scans, isByTime, pace } = look;
  const { timelines, indexes } = deps;
  const left = scans.reduce((rest, { counted }) => rest - counted, request.scan);
  await scanChannels(scans, isGuildSearchOnly(request.query) ? 0 : left, {
    fetcher: timelines.fetcher,
    onRound: () => reportOn(request, scans),
    ...(isByTime && !isGuildSearchOnly(request.query) && { isEnough: () => hasEnough(look, deps) }),
    ...(request.signal && { signal: request.signal }),
  });
  await pace.run(buildIndexes(scans, indexes, pace));
}

async function searchUnseen(look: Look, deps: FindDeps): Promise<Older> {
  const { request, scans, wanted, isByTime, pace } = look;
  const isOnlyGuild = isGuildSearchOnly(request.query);
  const unseen = unseenBy(scans, isOnlyGuild);
  if (unseen.length === 0 || (isByTime && !isOnlyGuild && (await hasEnough(look, deps)))) return NOT_NEEDED;
  if (request.heldOnly) return { state: "unavailable", messages: [] };
  return searchOlder(request.query, unseen, {
    discord: deps.discord,
    contents: await pace.run(toContents(request.query, scans, { ...deps, pacer: pace })),
    wanted,
    pick: pickEvidence(request, scans),
    ...(request.signal && { signal: request.signal }),
  });
}

async function hasEnough({ request, scans, wanted, pace }: Look, deps: FindDeps): Promise<boolean> {
  await pace.run(buildIndexes(scans, deps.indexes, pace));
  return pace.run(hasNewest({ ...request, wanted }, scans, { ...deps, pacer: pace }));
}

/** Goes through pages of Discord's own search, which finds echoes as well: they are told by what was found so far, and by nothing that others have read. */
function pickEvidence(
  { isWanted = () => true, withEchoes = false }: SearchRequest,
  scans: readonly ChannelScan[],
): (messages: readonly Message[]) => Message[] {
  const byChannel = new Map(
    scans.map(({ timeline, onlyBy }) => {
      const { channelId, botId } = timeline.place;
      return [channelId, { onlyBy, echoes: Echoes.among([], botId) }];
    }),
  );
  return (messages) => {
    for (const message of messages) {
      const { onlyBy, echoes } = byChannel.get(message.channel_id) ?? {};
      if (!onlyBy || message.author.id === onlyBy) echoes?.change([], [message]);
    }
    const isEcho = (one: Message) => byChannel.get(one.channel_id)?.echoes.has(BigInt(one.message_id)) ?? false;
    return messages.filter((message) => isWanted(message) && (withEchoes || !isEcho(message)));
  };
}

/** Null when the query is to be answered by its words alone. `reach`: that of the page before, which this one goes on with; null for the first page. */
async function embedQuery(
  { request, scans, reach }: Pick<SearchState, "request" | "scans"> & { reach: number | null },
  pace: Pace,
  deps: FindDeps,
): Promise<EmbeddedQuery | null> {
  const { semantic } = deps;
  if (!semantic || isGuildSearchOnly(request.query) || !semantic.hasWords(request.query.text)) return null;
  const gatherTo = (reach: number) => pace.run(gather({ request, scans, semantic, reach }, { ...deps, pacer: pace }));
  const nearest = await gatherTo(reach ?? 0);
  const vector = await semantic.embedQuery(request.query.text, nearest, request.signal);
  if (!vector || reach !== null) return vector && { vector, reach: reach ?? 0 };
  // Embedding older messages is not waited for. Once all of them are embedded, they count.
  let known = 0;
  for (let size = nearest.length; known + 1 < REACHES.length && size >= MORE_TO_EMBED; known += 1) {
    const further = await gatherTo(known + 1);
    if (further.length === size || !semantic.isEmbedded(further)) break;
    size = further.length;
  }
  return { vector, reach: known };
}

/** `freeGuilds`: only of these what is held may be looked at whatever the request allows; null for all. */
async function openScans(
  request: SearchRequest,
  { span, freeGuilds }: { span: Interval; freeGuilds: bigint | null },
  deps: FindDeps,
): Promise<ChannelScan[]> {
  const opened = await Promise.all(
    [...new Set(request.channelIds)].map((channelId) =>
      deps.timelines.open(channelId).catch((error: unknown) => {
        if (error instanceof EarshotError && error.code === "not_found") return null;
        throw error;
      }),
    ),
  );
  throwIfCancelled(request.signal);
  const timelines: Timeline[] = [];
  for (const timeline of opened) {
    if (!timeline) continue;
    // While the last of them was looked up, an empty one may have been let go of.
    if (timeline.isRemoved && !timeline.gone) throw new Outdated();
    timelines.push(timeline);
  }
  const free = freeGuilds === null ? null : fromFreeGuilds(freeGuilds, timelines);
  const scans: ChannelScan[] = [];
  for (const timeline of timelines) {
    const { channelId, guildId } = timeline.place;
    const onlyBy = request.onlyBy?.(channelId) ?? null;
    const isFree = free === null || (guildId !== null && free.has(guildId));
    const heldDownTo = isFree ? deps.timelines.freeDownTo(timeline) : null;
    const { withEchoes = false } = request;
    scans.push(new ChannelScan(timeline, { span, onlyBy, heldDownTo, withEchoes }));
  }
  return scans;
}

function* buildIndexes(scans: readonly ChannelScan[], indexes: ChannelIndexes, pacer: Pacer): Steps<void> {
  for (const { timeline } of scans) yield* indexes.build(timeline, pacer);
}

/** By guild: what has not been looked at, and a little more where some channels were looked into deeper than others. */
function unseenBy(scans: readonly ChannelScan[], isAll: boolean): Unseen[] {
  const unseen = new Map<GuildId | null, { channelIds: ChannelId[]; from: bigint; to: bigint }>();
  for (const scan of scans) {
    const { guildId, channelId } = scan.timeline.place;
    const bottom = isAll ? scan.span.to + 1n : scan.completeDownTo();
    if (scan.timeline.gone || bottom <= scan.span.from) continue;
    const known = unseen.get(guildId) ?? { channelIds: [], from: scan.span.from, to: OLDEST };
    known.channelIds.push(channelId);
    known.to = known.to > bottom - 1n ? known.to : bottom - 1n;
    unseen.set(guildId, known);
  }
  const newest = (to: bigint) => scans.reduce((top, { span }) => (span.to < top ? span.to : top), to | ABOUT_THE_SAME);
  return [...unseen].map(([guildId, where]) => ({ guildId, ...where, to: newest(where.to) }));
}

function reportOn({ onProgress, scan }: SearchRequest, scans: readonly ChannelScan[]): void {
  let scanned = 0;
  // How much others said where only one's own messages count is not told.
  for (const { onlyBy, counted } of scans) if (onlyBy === null) scanned += counted;
  // The last page may go a little beyond what was allowed.
  onProgress?.({ scanned: Math.min(scanned, scan), scan, found: 0 });
}

function spanOf({ since, until }: Query, newest: bigint): Interval {
  const to = until === null ? NEWEST : firstIdAt(until + 1) - 1n;
  return { from: since === null ? OLDEST : firstIdAt(since), to: to < newest ? to : newest };
}

function checkRequest({ query, everything, limit, scan }: SearchRequest, isByTime: boolean): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RETURNED)
    throw new EarshotError("invalid", `The limit must be a whole number from 1 to ${MAX_RETURNED}.`);
  if (!Number.isInteger(scan) || scan < 0)
    throw new EarshotError("invalid", "The number of messages to look at must be a whole number, 0 or more.");
  const { phrases, from, mentions, has, since, until } = query;
  const isNarrowed =
    phrases.length + from.length + mentions.length + has.length > 0 || since !== null || until !== null;
  if (!everything && !isNarrowed && isByTime)
    throw new EarshotError("invalid", "The query has nothing to look for: give at least one word.");
}
