import { type ChannelId, idTime, type MessageId } from "../domain/ids.ts";
import { OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { Query } from "../domain/search/query.ts";
import type { Steps } from "../domain/steps/pace.ts";
import type { Hit, SearchRequest, SearchResult } from "../ports/search.ts";
import type { Coverage } from "../ports/timelines.ts";
import type { ChangeJournal } from "../timeline/journal.ts";
import { idAt } from "./index/frame.ts";
import { fuse, NEEDED_BY_WORDS } from "./rank/fuse.ts";
import type { Candidate } from "./rank/rank.ts";
import { rank, toFilter } from "./rank/rank.ts";
import { toFindCursor, toFreeGuilds } from "./search-cursor.ts";
import type { Field, SemanticSearch } from "./semantic/semantic.ts";
import type { Meant, Vector } from "./semantic/vectors.ts";
import type { Reach } from "./snapshot/reach.ts";
import { Scene, type SceneDeps } from "./snapshot/snapshot.ts";

/** What is known when everything has been fetched. */
export interface Looked {
  readonly request: SearchRequest;
  readonly reaches: readonly Reach[];
  /** What the query means; null when it is answered by its words alone. */
  readonly question: Vector | null;
  readonly offset: number;
  readonly older: SearchResult["older"];
  /** The background still reads history of a guild concerned. */
  readonly isReading: boolean;
}

export interface AnswerDeps extends SceneDeps {
  readonly semantic: SemanticSearch | null;
}

interface Draft {
  readonly scene: Scene;
  readonly candidates: readonly Candidate[];
  readonly isCut: boolean;
  readonly hits: SearchResult["hits"];
}

/** Messages do not say whether they have embeds, whose text stands among theirs: only Discord can tell. */
const UNTOLD = "embed";
/** Before the cursor of a search that goes by meaning too: its next page must do so as well, and that of another must not. */
export const SEMANTIC_MARK = "m";
/** So often messages are ranked again because one of those to be shown has changed. */
const MAX_ATTEMPTS = 3;
/** What it takes to fuse one message by its meaning with the order by words, in units of work. */
const FUSE_COST = 100;

/** Only what Discord's own search has found can be a hit. */
export function isTold({ has }: Query): boolean {
  return has.includes(UNTOLD);
}

/**
 * Ranks and reads, with pauses. What was said when the ranking began is ranked; nothing is shown that was edited, deleted or lost meanwhile. In that case
 * messages are ranked again, and after some attempts what has changed is left out.
 */
export function* answer(looked: Looked, deps: AnswerDeps): Steps<SearchResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = yield* tryAnswer(looked, { ...deps, isLast: attempt === MAX_ATTEMPTS });
    if (result) return result;
  }
}

/** Null when something to be shown has changed meanwhile, unless it is the last attempt. */
function* tryAnswer(looked: Looked, { isLast, ...deps }: AnswerDeps & { isLast: boolean }): Steps<SearchResult | null> {
  const reaches = looked.reaches.filter(({ timeline }) => !timeline.gone);
  const watch = new Watch(reaches);
  let scene: Scene | null = null;
  try {
    scene = yield* Scene.open({ reaches, isTold: isTold(looked.request.query) }, deps);
    const draft = yield* toDraft(looked, scene, deps);
    // From here on nothing pauses: what is looked at now is what stands there when it is answered.
    const isSound = !watch.hasLost && !isOutdated(draft, looked, watch);
    return isSound || isLast ? toResult(draft, looked, { watch, isSound }) : null;
  } finally {
    scene?.close();
    watch.close();
  }
}

/** The messages whose vectors are needed to compare them with the query. */
export function* gather(
  { request, reaches, semantic }: Pick<Looked, "request" | "reaches"> & { semantic: SemanticSearch },
  deps: AnswerDeps,
): Steps<Meant[]> {
  const standing = reaches.filter(({ timeline }) => !timeline.gone);
  const watch = new Watch(standing);
  let scene: Scene | null = null;
  try {
    scene = yield* Scene.open({ reaches: standing, isTold: false }, deps);
    return yield* semantic.gather(toField(scene, request, deps), watch);
  } finally {
    scene?.close();
    watch.close();
  }
}

function toField(scene: Scene, { query, isWanted, except = [] }: SearchRequest, deps: AnswerDeps): Field {
  const filter = toFilter({ query, ...(isWanted && { isWanted }) });
  const excepted = new Set(except);
  return {
    scene,
    query,
    vocabulary: deps.vocabulary,
    pacer: deps.pacer,
    filter: {
      accepts: (message) => !excepted.has(message.message_id) && (filter?.accepts(message) ?? true),
      cost: (message) => filter?.cost(message) ?? 0,
    },
  };
}

function* toDraft({ request, question, offset }: Looked, scene: Scene, deps: AnswerDeps): Steps<Draft> {
  const { query, limit, except = [], isWanted } = request;
  const end = offset + limit;
  const { candidates: byWords, isCut } = yield* rank(
    {
      query: { ...query, has: query.has.filter((kind) => kind !== UNTOLD) },
      frames: scene.frames,
      most: question ? Math.max(NEEDED_BY_WORDS, end + 1) : end + 1,
      except: new Set(except.map(BigInt)),
      ...(isWanted && { isWanted }),
    },
    { vocabulary: deps.vocabulary, pacer: deps.pacer, read: (frame, place) => scene.read(frame, place) },
  );
  const bySemantics =
    question && deps.semantic && (yield* deps.semantic.compare(question, toField(scene, request, deps)));
  if (bySemantics && deps.pacer.spend(FUSE_COST * bySemantics.length)) yield;
  const candidates = bySemantics ? fuse(byWords, bySemantics) : byWords;
  const hits = yield* scene.toHits(candidates.slice(offset, end), { except, ...(isWanted && { isWanted }) });
  return { scene, candidates, isCut, hits };
}

/** Something that is shown, or of which it is said that there is more, has changed. */
function isOutdated({ scene, candidates, hits }: Draft, { request, offset }: Looked, watch: Watch): boolean {
  const next = candidates[offset + request.limit];
  const isNextChanged =
    next !== undefined &&
    watch.isChanged({
      channel_id: scene.channelOf(next.frame),
      message_id: String(idAt(next.frame, next.place)) as MessageId,
    });
  return (
    isNextChanged || hits.some(({ message, around }) => [message, ...around].some((each) => watch.isChanged(each)))
  );
}

function toResult(
  { scene, candidates, isCut, hits }: Draft,
  { request, reaches, question, offset, older, isReading }: Looked,
  { watch, isSound }: { watch: Watch; isSound: boolean },
): SearchResult {
  const end = offset + request.limit;
  const hasMore = candidates.length > end;
  const isComplete =
    isSound &&
    !isCut &&
    !isTold(request.query) &&
    reaches.every((reach) => reach.timeline.gone || reach.completeDownTo() <= reach.span.from);
  return {
    hits: isSound ? hits : watch.withoutChanged(hits),
    coverage: toCoverage(scene, isComplete),
    counted: reaches.reduce((sum, reach) => sum + reach.counted + reach.found.length, 0),
    has_more: hasMore,
    cursor: hasMore
      ? `${question ? SEMANTIC_MARK : ""}${toFindCursor(request, { offset: end, newest: scene.newest() ?? OLDEST, freeGuilds: toFreeGuilds(reaches) })}`
      : null,
    older,
    still_reading: !isComplete && isReading,
    unreachable: reaches.some(({ refusal, timeline }) => refusal !== null && !timeline.gone),
  };
}

function toCoverage(scene: Scene, complete: boolean): Coverage {
  const timeOf = (id: bigint | undefined) =>
    id === undefined ? null : new Date(idTime(String(id) as MessageId)).toISOString();
  return { scanned: scene.size, from: timeOf(scene.oldest()), to: timeOf(scene.newest()), complete };
}

/** Notes what changes in the channels of a search while it pauses. */
class Watch {
  readonly #reaches: readonly Reach[];
  readonly #journals: ReadonlyMap<ChannelId, ChangeJournal>;

  constructor(reaches: readonly Reach[]) {
    this.#reaches = reaches;
    this.#journals = new Map(reaches.map(({ timeline }) => [timeline.place.channelId, timeline.openJournal()]));
  }

  /** A channel of the search may no longer be read. */
  get hasLost(): boolean {
    return this.#reaches.some(({ timeline }) => timeline.gone);
  }

  /** Since the watch began the message was edited or deleted, or its channel was lost. */
  isChanged({ channel_id, message_id }: Pick<Message, "channel_id" | "message_id">): boolean {
    const journal = this.#journals.get(channel_id);
    return !journal || journal.touches(message_id) || this.#isLost(channel_id);
  }

  /** The hits without anything that has changed. */
  withoutChanged(hits: readonly Hit[]): Hit[] {
    return hits
      .filter(({ message }) => !this.isChanged(message))
      .map(({ message, around }) => ({ message, around: around.filter((beside) => !this.isChanged(beside)) }));
  }

  close(): void {
    for (const { timeline } of this.#reaches) {
      const journal = this.#journals.get(timeline.place.channelId);
      if (journal) timeline.closeJournal(journal);
    }
  }

  #isLost(channelId: ChannelId): boolean {
    return this.#reaches.some(({ timeline }) => timeline.place.channelId === channelId && timeline.gone);
  }
}
