import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Hit } from "../../ports/search.ts";
import type { ChangeJournal } from "../../timeline/journal.ts";
import type { Reach } from "./reach.ts";

/** Notes what changes in the channels of a search while it pauses. */
export class Watch {
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
