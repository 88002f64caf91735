import { join } from "node:path";
import { readExplicitLinks } from "../src/domain/forest/explicit-links.ts";
import { toForestPosts } from "../src/domain/forest/forest-posts.ts";
import { type IndexedLink, inferLinks } from "../src/domain/forest/infer-links.ts";
import type { PreparedNetwork } from "../src/domain/forest/network.ts";
import type { Message } from "../src/domain/message.ts";
import { runAtOnce, UNPACED } from "../src/domain/steps/pace.ts";
import { type DiscordRooms, readDiscordRooms } from "./discord-rooms.ts";
import { type Room, readRooms } from "./irc.ts";

/** Two kinds of talk: on IRC people name each other, and somebody noted what each line answers; on Discord they reply, or do neither. */
export interface ForestData {
  readonly training: readonly Room[];
  readonly dev: readonly Room[];
  readonly discord: DiscordRooms;
}

/** `FOLDER/irc/train`, `FOLDER/irc/dev` and `FOLDER/discord-replies/rooms.jsonl`. Ends the process, saying why, where they cannot be read. */
export function readForestData(folder: string): ForestData {
  try {
    return {
      training: readRooms(join(folder, "irc", "train")),
      dev: readRooms(join(folder, "irc", "dev")),
      discord: readDiscordRooms(join(folder, "discord-replies", "rooms.jsonl")),
    };
  } catch (error) {
    console.error(`Say where the chat logs are: --data FOLDER (${error instanceof Error ? error.message : error}).`);
    process.exit(1);
  }
}

/** As in the product, with the network in use or another one: by message, what it answers. Expects messages oldest first. */
export function guessLinks(messages: readonly Message[], network?: PreparedNetwork): (IndexedLink | undefined)[] {
  const posts = runAtOnce(toForestPosts(messages, UNPACED));
  const explicit = readExplicitLinks(messages);
  return runAtOnce(inferLinks(posts, { explicit, ...(network && { network }) }, UNPACED));
}
