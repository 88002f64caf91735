import type { Channel } from "../../domain/guild.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { ReadParts } from "../call/channel-reads.ts";

export interface TalkCall extends ReadParts {
  readonly operation: Operation;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  channels(): Promise<Channel[]>;
}
