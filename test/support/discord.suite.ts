import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { Discord, DiscordEvent, GuildSearchAnswer, GuildSearchRequest } from "../../src/ports/discord.ts";
import { until } from "./edge.ts";

/**
 * One server in which sarah is on the staff and mark is not. Everybody reads and speaks in `general`; `staff` is for the staff and the bot; in
 * `board` nobody but the owner speaks or reacts; `vault` is hidden from the bot. Nothing has been said yet.
 */
export interface DiscordStage {
  readonly discord: Discord;
  readonly channels: Readonly<Record<"general" | "staff" | "board" | "vault", ChannelId>>;
  readonly people: Readonly<Record<"sarah" | "mark", UserId>>;
  say(person: "sarah" | "mark", channel: "general" | "staff", text: string): MessageId;
  edit(person: "sarah" | "mark", messageId: MessageId, text: string): void;
  remove(person: "sarah" | "mark", messageId: MessageId): void;
}

const NOBODY = "1" as ChannelId;

/** What everything above the edge relies on, whichever Discord is below. */
export function describeDiscord(name: string, open: () => Promise<DiscordStage>): void {
  const arrive = async () => {
    const stage = await open();
    const events: DiscordEvent[] = [];
    stage.discord.listen((event) => events.push(event));
    const saw = (what: string, isIt: (event: DiscordEvent) => boolean) =>
      until(() => events.find(isIt), `no ${what} was announced`);
    const sayAll = async (...texts: string[]) => {
      const ids = texts.map((text) => stage.say("sarah", "general", text));
      await saw("last message", (event) => event.type === "message" && event.message.message_id === ids.at(-1));
      return ids;
    };
    const texts = async (page: Parameters<Discord["history"]>[1]) => {
      const { messages, isFull } = await stage.discord.history(stage.channels.general, page);
      return { texts: messages.map(({ content }) => content).join(" "), isFull };
    };
    return { ...stage, events, saw, sayAll, texts };
  };

  describe(`${name} as a Discord`, () => {
    it("gives history newest first, and says whether there may be more", async () => {
      const { sayAll, texts } = await arrive();
      const [, , c, , e] = await sayAll("a", "b", "c", "d", "e");
      expect(await texts({ limit: 2 })).toEqual({ texts: "e d", isFull: true });
      expect(await texts({ limit: 5 })).toEqual({ texts: "e d c b a", isFull: true });
      expect(await texts({ limit: 100 })).toEqual({ texts: "e d c b a", isFull: false });
      expect(await texts({ limit: 1, before: c as MessageId })).toEqual({ texts: "b", isFull: true });
      expect(await texts({ limit: 10, before: c as MessageId })).toEqual({ texts: "b a", isFull: false });
      expect(await texts({ limit: 1, after: c as MessageId })).toEqual({ texts: "d", isFull: true });
      expect(await texts({ limit: 10, after: e as MessageId })).toEqual({ texts: "", isFull: false });
      expect((await texts({ limit: 3, around: c as MessageId })).texts).toBe("d c b");
    });

    it("gives one message by its id, and null for one that is not there", async () => {
      const { discord, channels, sayAll } = await arrive();
      const [id] = await sayAll("here");
      expect(await discord.message(channels.general, id as MessageId)).toMatchObject({ content: "here" });
      expect(await discord.message(channels.general, "2" as MessageId)).toBeNull();
    });

    it("answers not_found for channels that are hidden from the bot or do not exist", async () => {
      const { discord, channels } = await arrive();
      for (const id of [channels.vault, NOBODY])
        expect(await codeOf(discord.history(id, { limit: 1 }))).toBe("not_found");
    });

    it("knows who can read which channel", async () => {
      const { discord, channels, people } = await arrive();
      const { directory, botId } = discord;
      const readers = (id: ChannelId) =>
        [people.sarah, people.mark, botId].map((person) => directory.canRead(person, id));
      await directory.learn(people.mark, channels.general);
      expect(readers(channels.general)).toEqual([true, true, true]);
      expect(readers(channels.staff)).toEqual([true, false, true]);
      expect(readers(channels.board)).toEqual([true, true, true]);
      expect(readers(channels.vault)).toEqual([false, false, false]);
      expect(directory.channel(channels.vault)?.hidden).toBe(true);
      expect(directory.channel(channels.general)?.name).toBe("general");
    });

    it("sends a message, announces it once, and holds it in the history", async () => {
      const { discord, channels, events, saw } = await arrive();
      const sent = await discord.send(channels.general, { text: "hello", mentions: [] });
      expect(sent).toMatchObject({ content: "hello", channel_id: channels.general, author: { id: discord.botId } });
      const isIt = (event: DiscordEvent) => event.type === "message" && event.message.message_id === sent.message_id;
      await saw("sent message", isIt);
      const { messages } = await discord.history(channels.general, { limit: 10 });
      expect(messages.map(({ message_id }) => message_id)).toEqual([sent.message_id]);
      expect(events.filter(isIt)).toHaveLength(1);
    });

    it("sends two drafts with the same nonce once", async () => {
      const { discord, channels } = await arrive();
      const draft = { text: "once", mentions: [], nonce: "n1" };
      const first = await discord.send(channels.general, draft);
      const second = await discord.send(channels.general, draft);
      const other = await discord.send(channels.general, { ...draft, nonce: "n2" });
      expect(second.message_id).toBe(first.message_id);
      expect(other.message_id).not.toBe(first.message_id);
      expect((await discord.history(channels.general, { limit: 10 })).messages).toHaveLength(2);
    });

    it("sends nothing once the check before leaving throws or the call was cancelled", async () => {
      const { discord, channels } = await arrive();
      const refusal = new EarshotError("forbidden", "not any more");
      const recheck = () => {
        throw refusal;
      };
      await expect(discord.send(channels.general, { text: "no", mentions: [] }, { recheck })).rejects.toBe(refusal);
      const signal = AbortSignal.abort();
      expect(await codeOf(discord.send(channels.general, { text: "no", mentions: [] }, { signal }))).toBe("cancelled");
      expect((await discord.history(channels.general, { limit: 10 })).messages).toEqual([]);
    });

    it("answers forbidden where the bot may read but neither speak nor react", async () => {
      const { discord, channels } = await arrive();
      expect(await codeOf(discord.send(channels.board, { text: "no", mentions: [] }))).toBe("forbidden");
      expect(await codeOf(discord.react(channels.board, "2" as MessageId, "👍"))).toBe("forbidden");
    });

    it("answers not_found for a reaction to a message that is not there", async () => {
      const { discord, channels, sayAll } = await arrive();
      const [id] = await sayAll("here");
      await discord.react(channels.general, id as MessageId, "👍");
      expect(await codeOf(discord.react(channels.general, "2" as MessageId, "👍"))).toBe("not_found");
    });

    it("edits a message of the bot's own", async () => {
      const { discord, channels } = await arrive();
      const { message_id } = await discord.send(channels.general, { text: "before", mentions: [] });
      await discord.edit({ channelId: channels.general, messageId: message_id }, { text: "after" });
      expect(await discord.message(channels.general, message_id)).toMatchObject({ content: "after" });
    });

    it("withdraws a message of the bot's own, also when it is gone already", async () => {
      const { discord, channels, saw } = await arrive();
      const { message_id: messageId } = await discord.send(channels.general, { text: "said", mentions: [] });
      const message = { channelId: channels.general, messageId };
      await discord.withdraw(message);
      await saw("deletion", (event) => event.type === "message_delete" && event.messageIds.includes(messageId));
      await discord.withdraw(message);
      expect(await discord.message(channels.general, messageId)).toBeNull();
    });

    it("announces what people say, edit and delete", async () => {
      const { discord, channels, saw, say, edit, remove } = await arrive();
      const id = say("mark", "general", "first");
      await saw("message", (event) => event.type === "message" && event.message.content === "first");
      edit("mark", id, "second");
      await saw("edit", (event) => event.type === "message_update" && event.message.content === "second");
      expect(await discord.message(channels.general, id)).toMatchObject({ content: "second" });
      remove("mark", id);
      await saw("deletion", (event) => event.type === "message_delete" && event.messageIds.includes(id));
      expect(await discord.message(channels.general, id)).toBeNull();
    });

    it("opens one direct conversation with each person, which they and the bot read", async () => {
      const { discord, people } = await arrive();
      const dm = await discord.openDm(people.sarah);
      expect(await discord.openDm(people.sarah)).toBe(dm);
      expect(await discord.openDm(people.mark)).not.toBe(dm);
      const { directory, botId } = discord;
      expect([people.sarah, people.mark, botId].map((id) => directory.canRead(id, dm))).toEqual([true, false, true]);
    });

    it("searches the named channels for all words, by author and between two ids", async () => {
      const { discord, channels, people, say, sayAll, saw } = await arrive();
      const [first, second] = await sayAll("red sail", "red hull", "blue sail");
      say("sarah", "staff", "red sail in the loft");
      const marks = say("mark", "general", "red flag");
      const guildId = discord.directory.guilds()[0]?.id;
      if (!guildId) throw new Error("there is no server");
      const found = async (request: Partial<GuildSearchRequest>) => {
        const answer = await ready(() =>
          discord.search(guildId, { channelIds: [channels.general], limit: 25, ...request }),
        );
        return answer.messages.map(({ content }) => content);
      };
      await saw("mark's message", (event) => event.type === "message" && event.message.message_id === marks);
      expect(await found({ content: "red" })).toEqual(["red flag", "red hull", "red sail"]);
      expect(await found({ content: "sail red" })).toEqual(["red sail"]);
      expect(await found({ content: "red", authorIds: [people.mark] })).toEqual(["red flag"]);
      expect(await found({ content: "red", minId: first as MessageId, maxId: marks })).toEqual(["red hull"]);
      expect(await found({ content: "red", maxId: second as MessageId })).toEqual(["red sail"]);
      expect(await found({ content: "red", channelIds: [channels.vault] })).toEqual([]);
      const one = await ready(() =>
        discord.search(guildId, { channelIds: [channels.general], content: "red", limit: 1 }),
      );
      expect([one.messages.map(({ content }) => content), one.isFull]).toEqual([["red flag"], true]);
    });
  });
}

/** Discord may build its index first. */
async function ready(
  search: () => Promise<GuildSearchAnswer>,
): Promise<Extract<GuildSearchAnswer, { state: "ready" }>> {
  for (;;) {
    const answer = await search();
    if (answer.state === "ready") return answer;
    await new Promise((resolve) => setTimeout(resolve, answer.retryAfter * 1_000));
  }
}

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "done",
    (error: unknown) => (error instanceof EarshotError ? error.code : String(error)),
  );
}
