import type { GuildRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";

/** The bot that a DM post is addressed to, and whose token the sandbox hands out first. */
export const MAIN_BOT = "earshot";

/** The ids that the keys of a plan got. */
export interface LaidCommunity {
  readonly guild: GuildRecord;
  /** Person key to user id. */
  readonly people: Map<string, string>;
  readonly roles: Map<string, string>;
  /** Keys of channels and threads, and `dm:<person key>`, to channel ids. */
  readonly channels: Map<string, string>;
  /** Message key to message id, deleted ones too. */
  readonly messages: Map<string, string>;
}

/** The world to which posts are added, with the earlier posts that they may refer to. */
export interface PostContext {
  readonly world: World;
  readonly laid: LaidCommunity;
  readonly now: number;
  /** Messages with a key, deleted ones too. */
  readonly named: Map<string, MessageRecord>;
}

/** Looks a key up. Throws if the plan does not contain it. */
export function idOf(ids: ReadonlyMap<string, string>, key: string, what: string): string {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`The community names a ${what} that it does not have: "${key}"`);
  return id;
}
