import type { Channel } from "../../domain/guild.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { ReadParts } from "../call/channel-reads.ts";

/** The call within which talks are recalled. */
export interface TalkCall extends ReadParts {
  readonly operation: Operation;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Everything whose history may be read here. */
  channels(): Promise<Channel[]>;
}
