import type { UserId } from "../../domain/ids.ts";
import type { Episode, EpisodeLine } from "../../ports/episode-store.ts";

/** People's view of their own talks with the agent. Every method throws `unavailable` if these cannot be read. */
export interface OwnTalks {
  count(person: UserId): Promise<number>;
  /** The newest first. */
  talksOf(person: UserId): Promise<readonly OwnTalk[]>;
}

export type OwnTalk = Episode & { readonly lines: readonly EpisodeLine[] };
