import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Pacer, Steps } from "../../domain/steps/pace.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { BlockDeps } from "./block.ts";
import { ChannelWords } from "./channel-words.ts";

/** Other data about messages that must be removed with them. */
interface PerChannel {
  forget(channelId: ChannelId, ids: readonly bigint[]): void;
  clear(channelId: ChannelId): void;
}

/** The word index of each channel that was ever searched. It, and the vectors, follow what the channel's timeline says has changed. */
export class ChannelIndexes {
  readonly #deps: BlockDeps;
  readonly #vectors: PerChannel | null;
  readonly #words = new WeakMap<Timeline, ChannelWords>();
  /** By channel, as long as they are referenced elsewhere. */
  readonly #current = new Map<ChannelId, WeakRef<ChannelWords>>();

  /** Without vectors where no embedder is configured. */
  constructor(deps: BlockDeps, vectors: PerChannel | null) {
    this.#deps = deps;
    this.#vectors = vectors;
  }

  of(timeline: Timeline): ChannelWords {
    const known = this.#words.get(timeline);
    if (known) return known;
    const words = new ChannelWords(this.#deps);
    const vectors = this.#vectors;
    const { channelId } = timeline.place;
    // Edits were not observed until now: vectors left behind by an earlier timeline of the channel may be out of date.
    vectors?.clear(channelId);
    timeline.observe({
      outdated: (ids) => vectors?.forget(channelId, ids),
      changed(ids) {
        words.note(ids);
        vectors?.forget(channelId, ids);
      },
      relinked: (ids) => words.noteReplies(ids),
      trimmed: (upTo) => words.trim(upTo),
      cleared() {
        words.clear();
        vectors?.clear(channelId);
      },
    });
    this.#words.set(timeline, words);
    this.#current.set(channelId, new WeakRef(words));
    return words;
  }

  /** The title above a message has changed. */
  retitle(channelId: ChannelId, id: bigint): void {
    const words = this.#current.get(channelId)?.deref();
    if (words) words.note([id]);
    else this.#current.delete(channelId);
  }

  /** Indexes everything of the channel that may be served and is evidence, and is not indexed yet. */
  *build(timeline: Timeline, pacer: Pacer): Steps<void> {
    const words = this.of(timeline);
    if (words.isCurrent) return;
    const messages = {
      ids: () => withoutEchoes(timeline),
      get: (ids: readonly bigint[]) => timeline.get(ids),
      questionFor: (message: Message) => timeline.echoes.questionFor(message),
    };
    while (!timeline.gone && (yield* words.build(messages, pacer)));
  }
}

function withoutEchoes({ known, ids, echoes }: Timeline): bigint[] {
  const all = known.flatMap(({ from, to }) => ids.oldest(from, to));
  return echoes.size === 0 ? all : all.filter((id) => !echoes.has(id));
}
