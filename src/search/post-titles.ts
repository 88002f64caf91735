import { type Channel, isPostList } from "../domain/guild.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";

/** Titles and tags of forum posts. The first message of a post, which has the post's id, is found by them too. */
export class PostTitles {
  readonly #directory: Pick<Directory, "channel" | "channels"> | undefined;

  constructor(directory: Pick<Directory, "channel" | "channels"> | undefined) {
    this.#directory = directory;
  }

  /** Empty for every other message. */
  of({ message_id, channel_id }: Pick<Message, "message_id" | "channel_id">): string {
    if (String(message_id) !== String(channel_id)) return "";
    const post = this.#directory?.channel(channel_id);
    return post && this.#isPost(post) ? [post.name, ...post.tags].join(" ") : "";
  }

  /** The posts whose title or tags may have changed. */
  changedBy(event: DiscordEvent): ChannelId[] {
    const channel = event.type === "channel" ? this.#directory?.channel(event.channelId) : undefined;
    if (!channel?.guildId) return [];
    if (!isPostList(channel)) return this.#isPost(channel) ? [channel.id] : [];
    const posts = this.#directory?.channels(channel.guildId).filter(({ parentId }) => parentId === channel.id) ?? [];
    return posts.map(({ id }) => id);
  }

  #isPost({ thread, parentId }: Channel): boolean {
    return thread !== null && parentId !== null && isPostList(this.#directory?.channel(parentId));
  }
}
