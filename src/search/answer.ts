import { type ChannelId, idTime, type MessageId } from "../domain/ids.ts";
import { NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { Query } from "../domain/search/query.ts";
import type { Steps } from "../domain/steps/pace.ts";
import type { Hit, SearchRequest, SearchResult } from "../ports/search.ts";
import type { ChangeJournal } from "../timeline/journal.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { idAt } from "./index/frame.ts";
import { fuse, NEEDED_BY_WORDS } from "./rank/fuse.ts";
import type { PlanDeps } from "./rank/plan.ts";
import type { Candidate } from "./rank/rank.ts";
import { rank, toFilter } from "./rank/rank.ts";
import { toFreeGuilds, toSearchCursor } from "./search-cursor.ts";
import { type Compared, type Comparison, REACHES, type SemanticSearch } from "./semantic/semantic.ts";
import type { EmbeddedText, Vector } from "./semantic/vectors.ts";
import type { ChannelScan } from "./snapshot/channel-scan.ts";
import { SearchSnapshot, type SnapshotDeps } from "./snapshot/snapshot.ts";

/** The state of a search after everything has been fetched. */
export interface SearchState {
  readonly request: SearchRequest;
  readonly scans: readonly ChannelScan[];
  /** Null when the query is answered by its words alone. */
  readonly embeddedQuery: EmbeddedQuery | null;
  readonly offset: number;
  readonly older: SearchResult["older"];
  /** The background still reads history of a guild concerned. */
  readonly isReading: boolean;
}

export interface EmbeddedQuery {
  readonly vector: Vector;
  /** How many messages are compared with it at most, as an index of `REACHES`. */
  readonly reach: number;
}

export interface AnswerDeps extends SnapshotDeps, PlanDeps {
  readonly semantic: SemanticSearch | null;
}

interface Draft {
  readonly snapshot: SearchSnapshot;
  readonly candidates: readonly Candidate[];
  readonly isCut: boolean;
  readonly hits: SearchResult["hits"];
  readonly compared: number | null;
}

/** Messages do not say whether they have embeds, whose text stands among theirs: only Discord can tell. */
const NOT_IN_MESSAGES = "embed";
/** How often messages are ranked because one of those to be shown has changed. */
const MAX_ATTEMPTS = 3;
/** The cost of fusing one semantic candidate with the keyword ranking, in units of work. */
const FUSE_COST = 100;

/** Only hits of Discord's own search can be hits. */
export function isGuildSearchOnly({ has }: Query): boolean {
  return has.includes(NOT_IN_MESSAGES);
}

/**
 * Ranks and reads, with pauses. It ranks the messages as of the beginning, and returns none that was edited, deleted or lost meanwhile. In that case messages
 * are ranked again; after some attempts, changed messages are left out.
 */
export function* answer(state: SearchState, deps: AnswerDeps): Steps<SearchResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = yield* tryAnswer(state, { ...deps, isLast: attempt === MAX_ATTEMPTS });
    if (result) return result;
  }
}

/** Null when something to be shown has changed meanwhile, unless it is the last attempt. */
function* tryAnswer(
  state: SearchState,
  { isLast, ...deps }: AnswerDeps & { isLast: boolean },
): Steps<SearchResult | null> {
  const scans = state.scans.filter(({ timeline }) => !timeline.gone);
  const watch = new ChangeWatch(scans);
  let snapshot: SearchSnapshot | null = null;
  try {
    snapshot = yield* SearchSnapshot.open({ scans, isGuildSearchOnly: isGuildSearchOnly(state.request.query) }, deps);
    const draft = yield* toDraft(state, snapshot, deps);
    // From here on nothing pauses: what is looked at now is what stands there when it is answered.
    const isSound = !watch.hasLost && !isOutdated(draft, state, watch);
    return isSound || isLast ? toResult(draft, state, { watch, isSound }) : null;
  } finally {
    snapshot?.close();
    watch.close();
  }
}

/** The messages whose vectors are needed to compare them with the query. */
export function* gather(
  {
    request,
    scans,
    semantic,
    reach,
  }: Pick<SearchState, "request" | "scans"> & {
    semantic: SemanticSearch;
    reach: number;
  },
  deps: AnswerDeps,
): Steps<EmbeddedText[]> {
  const open = scans.filter(({ timeline }) => !timeline.gone);
  const watch = new ChangeWatch(open);
  let snapshot: SearchSnapshot | null = null;
  try {
    snapshot = yield* SearchSnapshot.open({ scans: open, isGuildSearchOnly: false }, deps);
    return yield* semantic.gather(toComparison(snapshot, { ...request, reach }, deps), watch);
  } finally {
    snapshot?.close();
    watch.close();
  }
}

function toComparison(
  snapshot: SearchSnapshot,
  { query, isWanted, except = [], reach }: SearchRequest & { readonly reach: number },
  deps: AnswerDeps,
): Comparison {
  const filter = toFilter({ query, ...(isWanted && { isWanted }) });
  const excepted = new Set(except);
  return {
    max: REACHES[reach] ?? 0,
    snapshot,
    query,
    queries: deps.queries,
    vocabulary: deps.vocabulary,
    pacer: deps.pacer,
    filter: {
      accepts: (message) => !excepted.has(message.message_id) && (filter?.accepts(message) ?? true),
      cost: (message) => filter?.cost(message) ?? 0,
    },
  };
}

function* toDraft(
  { request, embeddedQuery, offset }: SearchState,
  snapshot: SearchSnapshot,
  deps: AnswerDeps,
): Steps<Draft> {
  const { query, limit, except = [], isWanted, here = null } = request;
  const end = offset + limit;
  const {
    candidates: byWords,
    isCut,
    wordsIn,
  } = yield* rank(
    {
      query: { ...query, has: query.has.filter((kind) => kind !== NOT_IN_MESSAGES) },
      frames: snapshot.frames,
      here,
      channelOf: (frame) => snapshot.channelOf(frame),
      max: embeddedQuery ? Math.max(NEEDED_BY_WORDS, end + 1) : end + 1,
      except: new Set(except.map(BigInt)),
      ...(isWanted && { isWanted }),
    },
    { ...deps, read: (frame, row) => snapshot.read(frame, row) },
  );
  let compared: Compared | null = null;
  if (embeddedQuery && deps.semantic) {
    const { vector, reach } = embeddedQuery;
    compared = yield* deps.semantic.compare(vector, toComparison(snapshot, { ...request, reach }, deps));
  }
  if (compared && deps.pacer.spend(FUSE_COST * compared.close.length)) yield;
  const candidates = compared ? fuse(byWords, compared.close, compared.weight) : byWords;
  const hits = yield* snapshot.toHits(candidates.slice(offset, end), {
    except,
    wordsIn,
    ...(isWanted && { isWanted }),
  });
  return { snapshot, candidates, isCut, hits, compared: compared?.close.length ?? null };
}

/** Something that is shown, or of which it is said that there is more, has changed. */
function isOutdated(
  { snapshot, candidates, hits }: Draft,
  { request, offset }: SearchState,
  watch: ChangeWatch,
): boolean {
  const next = candidates[offset + request.limit];
  const isNextChanged =
    next !== undefined &&
    watch.isChanged({
      channel_id: snapshot.channelOf(next.frame),
      message_id: String(idAt(next.frame, next.row)) as MessageId,
    });
  return (
    isNextChanged ||
    hits.some(({ message, question, around }) =>
      [message, question ?? [], around].flat().some((each) => watch.isChanged(each)),
    )
  );
}

function toResult(
  { snapshot, candidates, isCut, hits, compared }: Draft,
  { request, scans, embeddedQuery, offset, older, isReading }: SearchState,
  { watch, isSound }: { watch: ChangeWatch; isSound: boolean },
): SearchResult {
  const { size, span } = snapshot;
  const end = offset + request.limit;
  const hasMore = candidates.length > end;
  let isComplete = isSound && !isCut && !isGuildSearchOnly(request.query);
  let isUnreachable = false;
  let counted = 0;
  for (const scan of scans) {
    counted += scan.counted + scan.guildSearchHits.length;
    if (scan.timeline.gone) continue;
    isUnreachable ||= scan.refusal !== null;
    isComplete &&= scan.completeDownTo() <= scan.span.from;
  }
  const isTold = !isComplete && !isGuildSearchOnly(request.query);
  return {
    hits: isSound ? hits : watch.withoutChanged(hits),
    coverage: { scanned: size, from: span && timeOf(span.from), to: span && timeOf(span.to), complete: isComplete },
    compared,
    ...(isTold ? depthOf(scans) : { everything_since: null, further_back: false }),
    counted,
    has_more: hasMore,
    cursor: hasMore
      ? toSearchCursor(request, {
          ...{ offset: end, newest: span?.to ?? OLDEST, freeGuilds: toFreeGuilds(scans) },
          reach: embeddedQuery?.reach ?? null,
        })
      : null,
    older,
    still_reading: !isComplete && isReading,
    unreachable: isUnreachable,
  };
}

/** How far back the channels of a search were looked at: the end of the one that was looked at least, null when that is not at all. */
function depthOf(scans: readonly ChannelScan[]): Pick<SearchResult, "everything_since" | "further_back"> {
  const ends = scans.filter(({ timeline }) => !timeline.gone).map((scan) => scan.end());
  const latest = ends.reduce((a, b) => (a > b ? a : b), OLDEST - 1n);
  if (latest < OLDEST || latest > NEWEST) return { everything_since: null, further_back: false };
  return { everything_since: timeOf(latest), further_back: ends.some((end) => end !== latest) };
}

function timeOf(id: bigint): string {
  return new Date(idTime(id)).toISOString();
}

/** Notes what changes in the channels of a search while it pauses. */
class ChangeWatch {
  readonly #watched = new Map<ChannelId, { readonly timeline: Timeline; readonly journal: ChangeJournal }>();

  constructor(scans: readonly ChannelScan[]) {
    for (const { timeline } of scans)
      this.#watched.set(timeline.place.channelId, { timeline, journal: timeline.openJournal() });
  }

  /** A channel of the search may no longer be read. */
  get hasLost(): boolean {
    for (const { timeline } of this.#watched.values()) if (timeline.gone) return true;
    return false;
  }

  /** Since the watch began the message was edited or deleted, or its channel was lost. */
  isChanged({ channel_id, message_id }: Pick<Message, "channel_id" | "message_id">): boolean {
    const watched = this.#watched.get(channel_id);
    return !watched || watched.timeline.gone || watched.journal.touches(message_id);
  }

  /** The hits without anything that has changed. */
  withoutChanged(hits: readonly Hit[]): Hit[] {
    return hits
      .filter(({ message }) => !this.isChanged(message))
      .map((hit) => ({
        ...hit,
        question: hit.question && !this.isChanged(hit.question) ? hit.question : null,
        around: hit.around.filter((beside) => !this.isChanged(beside)),
      }));
  }

  close(): void {
    for (const { timeline, journal } of this.#watched.values()) timeline.closeJournal(journal);
  }
}
